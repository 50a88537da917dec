"""Solver of the Morris family, sector by sector.

A sector is (X's men, Y's men, X's men in hand, Y's men in hand), where X has more men on the board,
or else more in hand, or else the sector is symmetric. A value is a byte: plies to the end of the
game, odd where the side to move wins and even where it loses, or DRAW.
"""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules

Sector = tuple[int, int, int, int]

DRAW: int

class Tally(TypedDict):
    """Numbers of positions, counted once per class of 16 symmetries."""

    win: int
    loss: int
    draw: int
    max_win: int
    max_loss: int

class MissingSector(Exception): ...
class Stopped(Exception): ...
class TooDeep(Exception): ...

def why_unsolvable(rules: Rules) -> str | None: ...

class Solver:
    def __init__(self, rules: Rules, threads: int = 1) -> None: ...
    def solve(self, sector: Sector) -> None: ...
    def verify(self, sector: Sector) -> int: ...
    def tally(self, sector: Sector, x_to_move: bool) -> Tally: ...
    def values(self, sector: Sector, x_to_move: bool) -> NDArray[np.uint8] | None: ...
    def load(
        self,
        sector: Sector,
        x_moves: NDArray[np.uint8] | None,
        y_moves: NDArray[np.uint8] | None,
    ) -> None: ...
    def has(self, sector: Sector) -> bool: ...
    def drop(self, sector: Sector) -> None: ...
    def stop(self) -> None: ...
    def shape(self, sector: Sector) -> tuple[int, int]: ...
    def slots(
        self, sector: Sector, x: NDArray[np.uint32], y: NDArray[np.uint32]
    ) -> NDArray[np.uint64]: ...
    def boards(self, sector: Sector, slots: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Return X's men in the first row, Y's in the second."""

    @property
    def progress(self) -> tuple[int, int]: ...
