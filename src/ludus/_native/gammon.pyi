"""The backgammon network and the conventional program in C++.

Boards are rows of 52 counts, see `ludus.games.backgammon.batch`. A coding is two numbers: how a
point's change is encoded (0 the final state, 1 its kind, 2 exactly), and which inputs are added to
the board (0 none, 1 features, 2 the terms of the conventional program).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Patterns = tuple[
    NDArray[np.int64], NDArray[np.int8], NDArray[np.int64], NDArray[np.uint16], NDArray[np.float32]
]
Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
Wins = tuple[int, int, int]

def plays(board: NDArray[np.int8], high: int, low: int, /) -> NDArray[np.int8]:
    """Return the boards after each legal move; shape (moves, 52)."""

def tool_terms(ends: NDArray[np.int8], /) -> NDArray[np.float32]:
    """Return the conventional program's terms for boards after a move; shape (boards, 17)."""

def tool_scores(ends: NDArray[np.int8], /) -> NDArray[np.float32]:
    """Return the conventional program's scores of boards after its move; shape (boards,)."""

def inputs(
    boards: NDArray[np.int8], rolls: NDArray[np.int8], change: int, extra: int, /
) -> Patterns:
    """Encode all moves of boards (n, 52) with rolls (n, 2).

    Return the offset of each board's first move (n + 1), the boards after the moves (m, 52), and
    the active units: the offset of each move's first unit (m + 1), unit numbers, and activations.
    """

def contest(
    first: Network | str,
    second: Network | str,
    start: NDArray[np.int8],
    games: int,
    seed: int,
    threads: int,
    /,
) -> tuple[Wins, Wins]:
    """Return each player's wins as single games, gammons and backgammons; they begin in turn."""

def met_in_games(
    first: Network | str,
    second: Network | str,
    starts: NDArray[np.int8],
    is_opening: bool,
    games: int,
    stray: float,
    seed: int,
    /,
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int32]]:
    """Return positions with a choice.

    Boards (n, 52), rolls (n, 2), and game, ply and number of moves.
    """

class Network:
    """A feed-forward network of logistic units with one output."""

    def __init__(self, change: int, extra: int, layers: Sequence[Layer], /) -> None: ...
    def scores(
        self, starts: NDArray[np.int64], index: NDArray[np.uint16], value: NDArray[np.float32], /
    ) -> NDArray[np.float32]:
        """Return the output for every pattern."""

    def learn(
        self,
        starts: NDArray[np.int64],
        index: NDArray[np.uint16],
        value: NDArray[np.float32],
        rows: NDArray[np.int64],
        targets: NDArray[np.float32],
        rate: float,
        /,
    ) -> float:
        """Train on these patterns one by one; return the sum of squared errors."""

    def compare(
        self,
        starts: NDArray[np.int64],
        index: NDArray[np.uint16],
        value: NDArray[np.float32],
        rows: NDArray[np.int64],
        targets: NDArray[np.float32],
        groups: NDArray[np.int64],
        sharpness: float,
        rate: float,
        /,
    ) -> float:
        """Train on the alternatives of each position in turn, each compared with the others."""

    def layers(self) -> list[Layer]:
        """Return copies of the weights (below, above) and biases of every layer."""
