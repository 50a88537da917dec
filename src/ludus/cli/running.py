"""A long run through the sectors of a game: on a thread, with a bar, until it ends or must."""

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ludus.cli.output import console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ludus.oracle.progress import Work

R = TypeVar("R", covariant=True)
T = TypeVar("T")

SECONDS_A_LOOK = 0.2


class Run(Protocol[R]):
    """Something that works for long, tells how far it is and can be stopped."""

    work: "Work"

    def run(self) -> R: ...
    def stop(self) -> None: ...


def run_with_bar(run: Run[T], label: str) -> T:
    """The result of a run. Ctrl-C stops it, waits until files are closed, and goes on upwards."""
    worker = _Worker(run)
    worker.start()
    try:
        if sys.stderr.isatty():
            _show(worker, run.work, label)
        worker.has_ended.wait()
    finally:
        while not worker.has_ended.is_set():
            run.stop()
            with suppress(KeyboardInterrupt):
                worker.has_ended.wait(SECONDS_A_LOOK)
    return worker.result()


class _Worker(threading.Thread, Generic[T]):
    """Compiled code does not hear Ctrl-C; whoever waits for it does.

    They wait for the event: an interrupted `join` of Python 3.11 takes the thread for ended.
    """

    def __init__(self, run: Run[T]) -> None:
        super().__init__(daemon=True)
        self.has_ended = threading.Event()
        self._run = run
        self._results: list[T] = []
        self._errors: list[BaseException] = []

    def run(self) -> None:
        try:
            self._results.append(self._run.run())
        except BaseException as error:
            self._errors.append(error)
        finally:
            self.has_ended.set()

    def result(self) -> T:
        if self._errors:
            raise self._errors[0]
        return self._results[0]


def _show(worker: _Worker[T], work: "Work", label: str) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>5.1f}%"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console(stderr=True), transient=True, speed_estimate_period=600
    ) as bars:
        task = bars.add_task(label, total=work.total, rate="")
        while not worker.has_ended.wait(SECONDS_A_LOOK):
            _update(bars, task, work, label)


def _update(bars: "Progress", task: "TaskID", work: "Work", label: str) -> None:
    sector = work.current
    name = label if sector is None else f"{label} {'_'.join(map(str, sector))}"
    speed = bars.tasks[task].speed
    rate = "" if not speed else f"{speed / 1e6:.1f} million slots/s"
    # What an earlier run has done counts neither as speed nor as work.
    total, done = work.total - work.resumed, work.done - work.resumed
    bars.update(task, description=name, total=total, completed=done, rate=rate)
