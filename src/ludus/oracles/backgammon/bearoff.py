"""Bearing off by one side: the distribution of the number of rolls, and races between two sides.

A race of two sides that each play for the fewest rolls is close to perfect play, but not exact:
the side that is behind may do better by taking risks. `BackgammonOracle` has exact values for few
men.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus._native import equities as native

MEN, POINTS = 15, 6
MAX_ROLLS = 31
"""Bearing off 15 men from their home takes more with a probability below 1e-30."""

Distribution = NDArray[np.float32]
"""Probabilities of 0, 1, 2 … rolls."""


@dataclass(frozen=True)
class RollDistributions:
    """Distributions of the number of rolls, by the rank of the men on the points."""

    all_off: NDArray[np.float32]
    """Until all men are off; shape (54264, 32) for 6 points."""

    first_off: NDArray[np.float32]
    """Until the first of 15 men is off, which saves the gammon; of the same shape."""

    points: int = POINTS
    """Points on which the men may be."""

    def find(self, men: dict[int, int]) -> tuple[Distribution, Distribution]:
        """Return both distributions of men by point; the missing ones of 15 are off.

        >>> f"{roll_distributions().find({6: 1})[0][1]:.4f}"  # 27 of 36 rolls bear it off
        '0.7500'
        """
        side = np.zeros((1, 26), dtype=np.int8)
        for point, count in men.items():
            side[0, point] = count
        rank = int(native.rank(side, MEN, self.points)[0])
        return self.all_off[rank], self.first_off[rank]


@cache
def roll_distributions(points: int = POINTS, threads: int = 1) -> RollDistributions:
    """Compute the distributions of all placements of up to 15 men.

    On 6 points there are 54,264, which take half a second. On 10 points there are 3,268,760, which
    take minutes and 1 GB of memory.
    """
    width = MAX_ROLLS + 1 + 4 * max(0, points - POINTS) // 2
    return RollDistributions(*native.one_sided(MEN, points, width, threads), points)


def compute_race(own: Distribution, other: Distribution) -> float:
    """Return the probability that the side to move needs no more rolls than the other side.

    >>> found = roll_distributions()
    >>> race = compute_race(found.find({1: 4})[0], found.find({1: 2})[0])
    >>> f"{race:.4f}"  # only doubles win
    '0.1667'
    """
    others_at_least = np.cumsum(other[::-1])[::-1]
    return float(own @ others_at_least)
