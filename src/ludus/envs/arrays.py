"""Many games at once as arrays: thousands of them in compiled code, where a game has that."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.core.errors import BadArgument, BadSpec, LudusError
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import check_seed
from ludus.core.spec import check_choice, check_range
from ludus.core.splitmix import SplitMix64, mix
from ludus.envs.episode import MAX_MOVES, EnvEpisode
from ludus.games import resolve_game
from ludus.games.coding import Coding, coding_for

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


class GameArrays:
    """Many games of one kind between two sides, all stepped at once.

    Compiled for Nine Men's Morris with any rules and for backgammon without cube and match; other
    games are played in Python, as all are with `compiled=False`. In each game the actions of both
    sides are given by the caller, as in self-play: `players` tells whose action is next. Games do
    not depend on each other: game i is the game that `ludus.env(game)` plays with
    `reset(seed + i)`, whatever the number of games and threads.

    With `autoreset="same_step"` a game that ends is followed by the next one in the same step: its
    reward and `terminated` come with the first observation of the new game. With `next_step` the
    step after the end ignores the action and begins the new game.

    The arrays can be given to torch without a copy: `torch.from_dlpack(step.observations)`. With
    `copy=False` every step overwrites the same arrays.

    >>> games = GameArrays("nine_mens_morris", num_envs=3, seed=1)
    >>> games.step(games.sample_actions()).players
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
        compiled: bool = True,
    ) -> None:
        self.game = resolve_game(game)
        self.coding = coding_for(self.game)
        self.num_envs = num_envs
        self.copy = copy
        check_range("GameArrays num_envs", num_envs, 1, MAX_ENVS)
        check_range("GameArrays threads", threads, 1, MAX_THREADS)
        check_range("GameArrays max_moves", max_moves, 1, MAX_MOVES)
        check_choice("GameArrays has no autoreset", autoreset, ("same_step", "next_step"), BadSpec)
        engine: Any = None
        if compiled:
            engine = self.coding.make_native_vector(num_envs, threads, autoreset, max_moves)
        self.is_compiled = engine is not None
        self._playing = threading.Lock()
        self._engine = engine or EpisodeVector(self.coding, num_envs, autoreset, max_moves)
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
        self._engine.use_arrays(*self.state)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Begin all games anew: game i with the dice of `seed` + i; without a seed any dice."""
        if seed is not None:
            seed = check_seed(seed)
        with self._take_turn():
            if self.copy:
                self._use_new_arrays()
            self._engine.reset((secrets.randbits(64) if seed is None else seed) % 2**64)
            return self.state

    def step(self, actions: ArrayLike) -> VectorStep:
        """Apply one action in each game, shape (games,).

        An illegal action loses the game, and -1 leaves it as it is.
        """
        given = np.ascontiguousarray(actions)
        if given.dtype.kind not in "iu":
            raise BadArgument(f"actions have the type {given.dtype}; they must be whole numbers")
        if given.shape != (self.num_envs,):
            raise BadArgument(f"actions have shape {given.shape}, not ({self.num_envs},)")
        if given.min() < -1 or given.max() >= self.num_actions:
            raise BadArgument(
                f"actions must be from 0 to {self.num_actions - 1}, or -1 to leave a game as it is"
            )
        with self._take_turn():
            if self.copy:
                self._use_new_arrays()
            self._engine.step(given.astype(np.int64, copy=False))
            return self.state

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for each game, all with the same probability."""
        actions = np.empty(self.num_envs, np.int64)
        with self._take_turn():
            self._engine.sample(actions)
        return actions

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        """Refuse a second thread, whose steps would mix with those of the first."""
        if not self._playing.acquire(blocking=False):
            raise LudusError("these games are being played by another thread")
        try:
            yield
        finally:
            self._playing.release()

    def observe(self, sides: ArrayLike) -> NDArray[np.float32]:
        """Return what a side of each game sees, shape (games, observation size)."""
        chosen, found = np.asarray(sides), self.state.observations.copy()
        others = np.flatnonzero(self.state.players != chosen)
        if self.is_compiled:
            found[others] = self.coding.swap_sides(found[others])
        for row in () if self.is_compiled else others:
            found[row] = self._engine.episodes[row].observe(int(chosen[row]))["observation"]
        return found

    @property
    def positions(self) -> list[Any]:
        """The position of each game; only of games that are played in Python."""
        if self.is_compiled:
            raise BadSpec("compiled games have no positions; GameArrays with compiled=False have")
        return [episode.position for episode in self._engine.episodes]

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


class EpisodeVector:
    """The games of a GameArrays in Python, for games that are not compiled."""

    def __init__(
        self, coding: Coding[Any, Any], num_envs: int, autoreset: AutoresetMode, max_moves: int
    ) -> None:
        self.episodes = [
            EnvEpisode(coding.game, None, max_moves, coding=coding) for _ in range(num_envs)
        ]
        self._has_same_step = autoreset == "same_step"
        self._choices: list[SplitMix64] = []
        self._has_new_arrays = True

    def use_arrays(self, *arrays: NDArray[Any]) -> None:
        """Write to these arrays, the fields of a VectorStep, from now on."""
        self._arrays, self._has_new_arrays = VectorStep(*arrays), True

    def reset(self, seed: int) -> None:
        """Begin all games anew: game i with the dice of `seed` + i."""
        self._choices = [SplitMix64(mix(~(seed + i))) for i in range(len(self.episodes))]
        self._clear_ends()
        for i, episode in enumerate(self.episodes):
            episode.reset(seed + i)
            self._write(i)
        self._has_new_arrays = False

    def step(self, actions: NDArray[np.int64]) -> None:
        """Apply one action in each game; -1 leaves a game as it is."""
        self._clear_ends()
        for i in range(len(self.episodes)):
            if actions[i] >= 0:
                self._act(i, int(actions[i]))
            if actions[i] >= 0 or self._has_new_arrays:
                self._write(i)
        self._has_new_arrays = False

    def _act(self, i: int, action: int) -> None:
        episode = self.episodes[i]
        if episode.is_over:
            episode.reset()
        else:
            episode.act(action)
            self._note_end(i)

    def _note_end(self, i: int) -> None:
        episode, arrays = self.episodes[i], self._arrays
        if not episode.is_over:
            return
        arrays.rewards[i] = episode.reward(0), episode.reward(1)
        arrays.terminated[i] = not episode.is_truncated
        arrays.truncated[i] = episode.is_truncated
        if self._has_same_step:
            arrays.final_observations[i] = episode.observe(episode.mover)["observation"]
            episode.reset()

    def sample(self, actions: NDArray[np.int64]) -> None:
        """Fill in a random legal action for each game; 0 where there is none."""
        for i, episode in enumerate(self.episodes):
            legal = episode.legal_actions
            actions[i] = legal[self._choices[i].below(len(legal))] if legal else 0

    def _clear_ends(self) -> None:
        for each in (self._arrays.rewards, self._arrays.terminated, self._arrays.truncated):
            each.fill(0)

    def _write(self, i: int) -> None:
        episode, arrays = self.episodes[i], self._arrays
        arrays.players[i] = episode.mover
        seen = episode.observe(episode.mover)
        arrays.observations[i], arrays.action_masks[i] = seen["observation"], seen["action_mask"]
