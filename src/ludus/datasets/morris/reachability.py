"""States that no game can lead to, as far as simple arguments show it.

The arguments are sound and not complete: a state that passes may still be out of reach.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.boards import Boards, mill_masks
from ludus.datasets.morris.entries import Entries
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.sectors import Subspace

FINE = 0
IMPOSSIBLE = (
    "",
    "no game leads to these numbers of men in hand and on the board",
    "a side has a mill and has taken nothing",
    "a side has taken more men than it has closed mills",
)
"""What a verdict means; the first is that nothing speaks against the state."""

COUNTS, MILL, BOOTY = range(1, len(IMPOSSIBLE))


def find_impossible(entries: Entries, rules: Rules) -> NDArray[np.int8]:
    """For each entry a number of IMPOSSIBLE, that of the first reason that applies."""
    own_hand, other_hand, own_men, other_men = (
        column.astype(np.int16)
        for column in (entries.own_hand, entries.other_hand, entries.own_men, entries.other_men)
    )
    own_lost = rules.men - own_hand - own_men
    other_lost = rules.men - other_hand - other_men
    # While the mover has men in hand nobody has moved one, so who has lost none still has all
    # the mills that it has ever closed.
    is_placing = own_hand > 0
    has_mill, takes_too_many = (np.zeros(len(entries), dtype=bool) for _ in range(2))
    for men, lost, taken in (
        (entries.own, own_lost, other_lost),
        (entries.other, other_lost, own_lost),
    ):
        num_mills = _num_mills(men, rules.diagonals)
        # Where men in mills are safe, a mill may find nobody to take.
        has_mill |= (num_mills > 0) & (taken == 0) & (rules.take_from_mills != "never")
        takes_too_many |= is_placing & (lost == 0) & (taken > num_mills)
    verdicts = np.select(
        [~reached_by_counts(entries, rules), has_mill, takes_too_many],
        [COUNTS, MILL, BOOTY],
        default=FINE,
    )
    return verdicts.astype(np.int8)


def reached_by_counts(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    """Whether some game has these numbers of men on the board and in hand with this mover.

    The oracle solves a few more: it takes both sides for the one that began.
    """
    columns = entries.own_men, entries.other_men, entries.own_hand, entries.other_hand
    counts, where = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    known = subspaces(rules)
    is_known = [Subspace(*count) in known for count in counts.tolist()]
    return np.array(is_known, dtype=bool)[where.reshape(-1)]


@cache
def subspaces(rules: Rules) -> frozenset[Subspace]:
    """All numbers of men that play can lead to, those of finished games left out."""
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


def _num_mills(men: Boards, diagonals: bool) -> NDArray[np.int16]:
    found = np.zeros(len(men), dtype=np.int16)
    for mill in mill_masks(diagonals):
        found += men & mill == mill
    return found
