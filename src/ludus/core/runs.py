"""Running trainings, tournaments and solves, listed in one folder so that the page finds them."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from ludus.core.errors import CannotWrite, LudusError
from ludus.core.files import data_folder, lock_file, read_text, write_text
from ludus.core.spec import check_fields

RunKind = Literal["training", "tournament", "solve"]

UPDATE_SECONDS = 1.0
"""Time between two updates of the progress in the file of a run."""

MAX_RUNS = 50
"""Runs that are listed."""


@dataclass(frozen=True, slots=True)
class Run:
    """A process of this user that works for a long time."""

    kind: RunKind
    title: str
    began: float
    """Seconds since the epoch."""

    path: str = ""
    """The folder of the curves of a training, or the file of a tournament."""

    results: str = ""
    """The file of the results of a tournament."""

    done: int = 0
    total: int = 0
    """Size of the work; 0 if it is unknown."""

    def __post_init__(self) -> None:
        check_fields(self, "run")


class RunUpdater:
    """Writes the progress of a run to its file, now and then."""

    def __init__(self, run: Run, file: Path | None) -> None:
        self._run, self._file = run, file
        self._next = 0.0
        self.update(0, 0)

    def update(self, done: int, total: int) -> None:
        """Note how much is done; cheap enough for every step."""
        if self._file is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + UPDATE_SECONDS
        # Nothing depends on the list: a full disk must not end a training.
        with suppress(LudusError):
            run = replace(self._run, done=done, total=total)
            write_text(self._file, json.dumps(asdict(run)))


@contextmanager
def announce_run(
    kind: RunKind, title: str, path: Path | None = None, results: Path | None = None
) -> Iterator[RunUpdater]:
    """List this process as a run until the block ends, or until the process does."""
    run = Run(kind, title, time.time(), _format_path(path), _format_path(results))
    folder, file = _runs_folder(), None
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError, CannotWrite):
                folder.mkdir(parents=True, exist_ok=True)
                file = folder / f"{os.getpid()}-{time.monotonic_ns()}.json"
                stack.callback(_delete, file)
                stack.enter_context(lock_file(file.with_suffix(".lock")))
        yield RunUpdater(run, file)


def _format_path(path: Path | None) -> str:
    return "" if path is None else str(path.absolute())


def list_runs() -> list[Run]:
    """Return the runs of this user, the newest first; files of killed ones are deleted."""
    folder = _runs_folder()
    found = []
    with suppress(OSError):
        files = [] if folder is None else sorted(folder.glob("*.json"))[-MAX_RUNS:]
        for file in files:
            if not _is_held(file.with_suffix(".lock")):
                _delete(file)
                continue
            with suppress(LudusError, ValueError, TypeError):
                found.append(Run(**json.loads(read_text(file))))
    return sorted(found, key=lambda run: -run.began)


def _is_held(lock: Path) -> bool:
    """Return whether the process of a run still lives, which holds its lock."""
    try:
        with lock_file(lock):
            return False
    except CannotWrite:
        return True


def _delete(file: Path) -> None:
    for each in (file, file.with_suffix(".lock")):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def _runs_folder() -> Path | None:
    folder = data_folder()
    return None if folder is None else folder / "runs"
