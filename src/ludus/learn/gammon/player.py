"""The player `gammon`: plays the move that the network scores highest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.marks import Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.position import Action, Position
from ludus.games.backgammon.rules import Rules, check_cubeless
from ludus.learn.gammon.examples import encode_positions
from ludus.learn.gammon.network import SHIPPED_NETWORKS, load_network

MAX_PICTURES = 3


def make_best_move_pictures(
    game: AnyGame, position: Position, scores: Mapping[Move, float]
) -> list[Picture]:
    """Return a picture of each of the best moves, with its score and the difference to the best."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:MAX_PICTURES]
    pictures = []
    for rank, (move, score) in enumerate(ranked):
        steps = game.steps(move)
        behind = f", {ranked[0][1] - score:.0f} behind the best" if rank else ""
        pictures.append(
            Picture(
                str(move),
                text=f"Scored {score:+.0f}{behind}.",
                notes=tuple(
                    Note(pair, colour=rank) for pair in zip(steps[::2], steps[1::2], strict=True)
                ),
            )
        )
    return pictures


@dataclass(frozen=True, slots=True)
class GammonOptions:
    """The network that plays."""

    weights: str = "paper"
    """A shipped network, `paper` or `comparison`, or a file that `ludus train gammon` wrote."""


class GammonPlayer(Player):
    """Scores every legal move and plays the one with the highest score."""

    title: ClassVar[str] = "the network of Tesauro and Sejnowski, trained on an expert's scores"
    options: ClassVar[GammonOptions] = GammonOptions()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: GammonOptions

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        if game.rules.men != Rules().men:
            raise BadSpec("the network has learned backgammon with 15 men a side only")
        check_cubeless(game.rules, "gammon")
        self._network = load_network(settings.weights)

    @property
    def name(self) -> str:
        kind = self.settings.weights if self.settings.weights in SHIPPED_NETWORKS else "trained"
        return f"{kind} network {self._network.name}"

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def pictures(self, position: Position) -> list[Picture]:
        """Return pictures of the moves with the highest scores, each on its own board."""
        return make_best_move_pictures(self.game, position, self.choose(position).scores)

    def choose_many(self, positions: Sequence[Position], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        offsets, encoded_moves = encode_positions(positions, self._network.encoding)
        scores = self._network.scores(encoded_moves)
        return [
            _make_choice(position.legal_moves(), scores[begin:end].tolist())
            for position, begin, end in zip(positions, offsets[:-1], offsets[1:], strict=True)
        ]


def _make_choice(legal: Sequence[Action], scores: list[float]) -> Choice:
    ranked = sorted(range(len(legal)), key=lambda number: -scores[number])
    best = legal[ranked[0]]
    if len(legal) == 1:
        return Choice(best, "has no choice")
    first, second = scores[ranked[0]], scores[ranked[1]]
    comment = f"scores it {first:+.0f}, the next best {legal[ranked[1]]} {second:+.0f}"
    return Choice(best, comment, dict(zip(legal, scores, strict=True)))
