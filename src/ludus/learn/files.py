"""Files that learners keep: read whole, and written whole or not at all."""

import os
from pathlib import Path

from ludus.core.errors import LudusError, quoted

MAX_BYTES = 64_000_000
"""Nothing a learner here keeps is longer."""


def read_whole(file: Path) -> bytes:
    """What is in a file; LudusError if that cannot be had."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise LudusError(f"{quoted(str(file), 200)} is longer than {MAX_BYTES} bytes")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quoted(str(file), 200)}: {_reason(error)}") from error


def write_whole(file: Path, content: bytes) -> None:
    """Write under another name beside it, then rename: a file is complete or not there."""
    try:
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise LudusError(f"cannot write {quoted(str(file), 200)}: it is not a regular file")
        partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(content)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot write {quoted(str(file), 200)}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
