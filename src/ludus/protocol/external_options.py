"""How an engine of somebody else is started, and what it is allowed."""

import shlex
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from ludus.core.errors import BadSpec, quoted


@dataclass(frozen=True, slots=True)
class Options:
    """Limits of a move, of which the first one reached stops the search, and how to talk.

    In texts a comma is written `%2C`, and a percent sign before two hexadecimal digits `%25`.
    """

    cmd: str = ""
    """The program and its arguments, quoted as in a shell; no shell is started."""

    time: float | None = None
    """Seconds for a move; one second if there is no limit at all."""

    nodes: int | None = None
    """Positions to visit."""

    depth: int | None = None
    """Plies to look ahead."""

    options: str = ""
    """What is set at the start: `MultiPV=3;Hash=64`."""

    startup: float = 10.0
    """Seconds until the program must have said `uciok`, and until `readyok` before a game."""

    patience: float = 2.0
    """Seconds beyond the time of a move before the program is ended."""

    longest: float = 300.0
    """Seconds for a move that has no limit in time."""

    captures: Literal["suffix", "token"] = "suffix"
    """Whether a man that is taken is told as `d6-d7xa1` or as two moves, `d6-d7 xa1`."""

    fen: Literal["ludus", "sanmill"] = "ludus"
    """How positions of the Morris family are told."""

    def __post_init__(self) -> None:
        for name, least in (("startup", 0.01), ("patience", 0.0), ("longest", 0.01)):
            if not least <= getattr(self, name) <= 1_000_000:
                raise BadSpec(f"external {name} must be from {least:g} to 1000000")
        for name in ("time", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 10**15:
                raise BadSpec(f"external {name}={value} must be more than 0 and at most 10^15")
        if self.time is not None and self.time > 1_000_000:
            raise BadSpec(f"external time={self.time} must be at most 1000000")
        for _ in self.pairs:
            pass
        if self.cmd:
            self.command  # noqa: B018 - says what is wrong with it

    @property
    def command(self) -> list[str]:
        """The program and its arguments.

        >>> Options(cmd="engine --x=1%2C2 'a b'").command
        ['engine', '--x=1,2', 'a b']
        """
        text = unquote(self.cmd)
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise BadSpec(f"external cmd={quoted(text)}: {error}") from None
        if not words or "\0" in text:
            raise BadSpec(f"external cmd={quoted(text)} names no program")
        return words

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of what is set at the start.

        >>> Options(options="MultiPV=3;Rules=men=9%2Cflying=no").pairs
        [('MultiPV', '3'), ('Rules', 'men=9,flying=no')]
        """
        found = []
        for part in filter(None, self.options.split(";")):
            name, equals, value = (unquote(text).strip() for text in part.partition("="))
            if not name or not equals or not (name + value).isprintable():
                raise BadSpec(f"external options: {quoted(part)} is not name=value")
            found.append((name, value))
        return found
