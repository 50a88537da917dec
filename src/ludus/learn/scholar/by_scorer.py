"""The scorer's way to play: list the moves, judge where each leads, play the best."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.pictures import Picture
from ludus.core.player import Choice
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.move import Move
from ludus.learn.scholar.asking import columns
from ludus.learn.scholar.scorer import Judgement, Scorer
from ludus.learn.scholar.telling import SURE, picture, told
from ludus.learn.scholar.worth import DRAWN, LOSS, RESULTS, WIN, paced, worth

Floats = NDArray[np.float32]

PARTS = (("to", "where a man goes"), ("frm", "which man moves"), ("take", "which man is taken"))
"""Parts of a move and what they mean."""

REPETITION = "repetition"
"""As the rules call a game that ends because a position came back."""


class ByScorer:
    """One scorer at play."""

    def __init__(self, scorer: Scorer, care: float) -> None:
        self._scorer, self._care = scorer, care

    def choices(self, positions: Sequence[Any]) -> list[Choice]:
        moves = [position.legal_moves() for position in positions]
        children = [
            position.play(move)
            for position, its_moves in zip(positions, moves, strict=True)
            for move in its_moves
        ]
        chances, plies = self._judged(children)
        ends = accumulate((len(its_moves) for its_moves in moves), initial=0)
        return [
            self._choice(its_moves, children[first:last], chances[first:last], plies[first:last])
            for its_moves, (first, last) in zip(moves, pairwise(ends), strict=True)
        ]

    def _choice(
        self, moves: Sequence[Move], children: Sequence[Any], chances: Floats, plies: Floats
    ) -> Choice:
        scores = paced(worth(chances, self._care), plies)
        best = int(scores.argmax())
        # A win is none if the other side can bring an earlier position back. To a draw it may.
        while scores[best] > 1 - SURE and can_be_repeated(children[best]):
            scores[best] = 0
            best = int(scores.argmax())
        words = told(best, worth(chances, care=1.0), float(chances[best, WIN]), plies[best])
        return Choice(moves[best], words, dict(zip(moves, scores.tolist(), strict=True)))

    def pictures(self, position: Any) -> list[Picture]:
        """For each part of a move, the best that can come of each point."""
        scores = self.choices([position])[0].scores
        pictures = []
        for part, meaning in PARTS:
            best: dict[str, float] = {}
            for move, score in scores.items():
                if (point := getattr(move, part)) is not None:
                    best[POINTS[point]] = max(score, best.get(POINTS[point], -1.0))
            if best:
                pictures.append(picture(meaning, best))
        return pictures

    def _judged(self, children: Sequence[Any]) -> Judgement:
        """What may come of each position for its mover; where a game is over, what came."""
        found = Judgement(
            np.zeros((len(children), len(RESULTS)), dtype=np.float32),
            np.zeros((len(children), 2), dtype=np.float32),
        )
        asked = []
        for number, child in enumerate(children):
            outcome = child.outcome()
            if outcome is None:
                asked.append(number)
            elif outcome.winner is None:
                found.chances[number, DRAWN] = 1
            else:
                found.chances[number, WIN if outcome.winner == child.mover else LOSS] = 1
        if asked:
            said = self._scorer.judged(columns([children[each] for each in asked]))
            found.chances[asked], found.plies[asked] = said
        return found


def can_be_repeated(position: Any) -> bool:
    """Whether some move brings about what has been on the board before, which is a draw."""
    if position.outcome() is not None or position.hands[position.mover]:
        return False
    ends = (position.play(move).outcome() for move in position.legal_moves())
    return any(end is not None and end.reason == REPETITION for end in ends)
