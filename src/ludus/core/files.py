"""Read and write whole files: atomic writing, and a folder lock."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ludus.core.errors import CannotWrite, LudusError, quote

PARTIAL_SUFFIX = ".partial"


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Write to a temporary file beside the path, sync it to disk, then rename it."""
    partial = path.with_name(f".{path.name}{PARTIAL_SUFFIX}")
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
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary and lock it against other writers.

    The lock ends with the process, however it ends. Partial files of killed processes are removed.
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
            shown = quote(str(folder), 200)
            raise CannotWrite(f"another process is writing into {shown}") from error
        for partial in folder.glob(f".*{PARTIAL_SUFFIX}"):
            partial.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Sync the folder: a new name survives a power failure only when the folder is on disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot_write(path: Path, error: Exception) -> CannotWrite:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return CannotWrite(f"cannot write {quote(str(path), 200)}: {reason}")


MAX_FILE_BYTES = 64_000_000
"""Longest file that a learner writes."""


def read_bytes(file: Path) -> bytes:
    """Return the content of a file; LudusError if it cannot be read."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise LudusError(f"{quote(str(file), 200)} is longer than {MAX_FILE_BYTES} bytes")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise LudusError(
            f"cannot read {quote(str(file), 200)}: {_describe_os_error(error)}"
        ) from error


def write_bytes(file: Path, content: bytes) -> None:
    """Write to a temporary file beside the path, then rename it."""
    try:
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise LudusError(f"cannot write {quote(str(file), 200)}: it is not a regular file")
        partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(content)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise LudusError(
            f"cannot write {quote(str(file), 200)}: {_describe_os_error(error)}"
        ) from error


def _describe_os_error(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
