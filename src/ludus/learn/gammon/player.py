"""The trained network as a player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.games.backgammon.rules import Rules
from ludus.learn.gammon.lessons import coded
from ludus.learn.gammon.pictures import best_moves
from ludus.learn.gammon.shipped import NETWORKS, network
from ludus.players.tool.rows import row_of


@dataclass(frozen=True, slots=True)
class Options:
    """Which network plays."""

    weights: str = "paper"
    """A shipped network, `paper` or `comparison`, or a file that `ludus train gammon` wrote."""


class GammonPlayer(Player):
    """Scores every legal move and plays the one with the highest score."""

    title: ClassVar[str] = "the network of Tesauro and Sejnowski, trained on an expert's scores"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        if game.rules.men != Rules().men:
            raise BadSpec("the network has learned backgammon with 15 men a side only")
        self._network = network(settings.weights)

    @property
    def name(self) -> str:
        kind = self.settings.weights if self.settings.weights in NETWORKS else "trained"
        return f"{kind} network {self._network.name}"

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def pictures(self, position: Any) -> list[Picture]:
        """The moves it scores highest, each on a board of its own."""
        return best_moves(self.game, position, self.choose(position).scores)

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        boards = np.array([row_of(position) for position in positions], np.int8).reshape(-1, 52)
        rolls = np.array([position.dice for position in positions], np.int8).reshape(-1, 2)
        moves, _, patterns = coded(boards, rolls, self._network.coding)
        scores = self._network.scores(patterns)
        return [
            _choice(position.legal_moves(), scores[begin:end].tolist())
            for position, begin, end in zip(positions, moves[:-1], moves[1:], strict=True)
        ]


def _choice(legal: list[Any], scores: list[float]) -> Choice:
    ranked = sorted(range(len(legal)), key=lambda number: -scores[number])
    best = legal[ranked[0]]
    if len(legal) == 1:
        return Choice(best, "has no choice")
    first, second = scores[ranked[0]], scores[ranked[1]]
    comment = f"scores it {first:+.0f}, the next best {legal[ranked[1]]} {second:+.0f}"
    return Choice(best, comment, dict(zip(legal, scores, strict=True)))
