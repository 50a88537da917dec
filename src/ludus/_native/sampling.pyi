"""Morris positions in columns: sampling, move generation, games.

Positions are columns of the mover's and the other side's men (int32) and of their hands (uint8).
Results are written into arrays that the caller allocates. The same functions run on a GPU, where
equal seeds give equal positions.
"""

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules

Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Columns = tuple[Ints, Ints, Bytes, Bytes]

NO_VALUE: int
SIZES: tuple[int, int, int, int]
"""Bytes of the structs Positions, Rows, Kinds and Plies, which the GPU functions take, too."""

def expand(
    rules: Rules,
    positions: Columns,
    max_moves: int,
    seed: int,
    count: Ints,
    child: Columns,
    move: Ints,
) -> None:
    """Generate all moves of each position, in consecutive rows of `max_moves`."""

def draw(rules: Rules, men: Ints, cumulative: NDArray[np.uint32], seed: int, into: Columns) -> None:
    """Sample positions of kinds (four counts of men each) by cumulative probability."""

def advance(
    rules: Rules,
    count: Ints,
    child: Columns,
    move: Ints,
    values: Bytes,
    child_values: Bytes,
    chosen: Ints | None,
    before: Ints,
    noise: int,
    max_plies: int,
    restarts: Columns,
    seed: int,
    next: Columns,  # noqa: A002 - the name of the compiled argument
    after: Ints,
) -> None:
    """Play one ply of every game, from the rows that `expand` made of the current positions."""

class Tables:
    """Tables side by side as on a GPU, for comparison with the oracle."""

    def __init__(self, rules: Rules) -> None: ...
    def add(self, half: tuple[int, int, int, int], values: Bytes) -> None:
        """Add the values of the positions with these men of mover and other side, then in hand."""

    def label(self, positions: Columns, values: Bytes) -> None: ...
