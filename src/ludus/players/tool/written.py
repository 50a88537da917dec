"""The board after a written move, without asking which of its orders is legal."""

import re
from itertools import pairwise
from typing import Final

from ludus.core.errors import BadMove, check_length, quoted
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import BAR, OFF
from ludus.players.tool.rows import PLACES, Row, ends, row_of

PLACE: Final = r"(?:bar|off|[0-9]{1,2})"
PART: Final = re.compile(rf"({PLACE}(?:\*?/{PLACE})+\*?)(?:\(([2-4])\))?", re.ASCII)
"""One man's way, with stars where he hits, and how many men go it."""


def moves_of(texts: list[str], position: Position) -> list[Move]:
    """The legal moves that these texts stand for, in the same order.

    Much faster than `Game.parse_move`, and stricter: every hit must carry its star.
    """
    before = row_of(position)
    legal: list[Move] = position.legal_moves()  # type: ignore[assignment]
    by_end = {end.tobytes(): move for end, move in zip(ends(position), legal, strict=True)}
    found = []
    for text in texts:
        move = by_end.get(end_of(before, text).tobytes())
        if move is None:
            raise BadMove(f"{quoted(text)} is not a legal move in {position}")
        found.append(move)
    return found


def end_of(before: Row, text: str) -> Row:
    """The board after a move, both as the mover sees them."""
    end = before.copy()
    if check_length(text, BadMove) == "pass":
        return end
    for part in text.split():
        match = PART.fullmatch(part)
        if match is None:
            raise BadMove(f"{quoted(text)} is not a move")
        stops = match[1].split("/")
        for _ in range(int(match[2] or 1)):
            for start, stop in pairwise(stops):
                _walk(end, _place(start), _place(stop), text)
            for stop in stops[1:]:
                _hit(end, _place(stop), "*" in stop)
    return end


def _place(name: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name.rstrip("*"))
    return int(name.rstrip("*")) if place is None else place


def _walk(row: Row, start: int, stop: int, text: str) -> None:
    if not (OFF <= stop < start <= BAR):
        raise BadMove(f"{quoted(text)} is not a move")
    row[start] -= 1
    row[stop] += 1


def _hit(row: Row, place: int, has_star: bool) -> None:
    """Send a man that was hit to his bar; of several men on one way only the first hits."""
    if has_star and row[PLACES + place]:
        row[PLACES + place] -= 1
        row[PLACES + OFF] += 1
