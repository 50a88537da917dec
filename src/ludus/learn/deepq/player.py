"""The player that deep Q-learning becomes: numpy alone, no torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.learn.deepq.encoding import GAMES, features, outputs
from ludus.learn.deepq.network import Array, values
from ludus.learn.deepq.state_file import network, read_arrays

SHIPPED = Path(__file__).with_name("weights")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the network comes from."""

    weights: str = ""
    """A file that `ludus train deepq` has written; else the one that comes with the program."""


class DeepQPlayer(Player):
    """Plays the legal move that its network thinks is worth most."""

    title: ClassVar[str] = "plays the move that a deep Q-network thinks is worth most"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = GAMES

    @cached_property
    def weights(self) -> dict[str, Array]:
        """The network."""
        file = Path(self.settings.weights)
        if not self.settings.weights:
            file = SHIPPED / f"{self.game.id}-{self.game.rules.size}.npz"
            if not file.is_file():
                raise BadSpec(
                    f"no network for {self.game.id} with {self.game.rules} comes with the program; "
                    "give one that ludus train deepq has written: deepq:weights=FILE"
                )
        return network(read_arrays(file, self.game)[1], self.game)

    @cached_property
    def places(self) -> dict[str, int]:
        """Move to the number of its output."""
        return {move: number for number, move in enumerate(outputs(self.game))}

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        if not positions:
            return []
        inputs = np.array([features(position) for position in positions], dtype=np.float32)
        found = values(self.weights, inputs)
        return [self._best(*pair) for pair in zip(positions, found, strict=True)]

    def _best(self, position: Any, row: Array) -> Choice:
        scores = {move: float(row[self.places[str(move)]]) for move in position.legal_moves()}
        move = max(scores, key=scores.__getitem__)
        return Choice(move, f"expects a reward of {scores[move]:.1f}", scores)
