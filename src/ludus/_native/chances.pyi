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

class Stakes:
    """What a game is played for: the rules of the cube, and the score of a match.

    `winning_chances` are those of side 0 to win the match, by the points that it (rows) and the
    other side (columns) need after this game; None for money.
    """

    def __init__(
        self,
        has_cube: bool,
        jacoby: bool,
        efficiency: float,
        winning_chances: NDArray[np.float64] | None = None,
    ) -> None: ...
    def decide(
        self, chances: Sequence[float], value: int, owner: int, side: int
    ) -> tuple[float, float, float]:
        """Return the values of no double, double and take, and double and drop for a side.

        `owner` is 0 or 1, or -1 for none. Values are points, in a match chances to win it.
        """

class RolloutSettings:
    """How games are played out: the seed of the dice, the lookahead of moves and its filter.

    After `horizon` rolls a game is estimated, 0: never.
    """

    def __init__(
        self,
        seed: int,
        depth: int = 0,
        most: int = 8,
        margin: float = 0.16,
        horizon: int = 0,
        is_luck_removed: bool = True,
        is_exact: bool = True,
    ) -> None: ...

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

    def roll_out(
        self,
        positions: NDArray[np.int8],
        cubes: Sequence[tuple[int, int, bool]],
        stakes: Stakes | None,
        first: int,
        count: int,
        settings: RolloutSettings,
        threads: int = 1,
    ) -> NDArray[np.float64]:
        """Play out `count` games of each position before a roll, from the game numbered `first` on.

        A cube has a value, an owner (0 the side on roll, 1 the other, -1 none), and whether the
        side on roll may double at once. Without stakes there is no cube. Return five chances and
        the value, points or the chance to win the match, of each game, shape (positions, count, 6).
        """
