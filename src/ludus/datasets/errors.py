"""What can be wrong with a dataset."""

from ludus.core.errors import LudusError


class BadDataset(LudusError):
    """A file is not a dataset, or some of its lines are none."""


class CannotFetch(LudusError):
    """Published data could not be had, or is not what was published."""
