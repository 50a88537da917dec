"""The small solved endings of the Morris family, as a search can ask them."""

from functools import cache

import numpy as np

from ludus._native.search import Endgames
from ludus._native.solver import why_unsolvable
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.embedded import MAX_MEN, embedded
from ludus.oracle.morris_rules import without_repetition
from ludus.oracle.sectors import num_slots


@cache
def endings(rules: Rules) -> Endgames | None:
    """The endings that every installation knows; None if those of these rules are not solved."""
    if why_unsolvable(rules) is not None:
        return None
    solved = embedded(without_repetition(rules))
    found = Endgames(MAX_MEN)
    for sector, x_to_move in solved.sectors:
        slots = np.arange(num_slots(sector), dtype=np.uint64)
        x, y, _, _ = sector
        found.add(x, y, x_to_move, solved.read(sector, x_to_move, slots))
    return found
