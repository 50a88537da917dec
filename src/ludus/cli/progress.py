"""Long computations on a background thread, with a progress bar, interruptible by Ctrl-C.

Compiled code does not handle Ctrl-C; the main thread, which waits for it, does.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ludus.cli.output import make_console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ludus.oracle.morris.solver import SolveProgress

ResultT = TypeVar("ResultT")


def run_interruptible(work: Callable[[], ResultT]) -> ResultT:
    """Run a long computation on a thread and return its result; Ctrl-C abandons the thread."""
    results: list[ResultT] = []
    errors: list[BaseException] = []

    def keep() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=keep, daemon=True)
    worker.start()
    worker.join()
    if errors:
        raise errors[0]
    return results[0]


JobResultT_co = TypeVar("JobResultT_co", covariant=True)
JobResultT = TypeVar("JobResultT")

POLL_SECONDS = 0.2


class BackgroundJob(Protocol[JobResultT_co]):
    """A long computation over the sectors of a game that reports progress and can be stopped."""

    progress: "SolveProgress"

    def run(self) -> JobResultT_co: ...
    def stop(self) -> None: ...


def run_with_progress_bar(run: BackgroundJob[JobResultT], label: str) -> JobResultT:
    """Run a job and return its result.

    Ctrl-C stops the job, waits until its files are closed, and is raised again.
    """
    worker = _JobThread(run)
    worker.start()
    try:
        if sys.stderr.isatty():
            _show_progress_bar(worker, run.progress, label)
        worker.is_done.wait()
    finally:
        while not worker.is_done.is_set():
            run.stop()
            with suppress(KeyboardInterrupt):
                worker.is_done.wait(POLL_SECONDS)
    return worker.result()


class _JobThread(threading.Thread, Generic[JobResultT]):
    """The thread of a job.

    Wait for `is_done`, not with `join`: in Python 3.11 an interrupted `join` marks the thread
    as ended.
    """

    def __init__(self, run: BackgroundJob[JobResultT]) -> None:
        super().__init__(daemon=True)
        self.is_done = threading.Event()
        self._run = run
        self._results: list[JobResultT] = []
        self._errors: list[BaseException] = []

    def run(self) -> None:
        try:
            self._results.append(self._run.run())
        except BaseException as error:
            self._errors.append(error)
        finally:
            self.is_done.set()

    def result(self) -> JobResultT:
        if self._errors:
            raise self._errors[0]
        return self._results[0]


def _show_progress_bar(
    worker: _JobThread[JobResultT], progress: "SolveProgress", label: str
) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>5.1f}%"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=make_console(stderr=True), transient=True, speed_estimate_period=600
    ) as bars:
        task = bars.add_task(label, total=progress.total, rate="")
        while not worker.is_done.wait(POLL_SECONDS):
            _update_progress_bar(bars, task, progress, label)


def _update_progress_bar(
    bars: "Progress", task: "TaskID", progress: "SolveProgress", label: str
) -> None:
    sector = progress.current
    name = label if sector is None else f"{label} {'_'.join(map(str, sector))}"
    speed = bars.tasks[task].speed
    rate = "" if not speed else f"{speed / 1e6:.1f} million slots/s"
    # Work resumed from an earlier run counts neither for the speed nor for the total.
    total, done = progress.total - progress.resumed, progress.done - progress.resumed
    bars.update(task, description=name, total=total, completed=done, rate=rate)
