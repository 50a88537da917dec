"""Boards as rows of 52 numbers, which is how compiled code takes many of them at once.

A row holds the mover's men on places 0 (off) to 25 (bar) and then the other side's on the same
places, as the mover counts them.
"""

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import View, board_of, view_of

Row = NDArray[np.int8]
"""One board, shape (52,), or several, shape (boards, 52)."""

PLACES = 26
WIDTH = 2 * PLACES


def row_of(position: Position) -> Row:
    """The board of a position as the side whose turn it is sees it; shape (52,)."""
    view = view_of(position.board, position.turn)
    return np.array(view.own + view.their, dtype=np.int8)


def view_of_row(row: Row) -> View:
    """The view that a row holds."""
    men = tuple(int(count) for count in row)
    return View(men[:PLACES], men[PLACES:])


def position_of_row(row: Row, dice: tuple[int, int] | None) -> Position:
    """The position in which side 0 has this view and these dice."""
    return Position(*board_of(view_of_row(row), 0), turn=0, dice=dice, engine="native")


def ends(position: Position) -> Row:
    """The boards after each legal move, in the order of `legal_moves`; shape (moves, 52)."""
    assert position.dice is not None
    return gammon.plays(row_of(position)[None], *position.dice)
