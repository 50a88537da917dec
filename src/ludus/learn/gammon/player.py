"""The player `gammon`: the paper's network, and the strong networks with lookahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ludus.analysis.backgammon import NetworkEvaluator, format_lookahead
from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.marks import Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.games.backgammon.batch import position_to_row
from ludus.games.backgammon.board import ROLLS, Move
from ludus.games.backgammon.cube import Chances, RankedChances
from ludus.games.backgammon.position import Action, Position
from ludus.games.backgammon.rules import Rules, check_cubeless
from ludus.learn.gammon.encoding import encode_positions
from ludus.learn.gammon.network import (
    SHIPPED_NETWORKS,
    ChancesNetwork,
    FloatArray,
    GammonNetwork,
    compute_equities,
    load_network,
    load_shipped_chances,
)

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

    weights: str = "paper"
    """Another network in place of the paper's: `comparison`, or a file of `ludus train`."""

    @property
    def is_strong(self) -> bool:
        """Whether a network of chances plays."""
        return self.net != "paper" or self.weights.endswith(CHANCES_SUFFIX)

    def __post_init__(self) -> None:
        if self.net != "paper" and self.weights != "paper":
            raise BadSpec("name a network by net or by weights, not by both")
        if self.ply != "0" and not self.is_strong:
            raise BadSpec("only the strong networks look ahead: net=expert or net=selfplay")


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
        if not self.game.rules.has_stakes:
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


class ChancesPolicy:
    """Moves by a strong network and lookahead of 0, 1 or 2 plies."""

    def __init__(self, network: ChancesNetwork, ply: int) -> None:
        self.network, self.ply = network, ply
        self._native = network.to_native()

    def estimate_chances(self, positions: Sequence[Position]) -> list[Chances]:
        """Return the chances before a roll: the mean over all rolls, each played best."""
        if not positions:
            return []
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array(ROLLS, np.int8)
        offsets, _, chances, _ = self._native.rank(
            rows.repeat(len(ROLLS), axis=0), np.tile(rolls, (len(positions), 1)), 0
        )
        best = np.asarray(chances)[np.asarray(offsets)[:-1]].reshape(len(positions), len(ROLLS), 5)
        weights = np.array([1 if roll.is_double else 2 for roll in ROLLS]) / 36
        means = (best * weights[:, None]).sum(axis=1)
        return [Chances(*row) for row in means.tolist()]

    def rank_chances(
        self, positions: Sequence[Position], plies: int, max_moves: int | None = None
    ) -> list[list[RankedChances]]:
        """Return the best moves, best first by cubeless equity, with chances after them."""
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array([each.dice for each in positions], np.int8).reshape(-1, 2)
        offsets, numbers, chances, depths = self._native.rank(rows, rolls, plies)
        found = []
        for position, begin, end in zip(positions, offsets[:-1], offsets[1:], strict=True):
            legal = [move for move in position.legal_moves() if isinstance(move, Move)]
            part = slice(begin, end if max_moves is None else min(end, begin + max_moves))
            rated = zip(
                numbers[part].tolist(), chances[part].tolist(), depths[part].tolist(), strict=True
            )
            found.append([RankedChances(legal[n], Chances(*row), depth) for n, row, depth in rated])
        return found

    def choose(self, positions: Sequence[Position]) -> list[Choice]:
        """Return one choice per position; scores are cubeless equities."""
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array([each.dice for each in positions], np.int8).reshape(-1, 2)
        offsets, numbers, chances, depths = self._native.rank(rows, rolls, self.ply)
        choices = []
        for position, begin, end in zip(positions, offsets[:-1], offsets[1:], strict=True):
            legal = position.legal_moves()
            moves = [legal[number] for number in numbers[begin:end].tolist()]
            choices.append(self._make_choice(moves, chances[begin:end], depths[begin:end].tolist()))
        return choices

    def _make_choice(self, moves: list[Action], chances: FloatArray, depths: list[int]) -> Choice:
        equities = compute_equities(chances).tolist()
        if len(moves) == 1:
            return Choice(moves[0], "has no choice", {moves[0]: equities[0]})
        # A move that the filter left out is never scored above one that was looked at more deeply.
        deepest = sum(depth == depths[0] for depth in depths)
        worst = min(equities[:deepest])
        equities[deepest:] = [min(equity, worst) for equity in equities[deepest:]]
        win, win_gammon, _, lose_gammon, _ = chances[0].tolist()
        comment = (
            f"expects {equities[0]:+.3f} points without the cube, wins {win:.1%}, gammons won "
            f"{win_gammon:.1%}, lost {lose_gammon:.1%}; the next best {moves[1]} {equities[1]:+.3f}"
        )
        return Choice(moves[0], comment, dict(zip(moves, equities, strict=True)))
