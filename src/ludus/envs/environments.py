"""Any game as an environment with action masks: of PettingZoo, or of Gymnasium with an opponent."""

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ludus.core.errors import BadSpec, quote_value
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player
from ludus.core.spec import check_choice
from ludus.envs.episode import ActionMask, EnvEpisode, ObservationKind, OracleOption
from ludus.games import resolve_game
from ludus.games.coding import Coding, Observation
from ludus.players import player as named_player

AGENTS = ("player_0", "player_1")
"""Agents by side: `player_0` is the side that moves first where no dice decide it."""

RENDER_MODES = ("ansi", "svg")

Observed = dict[str, Observation | ActionMask]


MaskPlace = Literal["observation", "info"]
"""Where the mask of legal actions is."""

MASK_PLACES: tuple[str, ...] = get_args(MaskPlace)


def make_spaces(
    coding: Coding[Any, Any], has_planes: bool, mask: MaskPlace
) -> tuple[spaces.Space[Any], spaces.Discrete[np.int64]]:
    """Return the spaces of observations and of actions."""
    low, high = coding.observation_bounds
    shape = coding.plane_shape if has_planes else (coding.observation_size,)
    seen = spaces.Box(low, high, shape, np.float32)
    actions = spaces.Discrete(coding.num_actions)
    if mask == "info":
        return seen, actions
    legal = spaces.Box(0, 1, (coding.num_actions,), np.int8)
    return spaces.Dict({"observation": seen, "action_mask": legal}), actions


class GameEnv(AECEnv):  # type: ignore[misc] # PettingZoo has no types
    """A game between two agents, who act by turns; a move may take several actions of one agent.

    An observation is a dict of `observation`, from the agent's own side, and `action_mask`. Rewards
    are the points of the outcome, at the end alone. `infos` of the agent that has just completed a
    move has its `regret` where an oracle knows it.
    """

    def __init__(
        self,
        game: AnyGame | str,
        *,
        oracle: OracleOption = "auto",
        max_moves: int = MAX_PLIES,
        observation: ObservationKind = "columns",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        game = resolve_game(game)
        self.episode = EnvEpisode(game, oracle, max_moves, observation)
        self.metadata: dict[str, Any] = {
            "name": f"ludus_{game.id}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        coding, has_planes = self.episode.coding, self.episode.has_planes
        pairs = {agent: make_spaces(coding, has_planes, "observation") for agent in AGENTS}
        self.observation_spaces = {agent: pair[0] for agent, pair in pairs.items()}
        self.action_spaces = {agent: pair[1] for agent, pair in pairs.items()}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Return the space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; the seed determines the dice."""
        self.episode.reset(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.episode.mover]

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees; its mask is empty unless it is to act."""
        return self.episode.observe(AGENTS.index(agent))

    def step(self, action: int | None) -> None:
        """Apply an action of the selected agent; None once the game has ended for it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        regret = self.episode.act(action)
        self.infos[agent] = {} if regret is None else {"regret": regret}
        for side, each in enumerate(AGENTS):
            self.rewards[each] = self.episode.reward(side)
            self.terminations[each] = self.episode.outcome is not None
            self.truncations[each] = self.episode.is_truncated
        self._accumulate_rewards()
        self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        if not self.episode.is_over:
            self.agent_selection = AGENTS[self.episode.mover]

    def render(self) -> str | None:
        """Draw the board with characters (`ansi`) or as an SVG document (`svg`)."""
        return self.episode.render(self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


SideOption = Literal["alternate", 0, 1]
"""The agent's side: 0, 1, or each in turn from game to game."""


def check_side(side: Any, *others: str) -> None:
    """Raise BadSpec unless this is a side, or one of some words."""
    if side not in (*others, 0, 1):
        raise BadSpec(f"side={quote_value(side)} must be {', '.join(['0', *others])} or 1")


class OpponentEnv(gymnasium.Env[Any, Any]):
    """A game of one agent against a player; the player's moves are part of the environment.

    Observations and rewards are those of the agent. `info` has the `action_mask`, the agent's
    `side`, and the `regret` of a move that an action completed, where an oracle knows it. With
    `mask="observation"` the observation is a dict with the mask instead, as in `GameEnv`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: AnyGame | str,
        opponent: Player | str = "random",
        *,
        rules: Any = "",
        side: SideOption = "alternate",
        limit: Limit = Limit(),  # noqa: B008 - frozen
        oracle: OracleOption = "auto",
        max_moves: int = MAX_PLIES,
        observation: ObservationKind = "columns",
        mask: MaskPlace = "info",
        render_mode: str | None = None,
    ) -> None:
        check_side(side, "alternate")
        check_choice("there is no mask", mask, MASK_PLACES, BadSpec)
        self.game = resolve_game(game, rules)
        self.opponent = named_player(opponent, self.game) if isinstance(opponent, str) else opponent
        self.episode = EnvEpisode(self.game, oracle, max_moves, observation)
        self.limit = limit
        self.side_option = side
        self.side: int = 1 if side == "alternate" else side
        self.render_mode = render_mode
        self.has_mask_in_info = mask == "info"
        self.observation_space, self.action_space = make_spaces(
            self.episode.coding, self.episode.has_planes, mask
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game; the seed determines the dice and the player's random choices.

        With a seed and alternating sides the agent is side 0; `options={"side": 1}` chooses, and
        `options={"position": …}` is where the game starts.
        """
        super().reset(seed=seed)
        side = self.side
        if self.side_option == "alternate":
            side = 0 if seed is not None else 1 - side
        side = (options or {}).get("side", side)
        check_side(side)
        self.side = side
        self.episode.reset(seed, (options or {}).get("position"))
        self.opponent.check_start(self.episode.position)
        self.opponent.start_game(int(self.np_random.integers(2**62)))
        self._let_opponent_move()
        return self._observe({})

    def _observe(self, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return what the agent sees, and an info with its side."""
        seen, info = self.episode.observe(self.side), {"side": self.side, **info}
        if self.has_mask_in_info:
            return seen["observation"], {**info, "action_mask": seen["action_mask"]}
        return seen, info

    def _let_opponent_move(self) -> None:
        while not self.episode.is_over and self.episode.mover != self.side:
            self.episode.play(self.opponent.choose(self.episode.position, self.limit).move)
        if self.episode.outcome is not None:
            self.opponent.finish_game(self.episode.outcome)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Apply an action of the agent, and let the player move where it is to move."""
        if not self.episode.has_begun or self.episode.is_over:
            raise gymnasium.error.ResetNeeded("no game is played; call reset()")
        regret = self.episode.act(action)
        self._let_opponent_move()
        seen, info = self._observe({} if regret is None else {"regret": regret})
        has_ended = self.episode.outcome is not None
        return seen, self.episode.reward(self.side), has_ended, self.episode.is_truncated, info

    def action_masks(self) -> ActionMask:
        """Return the mask of the legal actions, under the name that sb3-contrib asks for."""
        return self.episode.mask_actions(self.side)

    def render(self) -> str | None:
        """Draw the board with characters (`ansi`) or as an SVG document (`svg`)."""
        return self.episode.render(self.render_mode)
