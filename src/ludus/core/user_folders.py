"""The user's cache and data folders, where the operating system expects them."""

import os
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path | None:
    """Return the folder for reproducible files: LUDUS_CACHE, or `ludus` in the cache folder."""
    if named := os.environ.get("LUDUS_CACHE"):
        return Path(named)
    from platformdirs import user_cache_path

    return _find(user_cache_path)


def data_folder() -> Path | None:
    """Return the folder for files that are expensive to make: `ludus` in the data folder."""
    from platformdirs import user_data_path

    return _find(user_data_path)


def _find(user_path: Callable[..., Path]) -> Path | None:
    """Return None where the home folder is unknown, as in some containers."""
    try:
        found = user_path("ludus", appauthor=False)
    except RuntimeError:
        return None
    return found if found.is_absolute() else None  # older versions return ~/…
