"""What the rules say to entries: which of them are illegal, and why."""

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.datasets.morris.boards import ALL_POINTS, bit, closes_mill, neighbour_masks
from ludus.datasets.morris.entries import NONE, Entries
from ludus.datasets.morris.moves import after_step, flies, has_lost_men, takeable
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.rules import Rules

FINE = 0
REASONS = (
    "",
    "a side has more men than the rules give it",
    "the game is over: a side has too few men",
    "the game is over: the mover cannot move",
    "TO is not free",
    "FROM is not a man of the mover",
    "no step leads from FROM to TO",
    "a man is taken but no mill is closed",
    "REMOVE is not a man of the enemy",
    "REMOVE stands in a mill and may not be taken",
    "a mill is closed but no man is taken",
)
"""What a verdict means; the first is that all is well."""

TOO_MANY, FEW, BLOCKED, TAKEN, STRANGE, FAR, ROBBED, NOBODY, SAFE, MERCY = range(1, len(REASONS))

MAX_MEN = 9
"""The format has one digit for a number of men."""


def check_rules(rules: Rules) -> None:
    """Refuse rules whose moves the line format cannot tell apart or write down."""
    if rules.men > MAX_MEN:
        raise BadSpec(f"datasets have one digit for the men of a side, too few for {rules.men}")
    if rules.place_or_move:
        raise BadSpec("datasets do not tell a man placed from a man moved while men are in hand")
    if rules.blocked == "passes":
        raise BadSpec("datasets have no line for a side that passes")


def judge(entries: Entries, rules: Rules) -> NDArray[np.int8]:
    """For each entry a number of REASONS, that of the first reason that applies."""
    closes = closes_mill(after_step(entries), entries.to, rules.diagonals)
    booty = takeable(entries.other, rules)
    takes = entries.take != NONE
    taken, frm = bit(entries.take), bit(entries.frm)
    is_far = (frm != 0) & ~flies(entries, rules)
    is_far &= neighbour_masks(rules.diagonals)[entries.frm] & bit(entries.to) == 0
    faults = {
        TAKEN: bit(entries.to) & (entries.own | entries.other) != 0,
        STRANGE: frm & ~entries.own != 0,
        FAR: is_far,
        ROBBED: takes & ~closes,
        NOBODY: takes & (taken & entries.other == 0),
        SAFE: takes & (taken & booty == 0),
        MERCY: ~takes & closes & (booty != 0),
    }
    ends = {
        TOO_MANY: _has_too_many(entries, rules),
        FEW: has_lost_men(entries, rules),
        BLOCKED: ~_can_move(entries, rules),
    }
    verdicts = np.select(
        [*ends.values(), ~entries.has_move, *faults.values()],
        [*ends, FINE, *faults],
        default=FINE,
    )
    return verdicts.astype(np.int8)


def _has_too_many(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    own, other = entries.own_men + entries.own_hand, entries.other_men + entries.other_hand
    return (own > rules.men) | (other > rules.men)


def _can_move(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    free = ~(entries.own | entries.other) & ALL_POINTS
    goes_anywhere = (entries.own_hand > 0) | flies(entries, rules)
    reach = np.where(goes_anywhere, np.uint32(ALL_POINTS), np.uint32(0))
    for man, near in zip(range(len(POINTS)), neighbour_masks(rules.diagonals), strict=True):
        reach |= np.where(entries.own >> np.uint32(man) & 1 != 0, near, np.uint32(0))
    can: NDArray[np.bool_] = reach & free != 0
    return can
