"""Where a user keeps things, as the XDG base directory specification has it."""

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """For what can be made again: LUDUS_CACHE, or `ludus` in the user's cache folder."""
    if named := os.environ.get("LUDUS_CACHE"):
        return Path(named)
    return _user_folder("XDG_CACHE_HOME", ".cache")


def data_folder() -> Path | None:
    """For what was much work: `ludus` in the user's data folder."""
    return _user_folder("XDG_DATA_HOME", ".local/share")


def _user_folder(variable: str, usual: str) -> Path | None:
    """None where nobody knows the user's home, as in some containers."""
    try:
        return Path(os.environ.get(variable) or Path.home() / usual) / "ludus"
    except RuntimeError:
        return None
