"""The moves of a game record, with comments and variations, and how they are written."""

import re
from dataclasses import dataclass

from ludus.core.errors import BadRecord, quoted

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The first side won, the second side won, a draw, and a game without an end."""

MAX_DEPTH = 50
"""How deeply variations may lie within variations."""

WIDTH = 80
"""Lines of text are broken here, but never within a move or a comment."""

NUMBER = r"[0-9]+\.(?:\.\.)?"
"""Digits with one dot or three, so that dice (`31`) are not taken for a move number."""

MOVE = r'[^\s(){}\[\]"]+(?:\([0-9]+\)[^\s(){}\[\]"]*)*'
"""Anything without spaces and brackets, but for a number in parentheses, as in `8/5(2)`."""

WRITABLE = re.compile(f"(?!{NUMBER}){MOVE}")


@dataclass(frozen=True, slots=True)
class Node:
    """A move, what is said about it, and what could have been played instead."""

    move: str
    """The move as its game writes it."""

    comment: str = ""
    """A remark behind the move."""

    variations: tuple["Line", ...] = ()
    """Other ways to go on from the position before this move."""

    def __post_init__(self) -> None:
        written = written_move(self.move)
        if "," in self.move or written in RESULTS or not WRITABLE.fullmatch(written):
            raise BadRecord(f"{quoted(self.move)} cannot be written as a move of a record")
        if not all(line.moves for line in self.variations):
            raise BadRecord(f"a variation to the move {quoted(self.move)} has no moves")


@dataclass(frozen=True, slots=True)
class Line:
    """Moves in a row: those of the game itself, or those of a variation."""

    moves: tuple[Node, ...] = ()

    comment: str = ""
    """A remark before the first move."""


def check_depth(line: Line) -> None:
    """Variations must be shallow enough to be followed by recursion."""
    waiting = [(line, 0)]
    while waiting:
        line, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise BadRecord(f"variations lie more than {MAX_DEPTH} deep in each other")
        waiting.extend((inner, depth + 1) for node in line.moves for inner in node.variations)


def move_number(ply: int) -> str:
    """The number before a move.

    >>> move_number(0), move_number(1), move_number(2)
    ('1.', '1...', '2.')
    """
    return f"{ply // 2 + 1}{'...' if ply % 2 else '.'}"


def written_move(move: str) -> str:
    """A move as one word."""
    return move.replace(" ", ",")


def read_move(word: str) -> str:
    """The move that a word stands for."""
    return word.replace(",", " ")


def escaped(text: str, special: str) -> str:
    """The text with backslashes before these characters and before backslashes."""
    return re.sub(f"[{re.escape(special)}\\\\]", r"\\\g<0>", text)


def unescaped(text: str) -> str:
    """The text that was escaped; a backslash before any other character stands for itself."""
    return re.sub(r'\\([\\"{}])', r"\1", text)


def words(line: Line, first_ply: int) -> list[str]:
    """A line in pieces that must not be torn apart; a number stands where one may lose count."""
    found = [_braced(line.comment)] if line.comment else []
    is_number_due = True
    for ply, node in enumerate(line.moves, first_ply):
        number = f"{move_number(ply)} " if is_number_due or ply % 2 == 0 else ""
        found.append(number + written_move(node.move))
        if node.comment:
            found.append(_braced(node.comment))
        for variation in node.variations:
            inner = words(variation, ply)
            inner[0] = f"({inner[0]}"
            inner[-1] = f"{inner[-1]})"
            found += inner
        is_number_due = bool(node.comment or node.variations)
    return found


def _braced(comment: str) -> str:
    return f"{{{escaped(comment, '{}')}}}"


def filled(pieces: list[str]) -> str:
    """The pieces in lines of at most WIDTH characters, as far as the pieces allow."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return "\n".join(lines)
