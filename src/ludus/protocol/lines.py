"""Lines out of a stream of bytes, however they come, without ever keeping much of one."""

from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """A line without its end."""

    text: str

    is_cut: bool = False
    """Whether it was longer than anybody wants to read; the text is how it begins."""


class LineSplitter:
    """Takes chunks of bytes and gives whole lines. Of a line that is too long it keeps the start.

    >>> splitter = LineSplitter(longest=10)
    >>> [line.text for line in splitter.feed(b"uci\\r\\nis")], [*splitter.feed(b"ready\\n")]
    (['uci'], [Line(text='isready', is_cut=False)])
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._kept = bytearray()
        self._is_cut = False

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that end in this chunk."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._keep(end)
            yield self._take()
        self._keep(rest)

    def end(self) -> Iterator[Line]:
        """What is left when the stream has ended."""
        if self._kept:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        room = self._longest - len(self._kept)
        self._kept += part[:room]
        self._is_cut |= len(part) > room

    def _take(self) -> Line:
        line = Line(self._kept.decode(errors="backslashreplace").strip(), self._is_cut)
        self._kept.clear()
        self._is_cut = False
        return line
