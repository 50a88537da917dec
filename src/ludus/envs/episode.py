"""One game as environments play it: actions, dice by the seed, rewards, and exact regret."""

import operator
import secrets
from functools import cached_property
from typing import Any, Literal, SupportsIndex, get_args

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, CannotSolve, LudusError
from ludus.core.game import CHANCE, AnyGame, Outcome, Position
from ludus.core.match import MAX_PLIES
from ludus.core.player import check_seed
from ludus.core.spec import check_choice, check_range
from ludus.core.splitmix import SplitMix64, mix
from ludus.games.coding import Coding as Coding
from ludus.games.coding import Observation
from ludus.games.coding import coding_for as coding_for
from ludus.oracles.interface import Oracle, Unsolved
from ludus.oracles.selection import oracle as find_oracle

MAX_MOVES = 2**31 - 1

ActionMask = NDArray[np.int8]

OracleOption = Oracle | Literal["auto"] | None
"""An oracle; `auto` for that of `ludus.oracle`; None for no regret in `info`."""


ObservationKind = Literal["columns", "planes"]
"""The columns of `Coding.observe`, or the same numbers as planes over the board."""

OBSERVATION_KINDS: tuple[str, ...] = get_args(ObservationKind)


class EnvEpisode:
    """The state of one game between two sides, action by action.

    A move may take several actions; see `ludus.games.coding`. Dice are rolled as soon as they are
    needed, so that a side is always to act. An action that is not legal loses the game by one
    point, as an illegal move does in a match.
    """

    def __init__(
        self,
        game: AnyGame,
        oracle: OracleOption = "auto",
        max_moves: int = MAX_PLIES,
        observation: ObservationKind = "columns",
        coding: Coding[Any, Any] | None = None,
    ) -> None:
        self.game = game
        self.coding = coding or coding_for(game)
        check_range("max_moves", max_moves, 1, MAX_MOVES)
        check_choice("there is no observation", observation, OBSERVATION_KINDS, BadSpec)
        self.has_planes = observation == "planes"
        self.max_moves = max_moves
        self.judge = Judge(game, oracle)
        self._source = SplitMix64(0)
        self._is_seeded = False
        self.position: Position = game.start()
        self.played: list[tuple[Position, Any]] = []
        """Each move of this game, with the position before it."""

    def reset(self, seed: int | None = None, start: Position | None = None) -> None:
        """Start a new game, from the start position if no other is given.

        Without a seed the dice continue, at first from a random seed.
        """
        if seed is not None:
            seed = check_seed(seed)
        if seed is not None or not self._is_seeded:
            # Seeds are often small and in sequence; mixing makes their dice independent.
            self._source = SplitMix64(mix(secrets.randbits(64) if seed is None else seed))
            self._is_seeded = True
        self.outcome: Outcome | None = None
        self.is_truncated = False
        self.played.clear()
        self._enter(self.game.start() if start is None else start)

    def _enter(self, position: Position) -> None:
        while position.mover == CHANCE:
            position = position.play(self.coding.sample_chance(position, self._source))
        self.position = position
        self.outcome = position.outcome()
        self._moves = self.coding.decode_actions(position)
        self._begin_with(())

    def _begin_with(self, actions: tuple[int, ...]) -> None:
        """Take the first actions of a move."""
        given = len(actions)
        self.actions = actions
        self._legal = sorted({each[given] for each in self._moves if each[:given] == actions})

    @property
    def has_begun(self) -> bool:
        """Whether `reset` has been called."""
        return self._is_seeded

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or was broken off."""
        return self.outcome is not None or self.is_truncated

    @property
    def mover(self) -> int:
        """The side to act."""
        return self.position.mover

    @property
    def legal_actions(self) -> list[int]:
        """The actions that the mover may choose from, ascending."""
        return [] if self.is_over else self._legal

    def mask_actions(self, side: int) -> ActionMask:
        """Return 1 for each legal action of a side; all 0 unless it is to act."""
        mask = np.zeros(self.coding.num_actions, dtype=np.int8)
        if side == self.mover:
            mask[self.legal_actions] = 1
        return mask

    def observe(self, side: int) -> dict[str, Observation | ActionMask]:
        """Return what a side sees; its mask is empty unless it is to act."""
        seen = self.coding.observe(self.position, side, self.actions)
        if self.has_planes:
            seen = self.coding.to_planes(seen)
        return {"observation": seen, "action_mask": self.mask_actions(side)}

    def act(self, action: SupportsIndex) -> float | None:
        """Apply an action of the mover; return the regret of a move that it completes, if known."""
        action = operator.index(action)
        actions = (*self.actions, action)
        if action not in self.legal_actions:
            self.outcome = Outcome(1 - self.mover, "illegal")
            return None
        if actions not in self._moves:
            self._begin_with(actions)
            return None
        move = self._moves[actions]
        regret = self.judge.compute_regret(self.position, move)
        self.play(move)
        return regret

    def play(self, move: Any) -> None:
        """Play a whole move of the mover."""
        if move not in self.position.legal_moves():
            self.outcome = Outcome(1 - self.mover, "illegal")
            return
        self.played.append((self.position, move))
        self._enter(self.position.play(move))
        self.is_truncated = self.outcome is None and len(self.played) >= self.max_moves

    def reward(self, side: int) -> float:
        """Return the points of a side: 0 until the game has ended."""
        return 0.0 if self.outcome is None else float(self.outcome.score(side))

    def render(self, mode: str | None) -> str | None:
        """Draw the board with characters (`ansi`) or as an SVG document (`svg`)."""
        if mode == "svg":
            return self.position.svg()
        if mode != "ansi":
            return None
        begun = ", ".join(map(self.coding.describe_action, self.actions))
        return self.position.text() + (f"\n{begun}, …" if begun else "")


class Judge:
    """Exact regrets where an oracle knows them without solving more than the game itself."""

    def __init__(self, game: AnyGame, oracle: OracleOption) -> None:
        self.game = game
        self._option = oracle

    def compute_regret(self, position: Position, move: Any) -> float | None:
        """Return what a move gives away in points; None where that is unknown."""
        oracle = self.oracle
        if oracle is None:
            return None
        try:
            if not self.is_solved and oracle.value_if_known(position) is None:
                return None
            return float(oracle.verdict(position).cost(move))
        except Unsolved:
            return None

    @cached_property
    def oracle(self) -> Oracle | None:
        """The oracle; None if there is none."""
        if not isinstance(self._option, str):
            return self._option
        try:
            return find_oracle(self.game)
        except CannotSolve:
            return None

    @cached_property
    def is_solved(self) -> bool:
        """Whether every value is known; a small game is solved here once, in memory."""
        try:
            return self.oracle is not None and self.oracle.has_value(self.game.start())
        except LudusError:
            return False
