"""What can go wrong with somebody else's program."""

from ludus.core.errors import LudusError


class ExternalError(LudusError):
    """An engine could not be started, died, hung, or said what cannot be understood."""
