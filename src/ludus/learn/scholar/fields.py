"""What the scholar sees of a position: men, lines, threats and room to move.

One row of numbers for each position, as the side to move sees it:

| columns | meaning |
|---|---|
| 24 + 24 | the mover's men; the other side's |
| 16 x 10 | for each line, one of ten: how many men of each side stand on it |
| 24 + 24 | points where the mover could close a mill now; where the other side could |
| 24 + 24 | free points beside each man of the mover, in quarters; of the other side |
| 10 + 10 | men in hand, the mover's and the other side's, one of ten |
| 10 + 10 | men on the board, the same way |

The sixteen symmetries move columns about: `MOVED`. Written for numpy and torch alike, because a
GPU makes its own examples.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import mills, neighbours
from ludus.learn.symmetric.group import LINES, ORDER, POINTS, Permutations, fixed, joined

NUM_POINTS = 24
LINE_STATES = [(own, other) for own in range(4) for other in range(4 - own)]
COUNTS = 10
"""None to nine men."""

FLYING = 3


def _line_columns() -> Permutations:
    """Ten columns for each line, side by side."""
    tens = np.arange(len(LINE_STATES))
    return (LINES[:, :, None] * len(tens) + tens).reshape(ORDER, -1)


MOVED: Permutations = joined(
    POINTS, POINTS, _line_columns(), POINTS, POINTS, POINTS, POINTS, fixed(4 * COUNTS)
)
"""What each symmetry makes of the columns."""

WIDTH = MOVED.shape[1]


@dataclass(frozen=True)
class Board:
    """The board as matrices, so that one product answers for all lines of all positions."""

    lines: Any
    """(24, 16): which points are on which line."""

    two: Any
    """(24, 48): for each place on each line, the two other points of the line."""

    beside: Any
    """(24, 48): the points beside that place from which a man could come to close the line."""

    place: Any
    """(48, 24): which point that place is."""

    near: Any
    """(24, 24): which points are neighbours."""

    states: Any
    """(16, 10): from 4 * own + other men on a line to one of ten."""

    counts: Any
    """(10, 10): one of ten."""

    bits: Any
    """(24,): the numbers of the points."""

    @classmethod
    def made(cls) -> Self:
        lines = mills(diagonals=False)
        places = [(line, point) for line in lines for point in line]
        states = np.zeros((16, len(LINE_STATES)))
        for number, (own, other) in enumerate(LINE_STATES):
            states[4 * own + other, number] = 1
        near = neighbours(diagonals=False)
        return cls(
            _matrix([set(line) for line in lines]),
            _matrix([set(line) - {point} for line, point in places]),
            _matrix([set(near[point]) - set(line) for line, point in places]),
            _matrix([{point} for _, point in places]).T,
            _matrix([set(points) for points in near]),
            states.astype(np.float32),
            np.eye(COUNTS, dtype=np.float32),
            np.arange(NUM_POINTS),
        )


@cache
def board() -> Board:
    return Board.made()


def fields(own: Any, other: Any, own_hand: Any, other_hand: Any, on: Board) -> list[Any]:
    """The columns, kind by kind, each (positions, columns); boards and hands as signed integers."""
    mine = _men(own, on)
    theirs = _men(other, on)
    free = 1 - mine - theirs
    my_lines, their_lines = mine @ on.lines, theirs @ on.lines
    my_men, their_men = mine.sum(1), theirs.sum(1)
    return [
        mine,
        theirs,
        on.states[_index(4 * my_lines + their_lines)].reshape(len(own), -1),
        _closable(mine, free, (own_hand > 0) | (my_men <= FLYING), on),
        _closable(theirs, free, (other_hand > 0) | (their_men <= FLYING), on),
        mine * (free @ on.near) / 4,
        theirs * (free @ on.near) / 4,
        on.counts[_index(own_hand)],
        on.counts[_index(other_hand)],
        on.counts[_index(my_men)],
        on.counts[_index(their_men)],
    ]


def encoded(
    own: NDArray[Any], other: NDArray[Any], own_hand: NDArray[Any], other_hand: NDArray[Any]
) -> NDArray[np.float32]:
    """(positions, WIDTH) in numpy."""
    men = own.astype(np.int64), other.astype(np.int64)
    hands = own_hand.astype(np.int64), other_hand.astype(np.int64)
    return np.concatenate(fields(*men, *hands, on=board()), axis=1)


def _closable(men: Any, free: Any, anywhere: Any, on: Board) -> Any:
    """Points where a side could close a mill: two men wait there, and a third can come."""
    waiting = (men @ on.two == 2) & (free @ on.place.T > 0)
    coming = (men @ on.beside > 0) | anywhere[:, None]
    return _number(_number(waiting & coming, men) @ on.place > 0, men)


def _men(boards: Any, on: Board) -> Any:
    return _number((boards[:, None] >> on.bits) & 1, on.lines)


def _number(array: Any, like: Any) -> Any:
    """An array in the type of another, in numpy and torch."""
    return array.astype(like.dtype) if isinstance(array, np.ndarray) else array.to(like.dtype)


def _index(array: Any) -> Any:
    return array.astype(np.int64) if isinstance(array, np.ndarray) else array.long()


def _matrix(columns: list[set[int]]) -> NDArray[np.float32]:
    """A column of ones and zeros for each set of points."""
    found = np.zeros((NUM_POINTS, len(columns)), dtype=np.float32)
    for number, points in enumerate(columns):
        found[list(points), number] = 1
    return found
