"""What can be wrong with an experiment, its published figures or its stored results."""

from pathlib import Path

from ludus.core.errors import LudusError, quoted


class BadExperiment(LudusError):
    """An experiment cannot be read, run or drawn."""


def shown(path: Path) -> str:
    """A path as it may stand in a one-line message."""
    return quoted(str(path), 200)


def reason(error: Exception) -> str:
    """Why a file could not be used, without its name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
