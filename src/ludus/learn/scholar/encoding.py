"""Features of positions, and the expert network that is used for each.

Each position is one row of numbers, from the mover's perspective:

| columns | meaning |
|---|---|
| 24 + 24 | the mover's men; the other side's |
| 16 x 10 | for each line, one-hot: the numbers of men of each side on it |
| 24 + 24 | points where the mover could close a mill now; where the other side could |
| 24 + 24 | free points beside each man of the mover, in quarters; of the other side |
| 10 + 10 | men in hand, the mover's and the other side's, one-hot |
| 10 + 10 | men on the board, likewise |

The sixteen symmetries permute the columns: `FEATURE_PERMUTATIONS`. The functions work on numpy and
torch arrays alike, because a GPU makes its own examples.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.games.nine_mens_morris.board import NUM_POINTS, mills, neighbours
from ludus.learn.equivariant.group import (
    LINE_STATE_PERMUTATIONS,
    ONE_HOT_LINE_STATES,
    POINT_PERMUTATIONS,
    Permutations,
    concatenate_permutations,
    trivial_permutations,
)

MEN_PER_SIDE = 9
NUM_COUNTS = 1 + MEN_PER_SIDE
FLYING_MEN = 3

FEATURE_PERMUTATIONS: Permutations = concatenate_permutations(
    POINT_PERMUTATIONS,
    POINT_PERMUTATIONS,
    LINE_STATE_PERMUTATIONS,
    POINT_PERMUTATIONS,
    POINT_PERMUTATIONS,
    POINT_PERMUTATIONS,
    POINT_PERMUTATIONS,
    trivial_permutations(4 * NUM_COUNTS),
)
"""Permutation of the columns by each symmetry."""

NUM_FEATURES = FEATURE_PERMUTATIONS.shape[1]


@dataclass(frozen=True)
class BoardMatrices:
    """The board as matrices, so that one product evaluates all lines of all positions."""

    lines: Any
    """(24, 16): whether a point is on a line."""

    line_partners: Any
    """(24, 48): for each place on each line, the two other points of the line."""

    adjacent: Any
    """(24, 48): the neighbours of that place from which a man could close the line."""

    line_points: Any
    """(48, 24): the point of that place."""

    neighbours: Any
    """(24, 24): whether points are neighbours."""

    states: Any
    """(16, 10): one-hot code of 4 * own + other men on a line."""

    counts: Any
    """(10, 10): one-hot code of a count."""

    bits: Any
    """(24,): point numbers."""

    @classmethod
    def build(cls) -> Self:
        lines = mills(diagonals=False)
        places = [(line, point) for line in lines for point in line]
        near = neighbours(diagonals=False)
        return cls(
            _indicator_matrix([set(line) for line in lines]),
            _indicator_matrix([set(line) - {point} for line, point in places]),
            _indicator_matrix([set(near[point]) - set(line) for line, point in places]),
            _indicator_matrix([{point} for _, point in places]).T,
            _indicator_matrix([set(points) for points in near]),
            ONE_HOT_LINE_STATES.astype(np.float32),
            np.eye(NUM_COUNTS, dtype=np.float32),
            np.arange(NUM_POINTS),
        )


@cache
def board_matrices() -> BoardMatrices:
    """Return the matrices of the board, computed once."""
    return BoardMatrices.build()


def compute_features(positions: PositionBatch, matrices: BoardMatrices) -> list[Any]:
    """Return the features, kind by kind, each (positions, columns), of numpy or torch columns."""
    own_hand, other_hand = positions.own_hand, positions.other_hand
    mine = _unpack_men(positions.own, matrices)
    theirs = _unpack_men(positions.other, matrices)
    free = 1 - mine - theirs
    my_lines, their_lines = mine @ matrices.lines, theirs @ matrices.lines
    my_men, their_men = mine.sum(1), theirs.sum(1)
    return [
        mine,
        theirs,
        matrices.states[_as_index(4 * my_lines + their_lines)].reshape(len(positions), -1),
        _closable_mills(mine, free, (own_hand > 0) | (my_men <= FLYING_MEN), matrices),
        _closable_mills(theirs, free, (other_hand > 0) | (their_men <= FLYING_MEN), matrices),
        mine * (free @ matrices.neighbours) / 4,
        theirs * (free @ matrices.neighbours) / 4,
        matrices.counts[_as_index(own_hand)],
        matrices.counts[_as_index(other_hand)],
        matrices.counts[_as_index(my_men)],
        matrices.counts[_as_index(their_men)],
    ]


def encode(positions: PositionBatch) -> NDArray[np.float32]:
    """Encode positions in numpy as (positions, NUM_FEATURES)."""
    return np.concatenate(compute_features(positions, board_matrices()), axis=1)


def _closable_mills(men: Any, free: Any, anywhere: Any, matrices: BoardMatrices) -> Any:
    """Return the points where a side could close a mill: two men are there and a third can come."""
    waiting = (men @ matrices.line_partners == 2) & (free @ matrices.line_points.T > 0)
    coming = (men @ matrices.adjacent > 0) | anywhere[:, None]
    return _cast_like(_cast_like(waiting & coming, men) @ matrices.line_points > 0, men)


def _unpack_men(boards: Any, matrices: BoardMatrices) -> Any:
    return _cast_like((boards[:, None] >> matrices.bits) & 1, matrices.lines)


def _cast_like(array: Any, like: Any) -> Any:
    """Cast an array to the dtype of another, in numpy and torch."""
    return array.astype(like.dtype) if isinstance(array, np.ndarray) else array.to(like.dtype)


def _as_index(array: Any) -> Any:
    return array.astype(np.int64) if isinstance(array, np.ndarray) else array.long()


def _indicator_matrix(columns: list[set[int]]) -> NDArray[np.float32]:
    """Return a 0/1 matrix with a column for each set of points."""
    matrix = np.zeros((NUM_POINTS, len(columns)), dtype=np.float32)
    for number, points in enumerate(columns):
        matrix[list(points), number] = 1
    return matrix


HAND_LIMITS = (13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
"""Thresholds of men in hand while placing: expert 0 is for more than the first, expert 1 for more
than the second, and so on; the last is for the rest."""

BOARD_LIMITS = (17, 16, 15, 14, 13, 12, 11, 10)
"""The same for men on the board while moving."""

MAX_FEW_MEN = 5
"""Against three flying men: up to this number of men is one kind, more is another."""

FIRST_MOVING_EXPERT = len(HAND_LIMITS) + 1
"""The first expert of the moving phase; those before it are for placing."""
FIRST_FLYING_EXPERT = FIRST_MOVING_EXPERT + len(BOARD_LIMITS) + 1
"""The first expert of positions in which a side flies."""
NUM_EXPERTS = FIRST_FLYING_EXPERT + 5


def select_expert(own_hand: int, other_hand: int, own_men: int, other_men: int) -> int:
    """Return the expert number for these counts, from the mover's perspective.

    Each kind of position, given by men in hand and on the board, has a network of its own. A
    position is evaluated by one network only, so more networks take no more time in play. Kinds are
    narrow where values are hard to predict (at the end of placing, and with many men on the board)
    and wide elsewhere.
    """
    in_hand, on_board = own_hand + other_hand, own_men + other_men
    if in_hand:
        return sum(in_hand <= limit for limit in HAND_LIMITS)
    if own_men > 3 and other_men > 3:
        return FIRST_MOVING_EXPERT + sum(on_board <= limit for limit in BOARD_LIMITS)
    if own_men <= 3 and other_men <= 3:
        return FIRST_FLYING_EXPERT
    size = 1 if on_board - 3 <= MAX_FEW_MEN else 2
    return FIRST_FLYING_EXPERT + size + (0 if own_men <= 3 else 2)


@cache
def expert_table() -> NDArray[np.int64]:
    """Return `select_expert` for all counts: own hand, other hand, own men, other men."""
    table = np.empty((10, 10, 10, 10), dtype=np.int64)
    for counts in np.ndindex(table.shape):
        table[counts] = select_expert(*counts)
    return table


def select_experts(positions: PositionBatch, table: Array) -> Array:
    """Apply `select_expert` to all positions; `table` is the expert table."""
    own_men, other_men, own_hand, other_hand = map(_as_index, positions.counts)
    return table[own_hand, other_hand, own_men, other_men]
