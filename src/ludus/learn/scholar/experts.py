"""Which of the scholar's networks judges a position: by the men in hand and on the board.

A position's kind says much about what matters in it, so each kind has a network of its own that
need not know the others. One position asks one network only: more networks cost nothing in play.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

HANDS = (12, 9, 7, 5, 3, 1)
"""While placing: more men in hand than this is a kind of its own, from the first of these on."""

MEN = (16, 15, 14, 13, 12, 11, 10)
"""While moving: the same for men on the board."""

PAIRS = 5
"""With three men on a side, four or five against them are one kind, more are another."""

NUM_EXPERTS = len(HANDS) + 1 + len(MEN) + 1 + 5


def expert_of(own_hand: int, other_hand: int, own_men: int, other_men: int) -> int:
    """The number of the network that judges a position with these men, as the mover sees it."""
    in_hand, on_board = own_hand + other_hand, own_men + other_men
    if in_hand:
        return sum(in_hand <= limit for limit in HANDS)
    moving = len(HANDS) + 1
    if own_men > 3 and other_men > 3:
        return moving + sum(on_board <= limit for limit in MEN)
    flying = moving + len(MEN) + 1
    if own_men <= 3 and other_men <= 3:
        return flying
    few = 1 if on_board - 3 <= PAIRS else 2
    return flying + few + (0 if own_men <= 3 else 2)


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
