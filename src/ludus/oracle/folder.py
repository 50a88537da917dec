"""Files that are complete or not there at all, and a folder that one process writes at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ludus.core.errors import quoted
from ludus.oracle.errors import CannotWrite

PARTIAL = ".partial"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write under another name beside it; only what has reached the disk gets the real name."""
    partial = path.with_name(f".{path.name}{PARTIAL}")
    try:
        try:
            with partial.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
            _sync_folder(path.parent)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


@contextmanager
def for_writing(folder: Path) -> Iterator[None]:
    """Make the folder if need be and keep other writers out until the end.

    The lock goes with the process, however it ends. What a killed one left half written is removed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _cannot_write(folder, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            shown = quoted(str(folder), 200)
            raise CannotWrite(f"another process is writing into {shown}") from error
        for partial in folder.glob(f".*{PARTIAL}"):
            partial.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """A new name survives a power cut only when the folder has reached the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot_write(path: Path, error: Exception) -> CannotWrite:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return CannotWrite(f"cannot write {quoted(str(path), 200)}: {reason}")
