"""Batches of backgammon boards: rows, afterstates of all legal moves, and written moves.

A row has 52 counts: the mover's men on places 0 (off) to 25 (bar), then the other side's men on the
same places, as the mover counts them.
"""

import re
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadMove, check_length, quote
from ludus.games.backgammon.board import BAR, OFF, Move, View, make_board, make_view
from ludus.games.backgammon.position import Position

BoardRow = NDArray[np.int8]
"""One board, shape (52,), or several, shape (boards, 52)."""

NUM_PLACES = 26


def position_to_row(position: Position) -> BoardRow:
    """Return the board as the side whose turn it is counts it; shape (52,)."""
    view = make_view(position.board, position.turn)
    return np.array(view.own + view.other, dtype=np.int8)


def row_to_view(row: BoardRow) -> View:
    """Convert a row to a view."""
    men = tuple(int(count) for count in row)
    return View(men[:NUM_PLACES], men[NUM_PLACES:])


def row_to_position(row: BoardRow, dice: tuple[int, int] | None) -> Position:
    """Return the position in which side 0 has this view and these dice."""
    return Position(*make_board(row_to_view(row), 0), turn=0, dice=dice, engine="native")


def generate_afterstates(position: Position) -> BoardRow:
    """Return the boards after each legal move, in the order of `legal_moves`; shape (moves, 52)."""
    assert position.dice is not None
    from ludus._native import gammon

    return gammon.plays(position_to_row(position)[None], *position.dice)


PLACE_PATTERN: Final = r"(?:bar|off|[0-9]{1,2})"
PART_PATTERN: Final = re.compile(
    rf"({PLACE_PATTERN}(?:\*?/{PLACE_PATTERN})+\*?)(?:\(([2-4])\))?", re.ASCII
)
"""One man's path, with stars where he hits, and the number of men that take it."""


def parse_moves(texts: list[str], position: Position) -> list[Move]:
    """Parse legal moves, in the given order.

    Much faster than `Game.parse_move`, and stricter: every hit must have its star.
    """
    before = position_to_row(position)
    legal: list[Move] = position.legal_moves()  # type: ignore[assignment]
    by_end = {
        end.tobytes(): move for end, move in zip(generate_afterstates(position), legal, strict=True)
    }
    found = []
    for text in texts:
        move = by_end.get(apply_written_move(before, text).tobytes())
        if move is None:
            raise BadMove(f"{quote(text)} is not a legal move in {position}")
        found.append(move)
    return found


def apply_written_move(before: BoardRow, text: str) -> BoardRow:
    """Return the board after a written move, both as the mover counts them.

    It is not checked whether the steps are legal in any order.
    """
    end = before.copy()
    if check_length(text, BadMove) == "pass":
        return end
    for part in text.split():
        match = PART_PATTERN.fullmatch(part)
        if match is None:
            raise BadMove(f"{quote(text)} is not a move")
        stops = match[1].split("/")
        for _ in range(int(match[2] or 1)):
            for start, stop in pairwise(stops):
                _move_man(end, _parse_place(start), _parse_place(stop), text)
            for stop in stops[1:]:
                _apply_hit(end, _parse_place(stop), "*" in stop)
    return end


def _parse_place(name: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name.rstrip("*"))
    return int(name.rstrip("*")) if place is None else place


def _move_man(row: BoardRow, start: int, stop: int, text: str) -> None:
    if not (OFF <= stop < start <= BAR):
        raise BadMove(f"{quote(text)} is not a move")
    row[start] -= 1
    row[stop] += 1


def _apply_hit(row: BoardRow, place: int, has_star: bool) -> None:
    """Move a hit man to his bar; of several men on one path only the first hits."""
    if has_star and row[NUM_PLACES + place]:
        row[NUM_PLACES + place] -= 1
        row[NUM_PLACES + OFF] += 1
