"""Many games of one agent against a player or a policy, as Gymnasium's vector environment."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ludus.core.errors import BadArgument, BadMove, BadSpec
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player, check_seed
from ludus.core.spec import check_choice
from ludus.envs.arrays import GameArrays
from ludus.envs.environments import (
    MASK_PLACES,
    MaskPlace,
    SideOption,
    check_side,
    make_spaces,
)
from ludus.envs.episode import OBSERVATION_KINDS, ObservationKind
from ludus.games import resolve_game
from ludus.players import player as named_player

VectorAutoreset = Literal["same_step", "next_step", "disabled"]

BatchPolicy = Callable[[Mapping[str, NDArray[Any]]], ArrayLike]
"""Returns a legal action for each row of `observation` and `action_mask`."""

Rows = NDArray[np.intp]
"""Numbers of games."""


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many games of one agent against a player, stepped at once.

    `opponent` is `random`, a policy for whole batches, or another player or its spec. Against the
    first two, Morris and backgammon are played in compiled code; one player object plays all games.
    `side`, `observation` and `mask` are those of `OpponentEnv`; with `side="alternate"` the agent
    has side i % 2 in the first of the games i, and then the other one in turn.

    With `autoreset="same_step"` a game that ends is followed by the next one in the same step, and
    `infos["final_obs"]` has its last observation; with `next_step` the step after the end begins
    the next one and ignores the action, for which every action is in the mask; with `disabled`
    games that have ended begin with `reset(options={"reset_mask": …})`.

    >>> envs = VectorEnv("hexapawn", num_envs=2)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].sum(axis=1), infos["side"]
    ((2, 10), array([3, 4]), array([0, 1], dtype=int8))
    """

    def __init__(
        self,
        game: AnyGame | str,
        num_envs: int = 1,
        opponent: Player | BatchPolicy | str = "random",
        *,
        rules: Any = "",
        side: SideOption = "alternate",
        limit: Limit = Limit(),  # noqa: B008 - frozen
        max_moves: int = MAX_PLIES,
        observation: ObservationKind = "columns",
        mask: MaskPlace = "info",
        autoreset: VectorAutoreset | AutoresetMode = "same_step",
        threads: int = 1,
    ) -> None:
        check_side(side, "alternate")
        check_choice("there is no mask", mask, MASK_PLACES, BadSpec)
        check_choice("there is no observation", observation, OBSERVATION_KINDS, BadSpec)
        self._mode = _find_mode(autoreset)
        self.game = resolve_game(game, rules)
        if isinstance(opponent, str) and opponent != "random":
            opponent = named_player(opponent, self.game)
        self._games = GameArrays(
            self.game,
            num_envs,
            threads=threads,
            autoreset="next_step",
            max_moves=max_moves,
            copy=False,
            compiled=not isinstance(opponent, Player),
        )
        self._opponent = _make_opponent(opponent, self._games, limit)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": self._mode, "render_modes": []}
        self.coding = self._games.coding
        self._has_planes, self._has_mask_in_info = observation == "planes", mask == "info"
        self.single_observation_space, self.single_action_space = make_spaces(
            self.coding, self._has_planes, mask
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._side_option = side
        self._sides = np.zeros(num_envs, np.int8)
        self._is_over = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all games anew, game i with the dice of `seed` + i.

        `options={"reset_mask": …}` begins the games of the mask, which must have ended.
        """
        super().reset(seed=None if seed is None else check_seed(seed))
        begun = (options or {}).get("reset_mask")
        if begun is not None:
            begun = np.asarray(begun, np.bool_)
            if begun.shape != (self.num_envs,) or (begun & ~self._is_over).any():
                raise BadArgument("reset_mask must have a row for each game, true for ended ones")
            self._begin(begun)
            return self._observe()
        self._games.reset(seed)
        self._opponent.reset(int(self.np_random.integers(2**62)))
        numbers = np.arange(self.num_envs, dtype=np.int8) % 2
        alternates = self._side_option == "alternate"
        self._sides = numbers if alternates else np.full_like(numbers, self._side_option)
        self._is_over[:] = False
        self._play(np.full(self.num_envs, -1))
        return self._observe()

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Apply an action of the agent in each game, and let the opponent play until it is to act.

        An illegal action loses the game.
        """
        given = np.array(actions)
        if given.dtype.kind in "iu" and given.size and given.min() < 0:
            raise BadArgument(f"actions must be from 0 to {self.coding.num_actions - 1}")
        begun = self._is_over.copy()
        if begun.any() and self._mode == AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded(
                f"game {begun.argmax()} has ended; call reset(options={{'reset_mask': …}})"
            )
        self._swap_sides(begun)
        rewards, terminated, truncated = self._play(given)
        ended, final = terminated | truncated, {}
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            final = self._describe_ends(ended)
            self._begin(ended)
        observations, infos = self._observe()
        return observations, rewards, terminated, truncated, {**final, **infos}

    def _begin(self, begun: NDArray[np.bool_]) -> None:
        """Begin the next game where one has ended."""
        self._swap_sides(begun)
        self._play(np.where(begun, 0, -1))

    def _swap_sides(self, begun: NDArray[np.bool_]) -> None:
        self._is_over[begun] = False
        if self._side_option == "alternate":
            self._sides[begun] ^= 1

    def _play(self, actions: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Apply actions, -1 for none, then the opponent's; return rewards and the two ends."""
        rewards = np.zeros(self.num_envs)
        terminated, truncated = (np.zeros(self.num_envs, np.bool_) for _ in range(2))
        every = np.arange(self.num_envs)
        while True:
            state = self._games.step(actions)
            rewards += state.rewards[every, self._sides]
            terminated |= state.terminated
            truncated |= state.truncated
            self._is_over |= state.terminated | state.truncated
            waiting = np.flatnonzero(~self._is_over & (state.players != self._sides))
            if not len(waiting):
                return rewards, terminated, truncated
            actions = np.full(self.num_envs, -1)
            actions[waiting] = self._opponent.choose(waiting)

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        state = self._games.state
        masks = state.action_masks.copy()
        masks[self._is_over] = 1  # whatever is chosen there is ignored
        infos = {"side": self._sides.copy()}
        seen = self._games.observe(self._sides)
        if self._has_planes:
            seen = self.coding.to_planes(seen)
        if self._has_mask_in_info:
            return seen, _as_infos({"action_mask": masks, **infos})
        return {"observation": seen, "action_mask": masks}, _as_infos(infos)

    def _describe_ends(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos of games that have ended, as Gymnasium's `SyncVectorEnv` does."""
        seen, infos = self._observe()
        found = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended):
            found[row] = (
                seen[row]
                if self._has_mask_in_info
                else {key: value[row] for key, value in seen.items()}
            )
        last = {key: value for key, value in infos.items() if not key.startswith("_")}
        last |= {f"_{key}": ended for key in last}
        return {"final_obs": found, "_final_obs": ended, "final_info": last, "_final_info": ended}


def _as_infos(values: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return infos that all games have."""
    return {**values, **{f"_{key}": np.ones(len(value), bool) for key, value in values.items()}}


def _find_mode(autoreset: VectorAutoreset | AutoresetMode) -> AutoresetMode:
    if isinstance(autoreset, AutoresetMode):
        return autoreset
    modes = {mode.name.lower(): mode for mode in AutoresetMode}
    check_choice("VectorEnv has no autoreset", autoreset, modes, BadSpec)
    return modes[autoreset]


class _Opponent:
    """Acts in the games that wait for the opponent: at random."""

    def __init__(self, games: GameArrays) -> None:
        self.games = games

    def reset(self, seed: int) -> None:
        """Prepare for new games."""

    def choose(self, rows: Rows) -> ArrayLike:
        """Return the next action of the opponent in each of these games."""
        return self.games.sample_actions()[rows]


class _PolicyOpponent(_Opponent):
    """A policy, which is asked for all waiting games at once."""

    def __init__(self, games: GameArrays, policy: BatchPolicy) -> None:
        super().__init__(games)
        self._policy = policy

    def choose(self, rows: Rows) -> ArrayLike:
        state = self.games.state
        seen: dict[str, NDArray[Any]] = {
            "observation": state.observations[rows],
            "action_mask": state.action_masks[rows],
        }
        return self._policy(seen)


class _PlayerOpponent(_Opponent):
    """A player, whose move is several actions where the coding has it so."""

    def __init__(self, games: GameArrays, player: Player, limit: Limit) -> None:
        super().__init__(games)
        self._player, self._limit = player, limit
        self._following: dict[int, list[int]] = {}

    def reset(self, seed: int) -> None:
        self._following.clear()
        self._player.start_game(seed)

    def choose(self, rows: Rows) -> ArrayLike:
        missing = [int(row) for row in rows if not self._following.get(int(row))]
        positions = self.games.positions
        boards = [positions[row] for row in missing]
        for row, position, choice in zip(
            missing, boards, self._player.choose_many(boards, self._limit), strict=True
        ):
            if choice.move not in position.legal_moves():
                raise BadMove(f"{self._player.spec} chose {choice.move}, which is not legal here")
            actions = self.games.coding.encode_move(position, choice.move)
            self._following[row] = list(actions)
        return [self._following[int(row)].pop(0) for row in rows]


def _make_opponent(
    opponent: Player | BatchPolicy | str, games: GameArrays, limit: Limit
) -> _Opponent:
    if isinstance(opponent, Player):
        return _PlayerOpponent(games, opponent, limit)
    if callable(opponent):
        return _PolicyOpponent(games, opponent)
    return _Opponent(games)
