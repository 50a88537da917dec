"""The three parts of a move, their classes, and the order in which networks choose them.

Classes are the numbering of Galassi 2018, which only this package uses: everywhere else points have
the numbers of `ludus.games.nine_mens_morris.board`.

>>> PartOrder.parse("TFR").steps[1]
ChainStep(name='FROM', part=1, predicts_presence=False, parts_before=(0,))
>>> [step.name for step in PartOrder.parse("FTR5").steps]
['FROM?', 'FROM', 'TO', 'REMOVE?', 'REMOVE']
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.spec import check_choice
from ludus.games.nine_mens_morris.batch import (
    NO_POINT,
    PartPoints,
    moves_to_points,
    points_to_moves,
)
from ludus.games.nine_mens_morris.batch import PARTS as PARTS
from ludus.games.nine_mens_morris.board import NUM_POINTS, READING_ORDER, Move

NUM_CLASSES = 1 + NUM_POINTS
"""Classes of a part: 0 is none, then the points in reading order."""

MoveClasses = NDArray[np.int8]
"""Classes of moves, shape (moves, 3): TO, FROM and REMOVE."""

POINT_OF_CLASS: PartPoints = np.array([NO_POINT, *READING_ORDER], dtype=np.int8)
CLASS_OF_POINT: MoveClasses = np.argsort(POINT_OF_CLASS).astype(np.int8)


def points_to_classes(points: PartPoints) -> MoveClasses:
    """Return the classes of points of moves, as `MoveBatch.points`."""
    return CLASS_OF_POINT[points]


def classes_to_points(classes: MoveClasses) -> PartPoints:
    """Return the points of classes, NO_POINT for class 0."""
    return POINT_OF_CLASS[classes]


def moves_to_classes(moves: Iterable[Move]) -> MoveClasses:
    """Return the classes of moves, shape (moves, 3)."""
    return points_to_classes(moves_to_points(moves))


def classes_to_moves(classes: MoveClasses) -> list[Move]:
    """Return moves, legal or not, from their classes."""
    return points_to_moves(classes_to_points(classes))


NUM_PRESENCE_CLASSES = 2
"""Classes of a presence network: 0 if the move lacks the part, 1 if it has it."""

PART_LETTERS = "".join(part[0] for part in PARTS)
FIVE_NETWORKS_SUFFIX = "5"
"""Suffix of orders with five networks: two predict whether there is a FROM and a REMOVE."""


class ChainStep(NamedTuple):
    """One network's task within a chain."""

    name: str
    """The part it chooses, with a question mark if it only predicts its presence: `FROM?`."""

    part: int
    """Index in PARTS, which is the column of `MoveBatch.points` and of their classes."""

    predicts_presence: bool
    """Whether it only predicts if the move has the part. The network that chooses the point is then
    trained on moves that have the part, and its class 0 is ignored."""

    parts_before: tuple[int, ...]
    """The parts chosen before, in this order; its input has them after the position."""

    @property
    def outputs(self) -> int:
        """Number of classes."""
        return NUM_PRESENCE_CLASSES if self.predicts_presence else NUM_CLASSES


@dataclass(frozen=True, slots=True)
class PartOrder:
    """The order in which three or five networks choose the parts."""

    parts: tuple[int, ...] = (0, 1, 2)
    """Indices in PARTS."""

    has_presence: bool = False
    """Whether separate networks predict the presence of FROM and of REMOVE."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse an order such as `TFR` or `TFR5`."""
        check_choice("there is no order", text, ORDERS)
        return cls(
            tuple(PART_LETTERS.index(letter) for letter in text[:3]),
            text.endswith(FIVE_NETWORKS_SUFFIX),
        )

    def __str__(self) -> str:
        letters = "".join(PART_LETTERS[part] for part in self.parts)
        return f"{letters}{FIVE_NETWORKS_SUFFIX if self.has_presence else ''}"

    @property
    def steps(self) -> tuple[ChainStep, ...]:
        """The tasks of the networks, in the order in which they run."""
        found = []
        for number, part in enumerate(self.parts):
            name, before = PARTS[part], self.parts[:number]
            # Every move has a TO, except that of a side that passes.
            if self.has_presence and name != "TO":
                found.append(ChainStep(f"{name}?", part, True, before))
            found.append(ChainStep(name, part, False, before))
        return tuple(found)


ORDERS: tuple[str, ...] = tuple(
    "".join(letters) + networks
    for networks in ("", FIVE_NETWORKS_SUFFIX)
    for letters in permutations(PART_LETTERS)
)
"""All orders by name: TFR, TRF, FTR, … with three networks, then with five."""
