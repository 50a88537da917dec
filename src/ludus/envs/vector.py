"""Thousands of games at once, stepped in compiled code, as arrays."""

import secrets
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.core.errors import BadArgument, BadSpec
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import check_seed
from ludus.core.spec import check_choice, check_range
from ludus.envs.episode import MAX_MOVES
from ludus.games import resolve_game
from ludus.games.coding import coding_for

AutoresetMode = Literal["same_step", "next_step"]
"""When the game after a finished one begins, in the words of `gymnasium.vector.AutoresetMode`."""

MAX_ENVS = 2**24
MAX_THREADS = 256


class VectorStep(NamedTuple):
    """The state of all games after a step; every array has a row for each game."""

    observations: NDArray[np.float32]
    """What the side to act sees, shape (games, observation size)."""

    action_masks: NDArray[np.int8]
    """1 for each legal action, shape (games, actions)."""

    rewards: NDArray[np.float32]
    """Points of side 0 and of side 1, shape (games, 2); 0 unless the game ended in this step."""

    terminated: NDArray[np.bool_]
    """Whether the game ended in this step."""

    truncated: NDArray[np.bool_]
    """Whether the game was broken off in this step, after `max_moves` moves."""

    players: NDArray[np.int8]
    """The side to act, 0 or 1."""

    final_observations: NDArray[np.float32]
    """What the side to act saw at the end of a game, where the next one has begun in this step;
    other rows mean nothing."""


class VectorEnv:
    """Many games of one kind between two sides, all stepped at once in compiled code.

    For Nine Men's Morris with any rules, and for backgammon without cube and match. In each game
    the actions of both sides are given by the caller, as in self-play: `players` tells whose action
    is next. Games do not depend on each other: game i is the game that `ludus.env(game)` plays with
    `reset(seed + i)`, whatever the number of games and threads.

    With `autoreset="same_step"` a game that ends is followed by the next one in the same step: its
    reward and `terminated` come with the first observation of the new game. With `next_step` the
    step after the end ignores the action and begins the new game.

    The arrays can be given to torch without a copy: `torch.from_dlpack(step.observations)`. With
    `copy=False` every step overwrites the same arrays.

    >>> envs = VectorEnv("nine_mens_morris", num_envs=3, seed=1)
    >>> envs.step(envs.sample_actions()).players
    array([1, 1, 1], dtype=int8)
    """

    def __init__(
        self,
        game: AnyGame | str,
        num_envs: int,
        *,
        seed: int | None = None,
        threads: int = 1,
        autoreset: AutoresetMode = "same_step",
        max_moves: int = MAX_PLIES,
        copy: bool = True,
    ) -> None:
        self.game = resolve_game(game)
        self.coding = coding_for(self.game)
        self.num_envs = num_envs
        self.copy = copy
        check_range("VectorEnv num_envs", num_envs, 1, MAX_ENVS)
        check_range("VectorEnv threads", threads, 1, MAX_THREADS)
        check_range("VectorEnv max_moves", max_moves, 1, MAX_MOVES)
        check_choice("VectorEnv has no autoreset", autoreset, ("same_step", "next_step"), BadSpec)
        native = self.coding.make_native_vector(self.num_envs, threads, autoreset, max_moves)
        if native is None:
            raise BadSpec(
                f"{self.game!r} has no compiled environment: use gymnasium.vector.SyncVectorEnv"
            )
        self._native: Any = native
        self._use_new_arrays()
        self.reset(seed)

    @property
    def num_actions(self) -> int:
        """The number of actions of a game; see `ludus.games.coding`."""
        return self.coding.num_actions

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        return self.coding.observation_size

    def _use_new_arrays(self) -> None:
        games, seen = self.num_envs, (self.num_envs, self.coding.observation_size)
        self.state = VectorStep(
            np.zeros(seen, np.float32),
            np.zeros((games, self.coding.num_actions), np.int8),
            np.zeros((games, 2), np.float32),
            np.zeros(games, np.bool_),
            np.zeros(games, np.bool_),
            np.zeros(games, np.int8),
            np.zeros(seen, np.float32),
        )
        self._native.use_arrays(*self.state)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Begin all games anew: game i with the dice of `seed` + i; without a seed any dice."""
        if seed is not None:
            seed = check_seed(seed)
        if self.copy:
            self._use_new_arrays()
        self._native.reset((secrets.randbits(64) if seed is None else seed) % 2**64)
        return self.state

    def step(self, actions: ArrayLike) -> VectorStep:
        """Apply one action in each game, shape (games,); an illegal one loses the game."""
        given = np.ascontiguousarray(actions)
        if given.dtype.kind not in "iu":
            raise BadArgument(f"actions have the type {given.dtype}; they must be whole numbers")
        if given.shape != (self.num_envs,):
            raise BadArgument(f"actions have shape {given.shape}, not ({self.num_envs},)")
        before = self.state
        if self.copy:
            self._use_new_arrays()
        try:
            self._native.step(given.astype(np.int64, copy=False))
        except ValueError:
            self.state = before
            self._native.use_arrays(*before)
            raise BadArgument(f"actions must be from 0 to {self.num_actions - 1}") from None
        return self.state

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game, all with the same probability."""
        actions = np.empty(self.num_envs, np.int64)
        self._native.sample(actions)
        return actions

    @property
    def observations(self) -> NDArray[np.float32]:
        """What the side to act sees, shape (games, observation size)."""
        return self.state.observations

    @property
    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action, shape (games, actions)."""
        return self.state.action_masks

    @property
    def rewards(self) -> NDArray[np.float32]:
        """Points of both sides, shape (games, 2)."""
        return self.state.rewards

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether each game ended in the last step."""
        return self.state.terminated

    @property
    def players(self) -> NDArray[np.int8]:
        """The side to act in each game."""
        return self.state.players
