"""Errors that a user can cause; each message is one line that says what is wrong and where."""

MAX_TEXT = 1_000_000
"""Longest text that any parser accepts, in characters; game records are the longest."""


class LudusError(Exception):
    """Error in a user's request. The command line prints it and exits with status 2."""


class UnknownName(LudusError):
    """No game, player, preset or option has this name."""


class BadSpec(LudusError):
    """A spec string such as `hexapawn:size=4` is malformed, or a value in it is out of range."""


class BadPosition(LudusError):
    """A text is not a position of this game."""


class BadMove(LudusError):
    """A text is not a move, or the move is not legal here."""


class BadArgument(LudusError, TypeError):
    """A function was called with something of the wrong kind, such as a text for a game."""


class BadRecord(LudusError):
    """A text is not a game record, or its moves cannot be played."""


def quote(text: str, limit: int = 48) -> str:
    """Return the text escaped, and shortened when it is long, for a one-line message.

    >>> quote("a\\nb")
    "'a\\\\nb'"
    """
    start = text[:limit]
    while len(repr(start)) > 2 * limit:  # an escaped character takes up to ten
        start = start[: len(start) // 2]
    return repr(start) if start == text else f"{start!r}…"


def quote_value(value: object) -> str:
    """Return any value for a one-line message: a text quoted, anything else as `repr`.

    >>> quote_value("a"), quote_value(1.5)
    ("'a'", '1.5')
    """
    return quote(value) if isinstance(value, str) else to_one_line(repr(value), 60)


def to_one_line(text: str, limit: int | None = None) -> str:
    """Return a text as one printable line, shortened when it is longer than the limit.

    >>> to_one_line("two\\n lines\\x1b", 9)
    'two lines…'
    """
    line = " ".join(text.split())
    printable = "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)
    return printable if limit is None or len(printable) <= limit else f"{printable[:limit]}…"


def check_length(text: str, error: type[LudusError], limit: int = 1000) -> str:
    """Return the text; raise the error if it is longer than the limit."""
    if len(text) > limit:
        raise error(f"{quote(text)} is {len(text)} characters long; at most {limit} are read")
    return text


class LudusWarning(UserWarning):
    """Something was left out that the user may miss; the program goes on."""


class BadDatabase(LudusError):
    """A folder or file of solved values is missing, damaged, or not the requested one."""


class CannotSolve(LudusError):
    """The solver does not support a game, its rules, or this machine."""


class CannotWrite(LudusError):
    """A file cannot be written: the disk is full, the folder is in use or not writable."""


class BadDataset(LudusError):
    """A file is not a dataset, or some of its lines are malformed."""


class CannotFetch(LudusError):
    """Published data could not be downloaded, or differs from what was published."""
