"""Learning a match: every move of both sides, then one pass of lending."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from ludus.learn.patterns.network import SEED_MUTUAL, SEED_WEIGHTS, Network, Weights
from ludus.learn.patterns.quadrants import patterns


def see_start(network: Network, position: Any) -> None:
    """A match begins: its eight patterns stand on the board."""
    for men in position.bits:
        for number in patterns(men):
            network.see(number)


def see_step(network: Network, before: Any, after: Any) -> None:
    """One move of a match, and the man it may have taken."""
    mover = before.mover
    network.see_move(before.bits[mover], after.bits[mover])
    network.see_capture(before.bits[1 - mover], after.bits[1 - mover])


def learn_match(
    network: Network,
    positions: Iterable[Any],
    weights: Weights = SEED_WEIGHTS,
    mutual: float = SEED_MUTUAL,
) -> None:
    """Learn a match from its positions, one after the other from the start on."""
    seen = list(positions)
    see_start(network, seen[0])
    for before, after in pairwise(seen):
        see_step(network, before, after)
    end_match(network, weights, mutual)


def end_match(
    network: Network, weights: Weights = SEED_WEIGHTS, mutual: float = SEED_MUTUAL
) -> None:
    """A match that was learned is over: mutual scores are updated in a single pass."""
    network.games += 1
    network.spread(weights, mutual)
