"""Errors that a user can cause. Each message is one line and says what is wrong and where."""

MAX_TEXT = 1_000_000
"""Longest text any parser looks at; a game record is the longest thing people paste."""


class LudusError(Exception):
    """Something asked for cannot be done. The command line prints it and exits with 2."""


class UnknownName(LudusError):
    """No game, player, preset or option has this name."""


class BadSpec(LudusError):
    """A spec string such as `hexapawn:size=4` is malformed, or a value in it is out of range."""


class BadPosition(LudusError):
    """A text is not a position of this game."""


class BadMove(LudusError):
    """A text is not a move, or the move is not legal here."""


class BadRecord(LudusError):
    """A text is not a game record, or its moves cannot be played."""


def quoted(text: str, limit: int = 48) -> str:
    """The text as it may stand in a one-line message: escaped, and cut when it is long.

    >>> quoted("a\\nb")
    "'a\\\\nb'"
    """
    shown = text[:limit]
    while len(repr(shown)) > 2 * limit:  # an escaped character takes up to ten
        shown = shown[: len(shown) // 2]
    return repr(shown) if shown == text else f"{shown!r}…"


def check_length(text: str, error: type[LudusError], limit: int = 1000) -> str:
    """The text itself, or an error if it is too long to be worth parsing."""
    if len(text) > limit:
        raise error(f"{quoted(text)} is {len(text)} characters long; at most {limit} are read")
    return text
