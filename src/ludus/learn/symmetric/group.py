"""The sixteen symmetries as a group: how they combine, and how they move points and classes."""

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import READING_ORDER, SYMMETRIES, mills

Permutations = NDArray[np.int64]
"""Shape (16, n): where each symmetry takes each of n things."""

ORDER = len(SYMMETRIES)

POINTS: Permutations = np.array(SYMMETRIES)
"""By point number: `POINTS[g, i]` is where symmetry g takes point i."""


def _lines() -> Permutations:
    """What the symmetries make of the sixteen lines, in the order of `board.mills`."""
    numbers = {frozenset(line): number for number, line in enumerate(mills(diagonals=False))}
    return np.array(
        [[numbers[frozenset(image[p] for p in line)] for line in numbers] for image in SYMMETRIES]
    )


def _classes() -> Permutations:
    """Classes 1 to 24 are the points in reading order; 0, no point at all, stays what it is."""
    number_of = np.argsort(READING_ORDER)
    moved = number_of[POINTS[:, READING_ORDER]]
    return np.hstack([np.zeros((ORDER, 1), dtype=np.int64), 1 + moved])


LINES = _lines()
CLASSES = _classes()
"""A choice among 25, as the chain of networks makes it."""


def fixed(count: int) -> Permutations:
    """Things that no symmetry moves, such as numbers of men."""
    return np.tile(np.arange(count), (ORDER, 1))


def joined(*parts: Permutations) -> Permutations:
    """Things of several kinds, side by side in one array."""
    starts = np.cumsum([0, *(part.shape[1] for part in parts[:-1])])
    return np.hstack([part + start for part, start in zip(parts, starts, strict=True)])


def _steps() -> Permutations:
    """`STEPS[g, h]` is the a with h = g a: first a, then g."""
    number = {symmetry: index for index, symmetry in enumerate(SYMMETRIES)}
    back = np.argsort(POINTS, axis=1)
    return np.array(
        [[number[tuple(back[g][POINTS[h]])] for h in range(ORDER)] for g in range(ORDER)]
    )


STEPS = _steps()

CHOICES = joined(POINTS, fixed(1))
"""A point by its number, or 24 for none."""
