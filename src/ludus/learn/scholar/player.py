"""The scholar as a player: it lists its moves and plays the one whose position it likes best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.learn.scholar import shipped
from ludus.learn.scholar.scorer import Columns

MAX_MEN = 9


@dataclass(frozen=True, slots=True)
class Options:
    """Which networks judge."""

    size: str = shipped.FULL
    """full, or small for slow machines."""

    weights: str = ""
    """A file that `ludus train scholar` wrote, instead of the shipped networks."""


class ScholarPlayer(Player):
    """Without a search: every legal move is judged by the position it leads to."""

    title: ClassVar[str] = "networks taught by perfect play judge the position after each move"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        if game.rules.men > MAX_MEN or game.rules.diagonals:
            raise BadSpec("the scholar has learned nine men on the board without diagonals")
        self._scorer = shipped.scorer(settings.weights, settings.size)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        moves = [position.legal_moves() for position in positions]
        children = [
            position.play(move)
            for position, its_moves in zip(positions, moves, strict=True)
            for move in its_moves
        ]
        scores = self._scores(children)
        choices, first = [], 0
        for its_moves in moves:
            its_scores = scores[first : first + len(its_moves)]
            choices.append(_choice(its_moves, its_scores))
            first += len(its_moves)
        return choices

    def _scores(self, children: Sequence[Any]) -> list[float]:
        """What each position is worth to the side that has just moved."""
        found = [0.0] * len(children)
        judged = []
        for number, child in enumerate(children):
            outcome = child.outcome()
            if outcome is None:
                judged.append(number)
            elif outcome.winner is not None:
                found[number] = 1.0 if outcome.winner != child.mover else -1.0
        if judged:
            worth = self._scorer.scores(columns([children[number] for number in judged]))
            for number, score in zip(judged, worth.tolist(), strict=True):
                found[number] = score
        return found


def columns(positions: Sequence[Any]) -> Columns:
    """Positions as their movers see them, as arrays."""
    rows = []
    for position in positions:
        mover, bits, hands = position.mover, position.bits, position.hands
        rows.append((bits[mover], bits[1 - mover], hands[mover], hands[1 - mover]))
    own, other, own_hand, other_hand = np.array(rows, dtype=np.uint32).T
    return Columns(own, other, own_hand.astype(np.uint8), other_hand.astype(np.uint8))


def _choice(moves: Sequence[Any], scores: Sequence[float]) -> Choice:
    best = max(range(len(moves)), key=scores.__getitem__)
    return Choice(moves[best], _told(scores[best]), dict(zip(moves, scores, strict=True)))


def _told(score: float) -> str:
    """One sentence on how the game stands, in the eyes of the player."""
    if score > 0.9:
        return "I am winning."
    if score < -0.9:
        return "I am losing."
    if abs(score) < 0.1:
        return "This is a draw."
    side = "better" if score > 0 else "worse"
    return f"I cannot tell a draw from a {'win' if score > 0 else 'loss'}; I think I am {side}."
