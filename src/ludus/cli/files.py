"""Files a user names: read whole, and written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ludus.core.errors import LudusError, quoted


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Write under another name beside it, renamed at the end: a file is complete or not there.

    A place where nothing can be written is found out at once, before any work is done.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            # Renaming would put a file in the place of the link, be it /dev/stdout itself.
            raise LudusError(f"cannot write {quoted(str(path))}: it is not a regular file")
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        file = partial.open("x", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot write {quoted(str(path))}: {_reason(error)}") from error
    try:
        with file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise LudusError(f"cannot write {quoted(str(path))}: {_reason(error)}") from error
    finally:
        partial.unlink(missing_ok=True)


def read_file(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LudusError(f"{quoted(str(path))} is not valid UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quoted(str(path))}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
