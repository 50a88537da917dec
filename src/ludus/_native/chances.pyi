"""Networks that estimate chances of backgammon positions, and lookahead with them, in C++.

Boards are rows of 52 counts, see `ludus.games.backgammon.batch`: positions as the side to move sees
them, boards after moves as the side that has just moved does. Chances are five: to win, to win a
gammon, to win a backgammon, to lose a gammon, to lose a backgammon.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NUM_INPUTS: int

def expand(
    positions: NDArray[np.int8], rolls: NDArray[np.int8] | None, threads: int = 1
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return the boards after all moves (m, 52), and the offset of each position's first board.

    `rolls` has one roll for each position (n, 2); None for all 21 rolls of each.
    """

def encode(boards: NDArray[np.int8], threads: int = 1) -> NDArray[np.float32]:
    """Return the inputs of boards after moves, shape (boards, NUM_INPUTS)."""

class ChancesNetwork:
    """A feed-forward network of rectified linear units with five outputs.

    A lookahead of depth 1 averages over the other side's best replies to all rolls, one of depth 2
    also over the own best moves after them. At most `most` moves whose equity is at most `margin`
    behind the best one are looked at more deeply than by the network alone.
    """

    def __init__(
        self, layers: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]], /
    ) -> None: ...
    def evaluate(
        self, boards: NDArray[np.int8], depth: int = 0, threads: int = 1
    ) -> NDArray[np.float32]:
        """Return the chances of boards after moves, shape (boards, 5)."""

    def rank(
        self,
        positions: NDArray[np.int8],
        rolls: NDArray[np.int8],
        depth: int = 0,
        most: int = 8,
        margin: float = 0.16,
        threads: int = 1,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], NDArray[np.int8]]:
        """Rank the moves of each position, best first.

        Return the offset of each position's moves, the numbers of the moves in the order of
        `legal_moves`, their chances (m, 5), and the depth to which each was looked at.
        """

    def choose(
        self,
        positions: NDArray[np.int8],
        rolls: NDArray[np.int8],
        depth: int = 0,
        most: int = 8,
        margin: float = 0.16,
        threads: int = 1,
    ) -> NDArray[np.int8]:
        """Return the boards after the best moves, shape (positions, 52)."""
