"""The player `gammon`: the paper's network, and the strong networks with lookahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.analysis.backgammon import NetworkEvaluator, format_lookahead
from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.marks import Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.position import Action, Position
from ludus.games.backgammon.rules import Rules, check_cubeless
from ludus.learn.gammon.chances_policy import ChancesPolicy
from ludus.learn.gammon.encoding import encode_positions
from ludus.learn.gammon.network import (
    SHIPPED_NETWORKS,
    ChancesNetwork,
    GammonNetwork,
    load_network,
    load_shipped_chances,
)
from ludus.learn.gammon.rollout import MAX_GAMES, RolloutEvaluator, RolloutOptions

MAX_PICTURES = 3
CHANCES_SUFFIX = ".safetensors"


def make_best_move_pictures(
    game: AnyGame, position: Position, scores: Mapping[Move, float], decimals: int = 0
) -> list[Picture]:
    """Return a picture of each of the best moves, with its score and the difference to the best."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:MAX_PICTURES]
    pictures = []
    for rank, (move, score) in enumerate(ranked):
        steps = game.steps(move)
        behind = f", {ranked[0][1] - score:.{decimals}f} behind the best" if rank else ""
        pictures.append(
            Picture(
                str(move),
                text=f"Scored {score:+.{decimals}f}{behind}.",
                notes=tuple(
                    Note(pair, colour=rank) for pair in zip(steps[::2], steps[1::2], strict=True)
                ),
            )
        )
    return pictures


@dataclass(frozen=True, slots=True)
class GammonOptions:
    """The network that plays."""

    net: Literal["paper", "expert", "selfplay"] = "paper"
    """The network of 1988, or a strong one: trained on an expert's labels, or by self-play."""

    ply: Literal["0", "1", "2"] = "0"
    """Lookahead of a strong network: none, their replies, or also the own moves after them."""

    rollout: int = 0
    """Games by which the best moves of a strong network are rolled out, and the cube; 0: none."""

    horizon: int = 0
    """Rolls after which the games of a rollout are estimated; 0: they are played to the end."""

    weights: str = "paper"
    """Another network in place of the paper's: `comparison`, or a file of `ludus train`."""

    @property
    def is_strong(self) -> bool:
        """Whether a network of chances plays."""
        return self.net != "paper" or self.weights.endswith(CHANCES_SUFFIX)

    def __post_init__(self) -> None:
        if self.net != "paper" and self.weights != "paper":
            raise BadSpec("name a network by net or by weights, not by both")
        if (self.ply != "0" or self.rollout) and not self.is_strong:
            raise BadSpec("only the strong networks look ahead: net=expert or net=selfplay")
        if not (0 <= self.rollout <= MAX_GAMES and self.horizon >= 0):
            raise BadSpec(f"a rollout has at most {MAX_GAMES:,} games")


class GammonPlayer(Player):
    """Scores every legal move and plays the one with the highest score.

    The paper's network scores from -100 to 100; the scores of the strong ones are equities.
    """

    title: ClassVar[str] = "networks: of Tesauro and Sejnowski 1988, and strong ones"
    options: ClassVar[GammonOptions] = GammonOptions()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: GammonOptions

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        if game.rules.men != Rules().men:
            raise BadSpec("the network has learned backgammon with 15 men a side only")
        if not settings.is_strong:
            check_cubeless(game.rules, "gammon")
        self._policy: PaperPolicy | ChancesPolicy
        if self.settings.is_strong:
            ply = int(self.settings.ply)
            self._policy = ChancesPolicy(_load_chances(self.settings), ply)
            self.evaluator = NetworkEvaluator(self._policy, self.spec, ply)
            if settings.rollout:
                rolled = RolloutOptions(settings.rollout, ply, settings.horizon)
                self.evaluator = RolloutEvaluator(self._policy, self.spec, rolled)
            self.score_unit = "equity"
        else:
            self._policy = PaperPolicy(self.settings.weights)

    @property
    def network(self) -> GammonNetwork | ChancesNetwork:
        """The network that plays."""
        return self._policy.network

    @property
    def name(self) -> str:
        settings = self.settings
        if settings.is_strong:
            kind = "trained" if settings.net == "paper" else str(settings.net)
        else:
            kind = settings.weights if settings.weights in SHIPPED_NETWORKS else "trained"
        ahead = f", {format_lookahead(int(settings.ply))}" if settings.ply != "0" else ""
        ahead += f", rollouts of {settings.rollout} games" if settings.rollout else ""
        return f"{kind} network {self._policy.network.name}{ahead}"

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def pictures(self, position: Position) -> list[Picture]:
        """Return pictures of the moves with the highest scores, each on its own board."""
        scores = {
            move: score
            for move, score in self.choose(position).scores.items()
            if isinstance(move, Move)
        }
        return make_best_move_pictures(self.game, position, scores, 3 * self.settings.is_strong)

    def choose_many(self, positions: Sequence[Position], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        if not (self.game.rules.has_stakes or self.settings.rollout):
            return self._policy.choose(positions)
        return [self.evaluator.choose(position) for position in positions]


def _load_chances(settings: GammonOptions) -> ChancesNetwork:
    if settings.net != "paper":
        return load_shipped_chances(settings.net)
    return ChancesNetwork.load(Path(settings.weights))


class PaperPolicy:
    """Moves by the network of 1988."""

    def __init__(self, weights: str) -> None:
        self.network = load_network(weights)

    def choose(self, positions: Sequence[Position]) -> list[Choice]:
        """Return one choice per position."""
        offsets, encoded_moves = encode_positions(positions, self.network.encoding)
        scores = self.network.scores(encoded_moves)
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
