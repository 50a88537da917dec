"""A folder of JSON files that caches what an interrupted run has computed."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ludus.core.files import make_folder, parse_json_object, write_text

T = TypeVar("T")

MAX_NAME_LENGTH = 60


class ResultCache:
    """A folder with one JSON file for each computed value."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str, compute: Callable[[], T]) -> T:
        """Return the stored value of a key, or compute and store it.

        The value is always the one decoded from JSON, whether it was computed or read: tuples
        become lists, and numbers are as in later runs.
        """
        path = self.folder / f"{make_file_name(key)}.json"
        stored = _read_entry(path, key)
        if stored is None:
            text = json.dumps({"key": key, "value": compute()}, allow_nan=False)
            write_text(make_folder(path.parent) / path.name, text)
            stored = json.loads(text)
        value: T = stored["value"]
        return value

    def subfolder(self, key: str) -> Path:
        """Return a folder for this key, for checkpoints and other files."""
        return make_folder(self.folder / make_file_name(key))

    def clear(self) -> None:
        """Delete all entries."""
        shutil.rmtree(self.folder, ignore_errors=True)


def make_file_name(key: str) -> str:
    """Return a readable and unique file name for a key.

    >>> make_file_name("basic:newbie / first")
    'basic-newbie-first-01ffbe86'
    """
    digest = hashlib.blake2b(key.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
    return f"{make_slug(key)}-{digest}"


def make_slug(text: str) -> str:
    """Return a text as letters, digits and hyphens.

    >>> make_slug("Figure 3: noughts & crosses")
    'Figure-3-noughts-crosses'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:MAX_NAME_LENGTH]


def _read_entry(path: Path, key: str) -> dict[str, Any] | None:
    """Return the entry of a file; None if it is absent, damaged or of another key."""
    try:
        found = parse_json_object(path.read_bytes())
    except OSError:
        return None
    is_ours = found is not None and found.get("key") == key and "value" in found
    return found if is_ours else None
