"""The player `deepq`, in numpy only."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from ludus.core.errors import BadSpec
from ludus.core.game import Position
from ludus.core.player import Choice, Limit, Player
from ludus.learn.dqn.weights import (
    SUPPORTED_GAMES,
    FloatArray,
    compute_q_values,
    encode_position,
    list_actions,
    load_weights,
)
from ludus.learn.weights import find_shipped

WEIGHTS_FOLDER = Path(__file__).with_name("weights")


@dataclass(frozen=True, slots=True)
class DqnOptions:
    """Options of the player `deepq`."""

    weights: str = ""
    """A file written by `ludus train deepq`, instead of the shipped network."""


class DqnPlayer(Player):
    """Plays the legal move with the highest Q-value."""

    title: ClassVar[str] = "plays the move that a deep Q-network thinks is worth most"
    options: ClassVar[DqnOptions] = DqnOptions()
    games: ClassVar[frozenset[str] | None] = SUPPORTED_GAMES

    @cached_property
    def weights(self) -> dict[str, FloatArray]:
        """The network's weights."""
        name = f"{self.game.id}-{self.game.rules.size}"
        file = (
            Path(self.settings.weights)
            if self.settings.weights
            else find_shipped(WEIGHTS_FOLDER, ".npz").get(name)
        )
        if file is None:
            raise BadSpec(
                f"no network for {self.game.id} with {self.game.rules} comes with the program; "
                "give one that ludus train deepq has written: deepq:weights=FILE"
            )
        return load_weights(file, self.game)

    @cached_property
    def action_index(self) -> dict[str, int]:
        """Output index of each move."""
        return {move: number for number, move in enumerate(list_actions(self.game))}

    def check_start(self, position: Position) -> None:
        """Raise BadSpec if there is no network for these rules."""
        _ = self.weights

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Position], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        if not positions:
            return []
        inputs = np.array([encode_position(position) for position in positions], dtype=np.float32)
        q_values = compute_q_values(self.weights, inputs)
        return [self._choose_best(*pair) for pair in zip(positions, q_values, strict=True)]

    def _choose_best(self, position: Position, row: FloatArray) -> Choice:
        scores = {move: float(row[self.action_index[str(move)]]) for move in position.legal_moves()}
        move = max(scores, key=scores.__getitem__)
        return Choice(move, f"expects a reward of {scores[move]:.1f}", scores)
