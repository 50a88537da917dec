"""States out of a stream of bytes, as the thesis's programs send them: 28 characters each.

The dialect `lines` has one state a line. `2018` is how the author's program of that year reads: it
takes 30 bytes and, of these, 28 from the first O, M or E on. So a state may have a line end behind
it, or two bytes before it that tell its length, as Java writes strings, or neither.
"""

from typing import Literal, Protocol, get_args

from ludus.core.errors import LudusError

Dialect = Literal["lines", "2018"]
DIALECTS: tuple[str, ...] = get_args(Dialect)

STATE = 28
LONGEST = 1000
"""Bytes without a state after which nobody waits for one."""


class Endless(LudusError):
    """More bytes have come than any state has, and no end is in sight."""


class States(Protocol):
    """Takes bytes as they come and gives what ought to be states."""

    def feed(self, chunk: bytes) -> None: ...

    def next(self) -> str | None:
        """The next text to be read as a state, or None while it is not complete; Endless."""

    def end(self) -> str | None:
        """What is left when nothing more will come, or None."""

    @property
    def has_begun(self) -> bool:
        """Whether a part of a state is there."""


class LineStates:
    """The dialect `lines`: whatever stands between two line ends.

    >>> states = LineStates()
    >>> states.feed(b"first\\r\\n\\nsec"), states.next(), states.next(), states.end()
    (None, 'first', None, 'sec')
    """

    def __init__(self) -> None:
        self._bytes = bytearray()

    @property
    def has_begun(self) -> bool:
        return bool(self._bytes)

    def feed(self, chunk: bytes) -> None:
        self._bytes += chunk

    def next(self) -> str | None:
        # Empty lines are nobody's state; people press Return.
        while (end := self._bytes.find(b"\n", 0, LONGEST + 1)) >= 0:
            line = self._bytes[:end]
            del self._bytes[: end + 1]
            if text := _text(line):
                return text
        if len(self._bytes) > LONGEST:
            raise Endless(f"a line is longer than {LONGEST} bytes")
        return None

    def end(self) -> str | None:
        rest = _text(self._bytes)
        self._bytes.clear()
        return rest or None


class States2018:
    """The dialect `2018`: 28 bytes from the first O, M or E on; what stands before does not count.

    >>> states = States2018()
    >>> states.feed(b"\\x00\\x1cOOOOOOOOOOOOOOOOOOOOOOOO9900\\r\\nOO")
    >>> states.next(), states.next(), states.end()
    ('OOOOOOOOOOOOOOOOOOOOOOOO9900', None, 'OO')
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._skipped = 0

    @property
    def has_begun(self) -> bool:
        return bool(self._bytes)

    def feed(self, chunk: bytes) -> None:
        self._bytes += chunk

    def next(self) -> str | None:
        first = next((place for place, byte in enumerate(self._bytes) if byte in b"OME"), None)
        before = len(self._bytes) if first is None else first
        del self._bytes[:before]
        self._skipped += before
        if self._skipped > LONGEST:
            raise Endless(f"more than {LONGEST} bytes have come without an O, M or E")
        # A line that ends too early is wrong by itself and must not swallow the next state.
        broken = self._bytes.find(b"\n", 0, STATE)
        length = STATE if broken < 0 else broken
        if len(self._bytes) < length:
            return None
        text = _text(self._bytes[:length])
        del self._bytes[:length]
        self._skipped = 0
        return text

    def end(self) -> str | None:
        rest = _text(self._bytes)
        self._bytes.clear()
        return rest or None


def states(dialect: Dialect) -> States:
    """What reads a dialect."""
    return States2018() if dialect == "2018" else LineStates()


def _text(line: bytes | bytearray) -> str:
    return bytes(line).decode("ascii", "backslashreplace").strip("\r\n \t")
