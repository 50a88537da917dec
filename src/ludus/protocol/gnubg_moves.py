"""Moves as GNU Backgammon writes them, found among the legal ones by the board they lead to."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ludus.core.errors import quoted
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import BAR, OFF
from ludus.players.tool.rows import PLACES, ends, row_of
from ludus.protocol.programs import ProgramFailed

if TYPE_CHECKING:
    from ludus.players.tool.rows import Row

PART: Final = re.compile(r"((?:bar|off|[0-9]{1,2})(?:\*?/(?:bar|off|[0-9]{1,2}))+\*?)(?:\(([2-4])\))?")
"""One man's way, with stars where he hits, and how many men go it."""


def moves_of(texts: Sequence[str], position: Position) -> list[Move]:
    """The legal moves that these texts stand for, in the same order."""
    before = row_of(position)
    legal = position.legal_moves()
    if len(legal) == 1:
        return [legal[0] for _ in texts]  # a pass is written in no particular way
    by_end = {end.tobytes(): move for end, move in zip(ends(position), legal, strict=True)}
    found = []
    for text in texts:
        move = by_end.get(end_of(before, text).tobytes())
        if move is None:
            raise ProgramFailed(f"gnubg plays {quoted(text)}, which is not legal in {position}")
        found.append(move)
    return found


def end_of(before: "Row", text: str) -> "Row":
    """The board after a move, both as the mover sees them."""
    end = before.copy()
    for part in text.split():
        match = PART.fullmatch(part)
        if match is None:
            raise ProgramFailed(f"gnubg writes {quoted(text)}, which is not a move")
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


def _walk(row: "Row", start: int, stop: int, text: str) -> None:
    if not (OFF <= stop < start <= BAR):
        raise ProgramFailed(f"gnubg writes {quoted(text)}, which is not a move")
    row[start] -= 1
    row[stop] += 1


def _hit(row: "Row", place: int, has_star: bool) -> None:
    """Send a man that was hit to his bar; of several men on one way only the first hits."""
    if has_star and row[PLACES + place]:
        row[PLACES + place] -= 1
        row[PLACES + OFF] += 1
