"""What can be wrong with a solved game, for the user to read."""

from ludus.core.errors import LudusError


class BadDatabase(LudusError):
    """A folder or file of solved values is missing, damaged, or not what was asked for."""


class CannotSolve(LudusError):
    """A game, or its rules, or this machine, is not one the solver can work with."""


class CannotWrite(LudusError):
    """A file cannot be written: the disk is full, the folder is not ours, or is in use."""
