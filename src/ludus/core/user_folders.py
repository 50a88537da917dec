"""The user's cache and data folders, by the XDG base directory specification."""

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """Return the folder for reproducible files: LUDUS_CACHE, or `ludus` in the cache folder."""
    if named := os.environ.get("LUDUS_CACHE"):
        return Path(named)
    return _user_folder("XDG_CACHE_HOME", ".cache")


def data_folder() -> Path | None:
    """Return the folder for files that are expensive to make: `ludus` in the data folder."""
    return _user_folder("XDG_DATA_HOME", ".local/share")


def _user_folder(variable: str, usual: str) -> Path | None:
    """Return None where the home folder is unknown, as in some containers."""
    try:
        return Path(os.environ.get(variable) or Path.home() / usual) / "ludus"
    except RuntimeError:
        return None
