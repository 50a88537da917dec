"""Files that are written whole or not at all."""

import os
from pathlib import Path

from ludus.core.errors import LudusError, quoted


class CannotWrite(LudusError):
    """Nothing can be written here."""


def check_place(path: Path) -> None:
    """Find out before any work is done whether a file can be written here."""
    try:
        if path.exists() and not path.is_file():
            raise CannotWrite(f"cannot write {quoted(str(path), 200)}: it is not a regular file")
        partial = _partial(path)
        partial.touch()
        partial.unlink()
    except (OSError, ValueError) as error:
        raise _refused(path, error) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write under another name beside it and rename: whoever reads the file finds all of it."""
    check_place(path)
    partial = _partial(path)
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """Why a file could not be used, without its name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _refused(path: Path, error: Exception) -> CannotWrite:
    return CannotWrite(f"cannot write {quoted(str(path), 200)}: {reason(error)}")
