"""Reading and atomic writing of text files named by a user."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ludus.core.errors import LudusError, quote


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a text file for atomic writing: write a temporary file beside it and rename that.

    An unwritable path is reported on entry, before any work is done.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            # Renaming would replace the link or device itself, even /dev/stdout.
            raise LudusError(f"cannot write {quote(str(path))}: it is not a regular file")
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        file = partial.open("x", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot write {quote(str(path))}: {_reason(error)}") from error
    try:
        with file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise LudusError(f"cannot write {quote(str(path))}: {_reason(error)}") from error
    finally:
        partial.unlink(missing_ok=True)


def read_file(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LudusError(f"{quote(str(path))} is not valid UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quote(str(path))}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
