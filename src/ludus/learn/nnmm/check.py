"""The legality check of the thesis, section 5.5.1: the one symbolic element of play mode.

Each part becomes the first class in the network's ranking that is legal. A class counts as legal if
some legal move has it together with the parts chosen before, so no choice leads into a dead end.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.games.nine_mens_morris.move import Move
from ludus.learn.nnmm.parts import NUM_CLASSES, Order
from ludus.learn.nnmm.positions import as_classes
from ludus.learn.nnmm.reading import Begun, Reading, best_of


class Checked(NamedTuple):
    """A legal move, and what it took to get there."""

    move: Move

    begun: Begun
    """The move as the networks saw it grow."""

    changed: tuple[int, ...]
    """The parts, by their numbers in PARTS, whose best class was illegal."""


def checked(reading: Reading, order: Order, legal: Sequence[Move]) -> Checked:
    """The networks' move of the one position of a reading, with the check after each part."""
    left = list(zip(as_classes(legal), legal, strict=True))
    begun, changed = reading.begin(), []
    for number, part in enumerate(order.parts):
        found = reading.probabilities(number, begun)
        ranking = best_of(reading.ranks(number, found), NUM_CLASSES)[0].tolist()
        allowed = {classes[part] for classes, _ in left}
        chosen = next(each for each in ranking if each in allowed)
        if chosen != ranking[0]:
            changed.append(part)
        left = [pair for pair in left if pair[0][part] == chosen]
        begun = begun.with_part(part, np.array([[chosen]]), found)
    return Checked(left[0][1], begun, tuple(changed))
