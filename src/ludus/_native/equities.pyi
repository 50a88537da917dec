"""Exact values of backgammon in C++: bearing off, and games with few men a side.

A placement is one side's men on its points 1 to P (25 is the bar) and off; its rank is GNU
Backgammon's number of it. 0 is all men off, and every step forward lowers the rank. Tables of two
sides are indexed by the ranks of the side to move and of the other side.
"""

import numpy as np
from numpy.typing import NDArray

def rank(sides: NDArray[np.int8], men: int, points: int) -> NDArray[np.uint32]:
    """Return the ranks of rows of 26 counts, of which 1 to 25 are read."""

def unrank(ranks: NDArray[np.uint32], men: int, points: int) -> NDArray[np.int8]:
    """Return rows of 26 counts; the inverse of `rank`."""

def one_sided(
    men: int, points: int, width: int, threads: int = 1
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the distributions of the rolls until all men, and until the first man, is off.

    Shape (placements, width): the probability of 0, 1, 2 … rolls, with the moves of least mean.
    """

def two_sided(
    men: int, points: int, are_all: bool = False, threads: int = 1
) -> NDArray[np.float32]:
    """Return the equities of not doubling, in points of the present cube, for money.

    Shape (4, placements, placements): without a cube, and with the cube the mover's own, centred,
    and the other side's. If the men `are_all` that a side has, gammons count, also with a centred
    cube.
    """

def verify_two_sided(
    equities: NDArray[np.float32], men: int, points: int, are_all: bool = False, threads: int = 1
) -> int:
    """Return the number of equities that do not follow from those of their successors.

    The equities are those of `two_sided`, or the first of the four alone.
    """

class Hypergammon:
    """Value iteration over all positions with 1 to 3 men a side; deterministic."""

    def __init__(self, men: int, threads: int = 1) -> None: ...
    @property
    def size(self) -> int:
        """Number of placements of one side."""

    def sweep(self) -> float:
        """Derive all equities once; return the largest change."""

    def choose(self) -> None:
        """Fix the best plays by the equities rounded to single precision."""

    def sweep_chances(self) -> float:
        """Derive all chances with the fixed plays once; return the largest change."""

    def find_errors(self) -> tuple[float, float]:
        """Return the largest errors of equities and chances against their successors."""

    def equities(self) -> NDArray[np.float32]:
        """Return the equities; shape (size, size)."""

    def chances(self) -> NDArray[np.float32]:
        """Return the chances to win, win a gammon, win a backgammon, lose a gammon, lose a
        backgammon; shape (5, size, size)."""

    def load(self, equities: NDArray[np.float32], chances: NDArray[np.float32]) -> None:
        """Replace all values; chances may be empty."""
