"""The movetext of game records: moves with comments and variations, written and parsed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ludus.core.errors import MAX_TEXT, BadRecord, quote

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The first side won, the second side won, a draw, and an unfinished game."""

MAX_DEPTH = 50
"""Maximum nesting depth of variations."""

LINE_WIDTH = 80
"""Lines of text are broken here, but never within a move or a comment."""

NUMBER = r"[0-9]+\.(?:\.\.)?"
"""Digits with one dot or three, so that dice (`31`) are not parsed as a move number."""

MOVE = r'[^\s(){}\[\]"]+(?:\([0-9]+\)[^\s(){}\[\]"]*)*'
"""Text without spaces and brackets, except a number in parentheses, as in `8/5(2)`."""

WRITABLE = re.compile(f"(?!{NUMBER}){MOVE}")


@dataclass(frozen=True, slots=True)
class Node:
    """A move with its comment and the alternatives to it."""

    move: str
    """The move in its game's notation."""

    comment: str = ""
    """Comment after the move."""

    variations: tuple["Line", ...] = ()
    """Alternative continuations from the position before this move."""

    def __post_init__(self) -> None:
        written = format_move(self.move)
        if "," in self.move or written in RESULTS or not WRITABLE.fullmatch(written):
            raise BadRecord(f"{quote(self.move)} cannot be written as a move of a record")
        if not all(line.moves for line in self.variations):
            raise BadRecord(f"a variation to the move {quote(self.move)} has no moves")


@dataclass(frozen=True, slots=True)
class Line:
    """A sequence of moves: those of the game, or those of a variation."""

    moves: tuple[Node, ...] = ()

    comment: str = ""
    """Comment before the first move."""


def check_depth(line: Line) -> None:
    """Check that the nesting of variations is shallow enough for recursion."""
    waiting = [(line, 0)]
    while waiting:
        line, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise BadRecord(f"variations lie more than {MAX_DEPTH} deep in each other")
        waiting.extend((inner, depth + 1) for node in line.moves for inner in node.variations)


def format_move_number(ply: int) -> str:
    """Return the number that is written before a move.

    >>> format_move_number(0), format_move_number(1), format_move_number(2)
    ('1.', '1...', '2.')
    """
    return f"{ply // 2 + 1}{'...' if ply % 2 else '.'}"


def format_move(move: str) -> str:
    """Write a move as one word."""
    return move.replace(" ", ",")


def parse_move(word: str) -> str:
    """Parse the move that a word stands for."""
    return word.replace(",", " ")


def escape(text: str, special: str) -> str:
    """Escape these characters and backslashes with backslashes."""
    return re.sub(f"[{re.escape(special)}\\\\]", r"\\\g<0>", text)


def unescape(text: str) -> str:
    """Undo `escape`; a backslash before any other character stands for itself."""
    return re.sub(r'\\([\\"{}])', r"\1", text)


def format_words(line: Line, first_ply: int) -> list[str]:
    """Return a line as words that must not be split; a move number follows every interruption."""
    found = [_format_comment(line.comment)] if line.comment else []
    is_number_due = True
    for ply, node in enumerate(line.moves, first_ply):
        number = f"{format_move_number(ply)} " if is_number_due or ply % 2 == 0 else ""
        found.append(number + format_move(node.move))
        if node.comment:
            found.append(_format_comment(node.comment))
        for variation in node.variations:
            inner = format_words(variation, ply)
            inner[0] = f"({inner[0]}"
            inner[-1] = f"{inner[-1]})"
            found += inner
        is_number_due = bool(node.comment or node.variations)
    return found


def _format_comment(comment: str) -> str:
    return f"{{{escape(comment, '{}')}}}"


def wrap_words(pieces: list[str]) -> str:
    """Join the words to lines of at most LINE_WIDTH characters, as far as their lengths allow."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= LINE_WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return "\n".join(lines)


HEADER_NAME = r"[A-Za-z][A-Za-z0-9_]*"
"""Pattern of a header's name."""

TOKEN = re.compile(
    rf"""
      \[ \s* (?P<name> {HEADER_NAME} ) \s* " (?P<header> (?: [^"\\] | \\. )*+ ) " \s* \]
    | \{{ (?P<comment> (?: [^}}\\] | \\. )*+ ) \}}
    | (?P<number> {NUMBER} )
    | (?P<move> {MOVE} )
    | (?P<open> \( )
    | (?P<close> \) )
    """,
    re.VERBOSE | re.DOTALL,
)

MAX_DIGITS = 6
"""Maximum length of a move number."""


class ParsedGame(NamedTuple):
    """A game as parsed, before its headers are checked."""

    headers: dict[str, str]
    line: Line
    first_ply: int


def parse_games(text: str) -> Iterator[ParsedGame]:
    """Parse the games of a text one after the other.

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
            reader.add_token(token)
        except BadRecord as error:
            raise BadRecord(f"{_format_line_number(text, token.start())}: {error}") from error
    if reader.has_begun:
        yield reader.close()


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = _skip_space(text, 0)
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise BadRecord(
                f"{_format_line_number(text, at)}: {_describe_error(text[at : at + 100])}"
            )
        yield token
        at = _skip_space(text, token.end())


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _format_line_number(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


def _describe_error(rest: str) -> str:
    if rest.startswith("{"):
        return f"the comment {quote(rest, 24)} has no closing brace"
    if rest.startswith("["):
        return f'{quote(rest, 24)} is not a header such as [Game "hexapawn"]'
    return f"{quote(rest[0])} does not belong here"


@dataclass
class _OpenMove:
    """A move that may still get comments and variations."""

    move: str
    comments: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    def close(self) -> Node:
        return Node(self.move, _join_comments(self.comments), tuple(self.variations))


@dataclass
class _OpenLine:
    """A line that is still being parsed."""

    ply: int
    """Ply of the next move."""

    comments: list[str] = field(default_factory=list)
    moves: list[_OpenMove] = field(default_factory=list)

    def close(self) -> Line:
        return Line(tuple(move.close() for move in self.moves), _join_comments(self.comments))


def _join_comments(comments: list[str]) -> str:
    return " ".join(filter(None, comments))


class _GameReader:
    """Parser of one game, token by token; open variations are on a stack, the innermost on top."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.lines = [_OpenLine(ply=0)]
        self.first_ply: int | None = None
        self.has_begun = False
        self.is_complete = False

    @property
    def has_moves(self) -> bool:
        return bool(self.lines[0].moves)

    def add_token(self, token: re.Match[str]) -> None:
        self.has_begun = True
        match token.lastgroup:
            case "header":
                self._header(token["name"], unescape(token["header"]))
            case "comment":
                line = self.lines[-1]
                place = line.moves[-1].comments if line.moves else line.comments
                place.append(unescape(token["comment"]))
            case "number":
                self._number(token["number"])
            case "move":
                self._move(token["move"])
            case "open":
                self._open()
            case _:
                self._close_variation()

    def close(self) -> ParsedGame:
        """Return the game; no variation may be open."""
        if len(self.lines) > 1:
            raise BadRecord("a variation has no closing parenthesis")
        return ParsedGame(self.headers, self.lines[0].close(), self.first_ply or 0)

    def _header(self, name: str, value: str) -> None:
        if name in self.headers:
            raise BadRecord(f"header {name} is given twice")
        self.headers[name] = value

    def _number(self, number: str) -> None:
        digits = number.rstrip(".")
        if len(digits) > MAX_DIGITS or int(digits) == 0:
            raise BadRecord(f"{quote(number)} is not a move number")
        ply = 2 * (int(digits) - 1) + number.endswith("...")
        if self.first_ply is None and not self.has_moves:
            self.first_ply = self.lines[0].ply = ply
        elif ply != self.lines[-1].ply:
            raise BadRecord(
                f"{number} stands where {format_move_number(self.lines[-1].ply)} should"
            )

    def _move(self, word: str) -> None:
        if word in RESULTS:
            self._result(word)
        else:
            self.lines[-1].moves.append(_OpenMove(parse_move(word)))
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
