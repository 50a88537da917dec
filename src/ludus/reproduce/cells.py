"""What an interrupted run has already found, in files that are complete or not there."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ludus.core.errors import LudusError
from ludus.reproduce.errors import reason, shown

T = TypeVar("T")

LONGEST_NAME = 60


class Cells:
    """A folder with one JSON file for each thing that is computed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str, compute: Callable[[], T]) -> T:
        """The stored value of a key; computed and stored if there is none.

        The value comes back as JSON holds it, whether it was computed or read: tuples as lists, and
        numbers as they will be next time.
        """
        path = self.folder / f"{file_name(key)}.json"
        stored = _read(path, key)
        if stored is None:
            text = json.dumps({"key": key, "value": compute()}, allow_nan=False)
            write_whole(path, text)
            stored = json.loads(text)
        value: T = stored["value"]
        return value

    def subfolder(self, key: str) -> Path:
        """A folder of its own for this key, for checkpoints and other files."""
        path = self.folder / file_name(key)
        make_folder(path)
        return path

    def clear(self) -> None:
        """Forget everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def file_name(key: str) -> str:
    """A name for a file that people recognise and that no other key has.

    >>> file_name("basic:newbie / first")
    'basic-newbie-first-01ffbe86'
    """
    digest = hashlib.blake2b(key.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
    return f"{slug(key)}-{digest}"


def slug(text: str) -> str:
    """A text as letters, digits and hyphens.

    >>> slug("Figure 3: noughts & crosses")
    'Figure-3-noughts-crosses'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:LONGEST_NAME]


def _read(path: Path, key: str) -> dict[str, Any] | None:
    """What a file holds; None if it is absent, damaged or of another key."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    is_ours = isinstance(found, dict) and found.get("key") == key and "value" in found
    return found if is_ours else None


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot make {shown(path)}: {reason(error)}") from error


def write_whole(path: Path, text: str) -> None:
    """Write a file under another name and rename it: whoever reads it finds all of it."""
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise LudusError(f"cannot write {shown(path)}: {reason(error)}") from error
    finally:
        partial.unlink(missing_ok=True)
