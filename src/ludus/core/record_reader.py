"""Reading game records: from text to tokens, from tokens to headers and lines of moves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ludus.core.errors import MAX_TEXT, BadRecord, quoted
from ludus.core.record_line import (
    MAX_DEPTH,
    MOVE,
    NUMBER,
    RESULTS,
    Line,
    Node,
    move_number,
    read_move,
    unescaped,
)

NAME = r"[A-Za-z][A-Za-z0-9_]*"
"""What a header may be called."""

TOKEN = re.compile(
    rf"""
      \[ \s* (?P<name> {NAME} ) \s* " (?P<header> (?: [^"\\] | \\. )*+ ) " \s* \]
    | \{{ (?P<comment> (?: [^}}\\] | \\. )*+ ) \}}
    | (?P<number> {NUMBER} )
    | (?P<move> {MOVE} )
    | (?P<open> \( )
    | (?P<close> \) )
    """,
    re.VERBOSE | re.DOTALL,
)

MAX_DIGITS = 6
"""No game of ours needs longer move numbers."""


class RawGame(NamedTuple):
    """One game as it was read, before anyone asked whether its headers make sense."""

    headers: dict[str, str]
    line: Line
    first_ply: int


def read_games(text: str) -> Iterator[RawGame]:
    """The games in a text, one behind the other.

    A game ends with its result, or where the headers of the next one begin.
    """
    reader, begin = _GameReader(), 0
    for token in _tokens(text):
        try:
            if reader.is_complete or (token.lastgroup == "header" and reader.has_moves):
                yield reader.close()
                reader, begin = _GameReader(), token.start()
            if token.end() - begin > MAX_TEXT:
                raise BadRecord(f"a game may have at most {MAX_TEXT} characters")
            reader.take(token)
        except BadRecord as error:
            raise BadRecord(f"{_where(text, token.start())}: {error}") from error
    if reader.has_begun:
        yield reader.close()


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = _skip_space(text, 0)
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise BadRecord(f"{_where(text, at)}: {_complaint(text[at : at + 100])}")
        yield token
        at = _skip_space(text, token.end())


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


def _complaint(rest: str) -> str:
    if rest.startswith("{"):
        return f"the comment {quoted(rest, 24)} has no closing brace"
    if rest.startswith("["):
        return f'{quoted(rest, 24)} is not a header such as [Game "hexapawn"]'
    return f"{quoted(rest[0])} does not belong here"


@dataclass
class _OpenMove:
    """A move behind which comments and variations may still come."""

    move: str
    comments: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    def close(self) -> Node:
        return Node(self.move, _joined(self.comments), tuple(self.variations))


@dataclass
class _OpenLine:
    """A line that is still being read."""

    ply: int
    """That of the next move."""

    comments: list[str] = field(default_factory=list)
    moves: list[_OpenMove] = field(default_factory=list)

    def close(self) -> Line:
        return Line(tuple(move.close() for move in self.moves), _joined(self.comments))


def _joined(comments: list[str]) -> str:
    return " ".join(filter(None, comments))


class _GameReader:
    """One game, token by token. Variations that are open lie on a stack, the innermost on top."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.lines = [_OpenLine(ply=0)]
        self.first_ply: int | None = None
        self.has_begun = False
        self.is_complete = False

    @property
    def has_moves(self) -> bool:
        return bool(self.lines[0].moves)

    def take(self, token: re.Match[str]) -> None:
        self.has_begun = True
        match token.lastgroup:
            case "header":
                self._header(token["name"], unescaped(token["header"]))
            case "comment":
                line = self.lines[-1]
                place = line.moves[-1].comments if line.moves else line.comments
                place.append(unescaped(token["comment"]))
            case "number":
                self._number(token["number"])
            case "move":
                self._move(token["move"])
            case "open":
                self._open()
            case _:
                self._close_variation()

    def close(self) -> RawGame:
        """The whole game, once no variation is open."""
        if len(self.lines) > 1:
            raise BadRecord("a variation has no closing parenthesis")
        return RawGame(self.headers, self.lines[0].close(), self.first_ply or 0)

    def _header(self, name: str, value: str) -> None:
        if name in self.headers:
            raise BadRecord(f"header {name} is given twice")
        self.headers[name] = value

    def _number(self, number: str) -> None:
        digits = number.rstrip(".")
        if len(digits) > MAX_DIGITS or int(digits) == 0:
            raise BadRecord(f"{quoted(number)} is not a move number")
        ply = 2 * (int(digits) - 1) + number.endswith("...")
        if self.first_ply is None and not self.has_moves:
            self.first_ply = self.lines[0].ply = ply
        elif ply != self.lines[-1].ply:
            raise BadRecord(f"{number} stands where {move_number(self.lines[-1].ply)} should")

    def _move(self, word: str) -> None:
        if word in RESULTS:
            self._result(word)
        else:
            self.lines[-1].moves.append(_OpenMove(read_move(word)))
            self.lines[-1].ply += 1

    def _result(self, result: str) -> None:
        if len(self.lines) > 1:
            raise BadRecord(f"the result {result} stands in a variation")
        if result != self.headers.get("Result", result):
            raise BadRecord(f"the result {result} is not that of the header Result")
        if result != "*":
            self.headers["Result"] = result
        self.is_complete = True

    def _open(self) -> None:
        if not self.lines[-1].moves:
            raise BadRecord("a variation stands before the move it could replace")
        if len(self.lines) > MAX_DEPTH:
            raise BadRecord(f"variations lie more than {MAX_DEPTH} deep in each other")
        self.lines.append(_OpenLine(self.lines[-1].ply - 1))

    def _close_variation(self) -> None:
        if len(self.lines) == 1:
            raise BadRecord("a closing parenthesis has no opening one")
        line = self.lines.pop()
        if not line.moves:
            raise BadRecord("a variation has no moves")
        self.lines[-1].moves[-1].variations.append(line.close())
