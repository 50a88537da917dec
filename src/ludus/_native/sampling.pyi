"""Positions of the Morris family in columns: drawn, expanded, played.

Positions are columns of the mover's and the other side's men (int32) and of their hands (uint8).
What comes out is written into arrays that the caller brings along. The same functions run on a
GPU; the same seeds give the same positions there.
"""

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules

Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Columns = tuple[Ints, Ints, Bytes, Bytes]

NO_VALUE: int
SIZES: tuple[int, int, int, int]
"""Bytes of the structs Positions, Rows, Kinds and Plies, which a GPU's functions are given too."""

def expand(
    rules: Rules,
    positions: Columns,
    max_moves: int,
    seed: int,
    count: Ints,
    child: Columns,
    move: Ints,
) -> None:
    """All moves of each position, in rows of `max_moves` one after the other."""

def draw(rules: Rules, men: Ints, cumulative: NDArray[np.uint32], seed: int, into: Columns) -> None:
    """Random positions of kinds with four numbers of men each, as likely as their shares say."""

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
    """One ply of every game, from the rows that `expand` made of where the games stand."""

class Tables:
    """Tables side by side as a GPU has them, for comparison with the oracle."""

    def __init__(self, rules: Rules) -> None: ...
    def add(self, half: tuple[int, int, int, int], values: Bytes) -> None:
        """The values of the positions with these men of mover and other side, then in hand."""

    def label(self, positions: Columns, values: Bytes) -> None: ...
