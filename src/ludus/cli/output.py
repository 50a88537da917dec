"""What commands print: JSON, tables and progress bars; and work that Ctrl-C can interrupt."""

import dataclasses
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ludus.core.text_table import format_text_table

if TYPE_CHECKING:
    from concurrent.futures import Future

    from rich.console import Console

    from ludus.core.game import AnyGame
    from ludus.core.player import Player


def print_json(**values: Any) -> None:
    """Print one JSON object on one line, flushed for programs that wait for it."""
    print(json.dumps(values, default=str), flush=True)


def print_notice(text: str) -> None:
    """Print what users should know before a long run, on standard error; nothing if empty."""
    if text:
        print(f"ludus: note: {text}", file=sys.stderr, flush=True)


def print_interruption(message: str) -> None:
    """Print on standard error what an interrupted run has done, or how it is resumed."""
    print(f"ludus: {message}", file=sys.stderr)


def print_player_notices(players: Iterable["Player"]) -> None:
    """Print the notices of players, each once."""
    for text in dict.fromkeys(player.notice for player in players):
        print_notice(text)


def dataclass_as_json(rules: Any) -> dict[str, Any]:
    """Return rules or a player's options as a dictionary, empty for None."""
    return {} if rules is None else dataclasses.asdict(rules)


def game_as_json(game: "AnyGame") -> dict[str, Any]:
    """Return the name and the rules of a game."""
    return {"game": game.id, "rules": dataclass_as_json(game.rules)}


def format_optional(value: float | None, form: str) -> str:
    """Format a number; empty for None."""
    return "" if value is None else format(value, form)


def make_console(*, stderr: bool = False) -> "Console":
    """Return a rich console, without colours if NO_COLOR is set or the terminal has none."""
    from rich.console import Console

    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("dumb", "unknown")
    return Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if is_plain else "auto",
    )


def get_table_width() -> int | None:
    """Return the width of the terminal; None for files and pipes, where no line is folded."""
    if "COLUMNS" not in os.environ and not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, folded to the width of the terminal."""
    print(format_text_table(headings, rows, get_table_width()))


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

POLL_SECONDS = 0.2

MIN_SLOTS = 10_000
"""Progress in fewer units is not counted in slots, and has no speed."""


class ProgressUpdate(Protocol):
    """Moves a progress bar; what is left out stays as it is."""

    def __call__(self, done: float, total: float | None = None, label: str = "") -> None: ...


def has_progress_bar() -> bool:
    """Return whether standard error is a terminal, which shows progress bars."""
    return sys.stderr.isatty()


@contextmanager
def show_progress(
    label: str, total: float | None = None, speed_period: float = 30.0
) -> Iterator[ProgressUpdate]:
    """Show a progress bar on standard error if that is a terminal.

    `speed_period` is the number of seconds from which the remaining time is estimated.
    """
    if not has_progress_bar():
        yield lambda done, total=None, label="": None
        return
    from rich.progress import Progress

    console = make_console(stderr=True)
    with Progress(console=console, transient=True, speed_estimate_period=speed_period) as bars:
        task = bars.add_task(label, total=total)

        def update(done: float, total: float | None = None, label: str = "") -> None:
            bars.update(task, completed=done, total=total, description=label or None)

        yield update


def track_progress(items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
    """Yield the items, with a progress bar."""
    with show_progress(label, total) as update:
        for done, item in enumerate(items, 1):
            yield item
            update(done)


def _run_on_thread(work: Callable[[], T]) -> "Future[T]":
    """Start a computation on a daemon thread, which does not keep the program from exiting."""
    from concurrent.futures import Future

    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def run_interruptible(work: Callable[[], T]) -> T:
    """Run a long computation on a thread and return its result; Ctrl-C abandons the thread."""
    return _run_on_thread(work).result()


class Progress(Protocol):
    """Units of work done, in total and by an earlier run, and the part in progress."""

    @property
    def total(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def resumed(self) -> int: ...
    @property
    def current(self) -> Sequence[object] | None: ...


class BackgroundJob(Protocol[T_co]):
    """A long computation over the parts of a game that reports progress and can be stopped."""

    @property
    def progress(self) -> Progress: ...
    def run(self) -> T_co: ...
    def stop(self) -> None: ...


def run_with_progress_bar(
    job: BackgroundJob[T], label: str, on_progress: Callable[[Progress], None] = lambda _: None
) -> T:
    """Run a job and return its result; `on_progress` is called now and then.

    Ctrl-C stops the job, waits until its files are closed, and is raised again.
    """
    from concurrent.futures import wait

    task = _run_on_thread(job.run)
    began = time.monotonic()
    try:
        with show_progress(label, speed_period=600) as update:
            while not wait([task], POLL_SECONDS).done:
                _update_bar(update, job.progress, label, time.monotonic() - began)
                on_progress(job.progress)
    finally:
        while not task.done():
            job.stop()
            with suppress(KeyboardInterrupt):
                wait([task], POLL_SECONDS)
    return task.result()


def _update_bar(update: ProgressUpdate, progress: Progress, label: str, seconds: float) -> None:
    # Work resumed from an earlier run counts neither for the speed nor for the total.
    total, done = progress.total - progress.resumed, progress.done - progress.resumed
    sector = "" if progress.current is None else "_".join(map(str, progress.current))
    rate = f"{done / seconds / 1e6:.1f} million slots/s" if done and total > MIN_SLOTS else ""
    update(done, total, " ".join(filter(None, (label, sector, rate))))
