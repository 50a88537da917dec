"""The reliability test of the published program: how far legal choices rank above illegal ones.

A network ranks the 25 choices of its part. Going down the list, precision is the share of legal
choices among those seen, recall the share of all legal choices that have been seen. The published
files have the mean precision at 25 equally spaced recalls, from 4% to 100%, over the positions
where the network's first choice is a point and not "none", and where the choices of the networks
before it can still become a legal move. A choice is legal if some legal move of the position has
it together with the choices made before. What is a legal move, a judge of `legality` says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris import Entries
from ludus.datasets.morris.entries import NUM_CLASSES
from ludus.datasets.morris.moves import legal_moves
from ludus.learn.nnmm.accuracy import Classes
from ludus.learn.nnmm.legality import STANDARD, Judge, verdicts
from ludus.learn.nnmm.shares import Mask

Probabilities = NDArray[np.floating]
"""Shape (positions, 25); their order is all that counts."""

LEVELS = NUM_CLASSES
"""Recalls at which precision is taken."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision at each recall, summed over positions."""

    sums: NDArray[np.float64]
    positions: int

    @classmethod
    def empty(cls) -> Self:
        return cls(np.zeros(LEVELS), 0)

    def plus(self, other: "Curve") -> "Curve":
        return Curve(self.sums + other.sums, self.positions + other.positions)

    @property
    def percent(self) -> list[float]:
        """The mean precision at each recall; empty where no position counted."""
        return (100 * self.sums / self.positions).tolist() if self.positions else []


def reliability(
    positions: Entries,
    order: Sequence[int],
    chosen: Classes,
    distributions: Sequence[Probabilities],
    judge: Judge = "author",
) -> list[Curve]:
    """One curve for each network of a chain, in its order.

    `order` has the columns of `chosen` that the networks decide on, one after the other, and
    `distributions` what each network gave the choices, after the choices before it.
    """
    entry, moves = _legal(positions, judge)
    curves = []
    fits = np.ones(len(entry), dtype=bool)
    for part, distribution in zip(order, distributions, strict=True):
        is_legal = np.zeros((len(positions), NUM_CLASSES), dtype=bool)
        is_legal[entry[fits], moves[fits, part]] = True
        curves.append(curve(distribution, is_legal))
        fits &= moves[:, part] == chosen[entry, part]
    return curves


def curve(distribution: Probabilities, is_legal: Mask) -> Curve:
    """The curve of one network over the positions that count for it."""
    counts = is_legal.any(axis=1) & (distribution.argmax(axis=1) != 0)
    ranked = np.argsort(-distribution[counts], axis=1, kind="stable")
    hits = np.take_along_axis(is_legal[counts], ranked, axis=1)
    seen = hits.cumsum(axis=1)
    precision = np.zeros((len(hits), LEVELS))
    row, rank = np.nonzero(hits)
    precision[row, seen[row, rank] - 1] = seen[row, rank] / (rank + 1)
    # The first legal choice with which recall is at least (level + 1) / 25.
    levels = np.arange(1, LEVELS + 1)
    needed = -(-levels * seen[:, -1:] // LEVELS)
    return Curve(np.take_along_axis(precision, needed - 1, axis=1).sum(axis=0), len(hits))


def _legal(positions: Entries, judge: Judge) -> tuple[NDArray[np.intp], Classes]:
    """All legal moves: the number of their position, and their classes."""
    entry, moves = legal_moves(positions, STANDARD)
    classes = moves.classes
    if judge == "author":
        # What the author's check allows is legal, too, as long as a game is not over.
        is_legal = verdicts(moves, classes, judge).whole_move
        entry, classes = entry[is_legal], classes[is_legal]
    return entry, classes
