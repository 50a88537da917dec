"""Any game as a Gymnasium environment for one agent against a player."""

from typing import Any, Literal

import gymnasium

from ludus.core.errors import BadSpec, quote_value
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player
from ludus.envs.aec import RENDER_MODES, make_spaces
from ludus.envs.episode import (
    ActionMask,
    EnvEpisode,
    OracleOption,
)
from ludus.games import resolve_game
from ludus.games.coding import Observation
from ludus.players import player as named_player

SideOption = Literal["alternate", 0, 1]
"""The agent's side: 0, 1, or each in turn from game to game."""

Observed = dict[str, Observation | ActionMask]


class OpponentEnv(gymnasium.Env[Any, Any]):
    """A game of one agent against a player; the player's moves are part of the environment.

    Observations and rewards are those of the agent. `info` has the agent's `side`, and the `regret`
    of a move that an action completed, where an oracle knows it.
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
        render_mode: str | None = None,
    ) -> None:
        if side not in ("alternate", 0, 1):
            raise BadSpec(f"side={quote_value(side)} must be 0, 1 or alternate")
        self.game = resolve_game(game, rules)
        self.opponent = named_player(opponent, self.game) if isinstance(opponent, str) else opponent
        self.episode = EnvEpisode(self.game, oracle, max_moves)
        self.limit = limit
        self.side_option = side
        self.side: int = 1 if side == "alternate" else side
        self.render_mode = render_mode
        self.observation_space, self.action_space = make_spaces(self.episode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start a new game; the seed determines the dice and the player's random choices.

        With a seed and alternating sides the agent is side 0; `options={"side": 1}` chooses.
        """
        super().reset(seed=seed)
        side = self.side
        if self.side_option == "alternate":
            side = 0 if seed is not None else 1 - side
        side = (options or {}).get("side", side)
        if side not in (0, 1):
            raise BadSpec(f"side={quote_value(side)} must be 0 or 1")
        self.side = side
        self.episode.reset(seed)
        self.opponent.start_game(int(self.np_random.integers(2**62)))
        self._let_opponent_move()
        return self.episode.observe(self.side), {"side": self.side}

    def _let_opponent_move(self) -> None:
        while not self.episode.is_over and self.episode.mover != self.side:
            self.episode.play(self.opponent.choose(self.episode.position, self.limit).move)
        if self.episode.outcome is not None:
            self.opponent.finish_game(self.episode.outcome)

    def step(self, action: int) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Apply an action of the agent, and let the player move where it is to move."""
        if not self.episode.has_begun or self.episode.is_over:
            raise gymnasium.error.ResetNeeded("no game is played; call reset()")
        regret = self.episode.act(action)
        self._let_opponent_move()
        return (
            self.episode.observe(self.side),
            self.episode.reward(self.side),
            self.episode.outcome is not None,
            self.episode.is_truncated,
            {"side": self.side} | ({} if regret is None else {"regret": regret}),
        )

    def action_masks(self) -> ActionMask:
        """Return the mask of the legal actions, under the name that sb3-contrib asks for."""
        mask = self.episode.observe(self.side)["action_mask"]
        return mask.astype("int8", copy=False)

    def render(self) -> str | None:
        """Draw the board with characters (`ansi`) or as an SVG document (`svg`)."""
        return self.episode.render(self.render_mode)
