"""Many games at once for reinforcement learning: arrays that the caller allocates, filled in place.

The rules are those of the native cores of the games; actions and observations are those of
`ludus.games.nine_mens_morris.coding` and `ludus.games.backgammon.coding`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.position import MorrisPosition

class _Vector:
    def use_arrays(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rewards: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        players: NDArray[np.int8],
        final_observations: NDArray[np.float32],
    ) -> None:
        """Set the arrays that `reset` and `step` write to, a row for each game."""

    def reset(self, seed: int) -> None:
        """Begin all games anew; game i draws its numbers from seed + i."""

    def step(self, actions: NDArray[np.int64]) -> None:
        """Apply one action in each game."""

    def sample(self, actions: NDArray[np.int64]) -> None:
        """Write a random legal action of each game, by the masks."""

class MorrisVector(_Vector):
    def __init__(
        self, start: MorrisPosition, num_envs: int, threads: int, autoreset: str, max_moves: int
    ) -> None: ...

class BackgammonVector(_Vector):
    def __init__(
        self,
        start: tuple[Sequence[int], str],
        num_envs: int,
        threads: int,
        autoreset: str,
        max_moves: int,
    ) -> None: ...
