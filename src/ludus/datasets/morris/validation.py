"""Check dataset lines: moves that the rules forbid, and states that no game can reach."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.games.nine_mens_morris.batch import NO_POINT, MoveBatch, PositionBatch, count_moves
from ludus.games.nine_mens_morris.bitboards import (
    Boards,
    closes_mill,
    mill_masks,
    neighbour_masks,
    point_bits,
    removable_men,
)
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.sectors import Subspace

LEGAL = 0
ILLEGAL_REASONS = (
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
"""Description of each verdict; the first is for legal entries."""

(
    TOO_MANY_MEN,
    TOO_FEW_MEN,
    BLOCKED,
    TO_OCCUPIED,
    FROM_NOT_OWN,
    NOT_ADJACENT,
    TAKES_WITHOUT_MILL,
    TAKES_NOBODY,
    TAKES_FROM_MILL,
    MILL_WITHOUT_TAKE,
) = range(1, len(ILLEGAL_REASONS))

MAX_MEN = 9
"""The format has one digit for a number of men."""


def check_rules(rules: Rules) -> None:
    """Raise BadSpec for rules whose moves the line format cannot represent unambiguously."""
    if rules.men > MAX_MEN:
        raise BadSpec(f"datasets have one digit for the men of a side, too few for {rules.men}")
    if rules.place_or_move:
        raise BadSpec("datasets do not tell a man placed from a man moved while men are in hand")
    if rules.blocked == "passes":
        raise BadSpec("datasets have no line for a side that passes")


def parse_rules(text: str) -> Rules:
    """Return the Morris rules that a text names; raise BadSpec if datasets do not support them."""
    rules: Rules = game("nine_mens_morris", text).rules
    check_rules(rules)
    return rules


def validate_moves(entries: MoveBatch, rules: Rules) -> NDArray[np.int8]:
    """Return an index into ILLEGAL_REASONS for each entry, of the first reason that applies."""
    closes = closes_mill(entries.men_after, entries.to, rules.diagonals)
    removable = removable_men(entries.other, rules)
    takes = entries.take != NO_POINT
    taken, frm = point_bits(entries.take), point_bits(entries.frm)
    is_far = (frm != 0) & ~entries.can_fly(rules)
    is_far &= neighbour_masks(rules.diagonals)[entries.frm] & point_bits(entries.to) == 0
    faults = {
        TO_OCCUPIED: point_bits(entries.to) & (entries.own | entries.other) != 0,
        FROM_NOT_OWN: frm & ~entries.own != 0,
        NOT_ADJACENT: is_far,
        TAKES_WITHOUT_MILL: takes & ~closes,
        TAKES_NOBODY: takes & (taken & entries.other == 0),
        TAKES_FROM_MILL: takes & (taken & removable == 0),
        MILL_WITHOUT_TAKE: ~takes & closes & (removable != 0),
    }
    ends = {
        TOO_MANY_MEN: entries.has_too_many_men(rules),
        TOO_FEW_MEN: entries.has_too_few_men(rules),
        BLOCKED: count_moves(entries, rules) == 0,
    }
    verdicts = np.select(
        [*ends.values(), ~entries.has_move, *faults.values()],
        [*ends, LEGAL, *faults],
        default=LEGAL,
    )
    return verdicts.astype(np.int8)


REACHABLE = 0
UNREACHABLE_REASONS = (
    "",
    "no game leads to these numbers of men in hand and on the board",
    "a side has a mill and has taken nothing",
    "a side has taken more men than it has closed mills",
)
"""Description of each verdict; the first is for states that pass all checks."""

BAD_COUNTS, MILL_WITHOUT_TAKEN_MEN, TOO_MANY_TAKEN = range(1, len(UNREACHABLE_REASONS))


def validate_states(positions: PositionBatch, rules: Rules) -> NDArray[np.int8]:
    """Return an index into UNREACHABLE_REASONS for each position, of the first reason that applies.

    The checks are sound but not complete: a state that passes may still be unreachable.
    """
    own_lost, other_lost = (rules.men - total for total in positions.totals)
    # While the mover has men in hand no man has moved, so a side that has lost no man still has all
    # mills that it has ever closed.
    is_placing = positions.own_hand > 0
    has_mill, takes_too_many = (np.zeros(len(positions), dtype=bool) for _ in range(2))
    for men, lost, taken in (
        (positions.own, own_lost, other_lost),
        (positions.other, other_lost, own_lost),
    ):
        num_mills = _count_mills(men, rules.diagonals)
        # Where men in mills may never be taken, closing a mill may take nothing.
        has_mill |= (num_mills > 0) & (taken == 0) & (rules.take_from_mills != "never")
        takes_too_many |= is_placing & (lost == 0) & (taken > num_mills)
    verdicts = np.select(
        [~has_reachable_counts(positions, rules), has_mill, takes_too_many],
        [BAD_COUNTS, MILL_WITHOUT_TAKEN_MEN, TOO_MANY_TAKEN],
        default=REACHABLE,
    )
    return verdicts.astype(np.int8)


def has_reachable_counts(positions: PositionBatch, rules: Rules) -> NDArray[np.bool_]:
    """Return whether a game can have these numbers of men on the board and in hand with this mover.

    The oracle solves a few more, because it treats either side as the one that began.
    """
    counts, where = np.unique(np.stack(positions.counts, axis=1), axis=0, return_inverse=True)
    known = reachable_subspaces(rules)
    is_known = [Subspace(*count) in known for count in counts.tolist()]
    return np.array(is_known, dtype=bool)[where.reshape(-1)]


@cache
def reachable_subspaces(rules: Rules) -> frozenset[Subspace]:
    """Return all numbers of men that play can reach, without those of finished games."""
    few = range(rules.lose_below, rules.men + 1)
    found = {Subspace(own, other, 0, 0) for own in few for other in few}
    waiting = [Subspace(0, 0, rules.men, rules.men)]
    while waiting:
        here = waiting.pop()
        if here in found or here.mover + here.mover_hand < rules.lose_below:
            continue
        found.add(here)
        own, other, hand, other_hand = here
        if hand > 0:
            waiting.append(Subspace(other, own + 1, other_hand, hand - 1))
            if own + 1 >= 3 and other > 0:
                waiting.append(Subspace(other - 1, own + 1, other_hand, hand - 1))
    return frozenset(found)


def _count_mills(men: Boards, diagonals: bool) -> NDArray[np.int16]:
    found = np.zeros(len(men), dtype=np.int16)
    for mill in mill_masks(diagonals):
        found += men & mill == mill
    return found
