"""Which of the scholar's networks judges a position: by the men in hand and on the board.

A position's kind says much about what matters in it, so each kind has a network of its own that
need not know the others. One position asks one network only: more networks cost no time in play.
Kinds are narrow where the values are hard to tell, at the end of placing and with many men on
the board, and wide where they are easy.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

HANDS = (13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
"""While placing: a kind for more men in hand than the first of these, one for more than the
second, and so on, and one for the last."""

MEN = (17, 16, 15, 14, 13, 12, 11, 10)
"""While moving: the same for men on the board."""

FEW = 5
"""Against three men that fly: up to so many men are one kind, more are another."""

FIRST_MOVING = len(HANDS) + 1
FIRST_FLYING = FIRST_MOVING + len(MEN) + 1
NUM_EXPERTS = FIRST_FLYING + 5


def expert_of(own_hand: int, other_hand: int, own_men: int, other_men: int) -> int:
    """The number of the network that judges a position with these men, as the mover sees it."""
    in_hand, on_board = own_hand + other_hand, own_men + other_men
    if in_hand:
        return sum(in_hand <= limit for limit in HANDS)
    if own_men > 3 and other_men > 3:
        return FIRST_MOVING + sum(on_board <= limit for limit in MEN)
    if own_men <= 3 and other_men <= 3:
        return FIRST_FLYING
    size = 1 if on_board - 3 <= FEW else 2
    return FIRST_FLYING + size + (0 if own_men <= 3 else 2)


@cache
def table() -> NDArray[np.int64]:
    """`expert_of` for all numbers of men, by own hand, other hand, own men, other men."""
    found = np.empty((10, 10, 10, 10), dtype=np.int64)
    for counts in np.ndindex(found.shape):
        found[counts] = expert_of(*counts)
    return found


def experts(own_hand: Any, other_hand: Any, own_men: Any, other_men: Any, on: Any) -> Any:
    """The same for arrays or tensors, with `on` the table."""
    return on[own_hand, other_hand, own_men, other_men]
