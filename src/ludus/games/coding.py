"""Actions as numbers and observations as arrays, for environments of reinforcement learning.

A move is one action, or several in a fixed order: a man that moves and a man that is taken, or the
steps of a roll of dice. In every position each legal move has exactly one sequence of actions, and
no sequence is the beginning of another; so the actions chosen one after the other name one move.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from ludus.core.game import AnyGame, Game, M, P
from ludus.core.spec import load_target
from ludus.core.splitmix import WORD, SplitMix64
from ludus.games.squares import SquaresPosition, encode_cells

Actions = tuple[int, ...]
"""The actions of a move, or of its beginning."""

Observation = NDArray[np.float32]
"""Columns, as the papers have them, or planes of the same numbers (see `Coding.to_planes`)."""


class Coding(ABC, Generic[P, M]):
    """The coding of one game with its rules."""

    num_actions: int
    """Actions are numbered from 0 to `num_actions` - 1."""

    observation_size: int
    """Length of an observation."""

    observation_bounds: tuple[float, float] = (0.0, 1.0)
    """The least and the greatest number of an observation."""

    def __init__(self, game: Game[P, M]) -> None:
        self.game = game

    @abstractmethod
    def encode_move(self, position: P, move: M) -> Actions:
        """Return the actions of a legal move."""

    @abstractmethod
    def observe(self, position: P, side: int, actions: Sequence[int] = ()) -> Observation:
        """Return what this side sees after the first actions of the mover's next move."""

    @abstractmethod
    def describe_action(self, action: int) -> str:
        """Return an action in words of the game's notation."""

    def place_columns(self) -> NDArray[np.intp]:
        """Return the column of an observation that stands at each place of planes over the board.

        Shape (planes, height, width); -1 where a place has no column. Each column that is in none
        of them becomes a plane of its own, with the same number everywhere.
        """
        return np.zeros((0, 1, 1), dtype=np.intp)

    @cached_property
    def _plane_columns(self) -> NDArray[np.intp]:
        placed = self.place_columns()
        rest = np.setdiff1d(np.arange(self.observation_size), placed)
        return np.concatenate(
            [placed, np.broadcast_to(rest[:, None, None], (len(rest), *placed.shape[1:]))]
        )

    @property
    def plane_shape(self) -> tuple[int, ...]:
        """The shape of an observation as planes: number, height, width."""
        return self._plane_columns.shape

    def to_planes(self, observations: Observation) -> Observation:
        """Return observations (…, columns) as planes over the board, (…, planes, height, width)."""
        nothing = np.zeros((*observations.shape[:-1], 1), observations.dtype)
        return np.concatenate([observations, nothing], axis=-1)[..., self._plane_columns]

    def decode_actions(self, position: P) -> dict[Actions, M]:
        """Return every legal move by its actions."""
        return {self.encode_move(position, move): move for move in position.legal_moves()}

    def make_native_vector(
        self, num_envs: int, threads: int, autoreset: str, max_moves: int
    ) -> Any | None:
        """Return many games at once in compiled code, of `ludus._native.environments`, if any."""
        return None

    def swap_sides(self, observations: Observation) -> Observation:
        """Return what the other side sees, from observations (…, columns) of compiled games."""
        raise NotImplementedError

    def sample_chance(self, position: P, source: SplitMix64) -> M:
        """Return a random roll where the mover is CHANCE."""
        rolls, probabilities = zip(*self.game.chances(position), strict=True)
        cumulative = np.cumsum(probabilities)
        index = int(np.searchsorted(cumulative, cumulative[-1] * source.next() / WORD, "right"))
        found: M = rolls[min(index, len(rolls) - 1)]
        return found


class MoveListCoding(Coding[P, M]):
    """One action for each move: its index in `Game.all_moves`."""

    def __init__(self, game: Game[P, M]) -> None:
        super().__init__(game)
        self.moves = game.all_moves() or ()
        self.num_actions = len(self.moves)
        self._numbers = {move: number for number, move in enumerate(self.moves)}

    def encode_move(self, position: P, move: M) -> Actions:
        return (self._numbers[move],)

    def describe_action(self, action: int) -> str:
        return str(self.moves[action])


class SquaresCoding(MoveListCoding[SquaresPosition, M]):
    """Squares as `encode_cells` has them, then the number of the side that observes.

    The last column tells which way pawns go.
    """

    observation_bounds = (-1.0, 1.0)

    def __init__(self, game: Game[SquaresPosition, M]) -> None:
        super().__init__(game)
        self.observation_size = len(game.start().cells) + 1

    def observe(
        self, position: SquaresPosition, side: int, actions: Sequence[int] = ()
    ) -> Observation:
        squares = encode_cells(position.cells, position.letters[side])
        return np.array([*squares, side], dtype=np.float32)

    @property
    def plane_shape(self) -> tuple[int, ...]:
        size = self.game.start().size
        return 3, size, size

    def to_planes(self, observations: Observation) -> Observation:
        """Return three planes: own men, those of the other side, and the number of the side."""
        shape = *observations.shape[:-1], *self.plane_shape[1:]
        cells = observations[..., :-1].reshape(shape)
        side = np.broadcast_to(observations[..., -1, None, None], shape)
        return np.stack([cells == 1, cells == 0, side], axis=-3, dtype=np.float32, casting="unsafe")


def coding_for(game: AnyGame) -> Coding[Any, Any]:
    """Return the coding of a game: its own, or the one that fits any game."""
    kind: type[Coding[Any, Any]] = load_target(
        game.coding or "ludus.games.general_coding:GeneralCoding"
    )
    return kind(game)
