"""The sixteen lines of the board, each as one of ten: how many men of each side stand on it."""

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import mills
from ludus.oracle.men import num_men

Boards = NDArray[np.uint32]

STATES = tuple((own, other) for own in range(4) for other in range(4 - own))
"""Men of the mover and of the enemy."""

_MASKS = np.array([sum(1 << point for point in mill) for mill in mills(diagonals=False)], np.uint32)

NUM_LINES = len(_MASKS)
WIDTH = NUM_LINES * len(STATES)


def _one_of() -> NDArray[np.uint8]:
    """Shape (16, 10): row 4 * own + other; rows that cannot be are zeros."""
    rows = np.zeros((16, len(STATES)), dtype=np.uint8)
    for number, (own, other) in enumerate(STATES):
        rows[4 * own + other, number] = 1
    return rows


_ONE_OF = _one_of()


def line_states(own: Boards, other: Boards) -> NDArray[np.uint8]:
    """Shape (boards, 160): ten columns for each line, of which one is 1."""
    mine, yours = (num_men(men[:, None] & _MASKS) for men in (own, other))
    found: NDArray[np.uint8] = _ONE_OF[4 * mine + yours].reshape(len(own), WIDTH)
    return found
