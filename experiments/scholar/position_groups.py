"""Kinds of positions, to see where players err."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar import (
    FIRST_FLYING_EXPERT,
    FIRST_MOVING_EXPERT,
    board_matrices,
    compute_features,
    expert_table,
    select_experts,
)

from .critical_moves import to_utilities
from .critical_positions import CriticalSet

Mask = NDArray[np.bool_]
Groups = Mapping[str, Mask]

OWN_MILLS, OTHER_MILLS = 3, 4
"""Which of the scholar's fields say where a side could close a mill."""

COUNTS = {"1": (1, 1), "2": (2, 2), "3 to 5": (3, 5), "6 to 10": (6, 10), "more": (11, 1000)}
PLIES = {"to 10": (0, 10), "11 to 30": (11, 30), "31 to 60": (31, 60), "more": (61, 254)}


def group_by_phase(critical: CriticalSet) -> dict[str, Mask]:
    """Group by phase of the mover."""
    phases = critical.batch.phases
    names = ("placing", "moving", "flying")
    return {name: phases == number for number, name in enumerate(names, 1)}


def group_by_kind(critical: CriticalSet) -> dict[str, Mask]:
    """Group by men in hand of both sides while placing, and by men on the board later."""
    hand = critical.own_hand.astype(np.int64) + critical.other_hand
    own_men, other_men, *_ = critical.batch.counts
    on_board = own_men + other_men
    kinds = select_experts(critical.batch, expert_table())
    found = {}
    for number in range(18, 0, -1):
        found[f"{number} in hand"] = hand == number
    is_moving = (kinds >= FIRST_MOVING_EXPERT) & (kinds < FIRST_FLYING_EXPERT)
    for number in range(18, 7, -1):
        found[f"{number} on the board, nobody flies"] = is_moving & (on_board == number)
    is_flying = kinds >= FIRST_FLYING_EXPERT
    for number in range(12, 5, -1):
        found[f"{number} on the board, somebody flies"] = is_flying & (on_board == number)
    return found


def group_by_keeping(critical: CriticalSet) -> dict[str, Mask]:
    """Group by the number of moves that keep the value."""
    number = np.add.reduceat(critical.kept.astype(np.int64), critical.first[:-1])
    return {
        f"moves that keep the value: {name}": (low <= number) & (number <= high)
        for name, (low, high) in COUNTS.items()
    }


def group_by_value(critical: CriticalSet) -> dict[str, Mask]:
    """Group by value: a draw, or a win by its plies."""
    is_win, plies = to_utilities(critical.value) == 1, critical.value
    won = {
        f"a win in plies: {name}": is_win & (low <= plies) & (plies <= high)
        for name, (low, high) in PLIES.items()
    }
    return {"a draw": to_utilities(critical.value) == 0, **won}


def group_by_mills(critical: CriticalSet) -> dict[str, Mask]:
    """Group by the sides that can close a mill now."""
    seen = compute_features(critical.batch, board_matrices())
    own, other = seen[OWN_MILLS].any(axis=1), seen[OTHER_MILLS].any(axis=1)
    return {
        "mills to close: nobody": ~own & ~other,
        "mills to close: the mover": own & ~other,
        "mills to close: the other side": ~own & other,
        "mills to close: both": own & other,
    }
