"""The scorer's way to play: list the moves, judge where each leads, play the best."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.marks import Marks
from ludus.core.pictures import Note, Picture
from ludus.core.player import Choice
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.move import Move
from ludus.learn.scholar.asking import columns
from ludus.learn.scholar.scorer import Judgement, Scorer
from ludus.learn.scholar.worth import DRAWN, LOSS, RESULTS, WIN, paced, worth

Floats = NDArray[np.float32]

PARTS = (("to", "where a man goes"), ("frm", "which man moves"), ("take", "which man is taken"))
"""Parts of a move and what they mean."""

REPETITION = "repetition"
"""As the rules call a game that ends because a position came back."""

SURE = 0.9
CLEAR = 0.5
"""Moves whose expected results differ by more lead to different ones, as far as it can tell."""


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
        told = _told(best, worth(chances, care=1.0), float(chances[best, WIN]), plies[best])
        return Choice(moves[best], told, dict(zip(moves, scores.tolist(), strict=True)))

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
                pictures.append(_picture(meaning, best))
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


def _told(best: int, expected: Floats, risk: float, plies: Floats) -> str:
    """How the game stands in the eyes of the scorer, and how many moves leave it so."""
    score = float(expected[best])
    if score < -SURE:
        return f"I am losing, whatever I do, in {_about(plies[1])}."
    if score > SURE:
        stands = f"I am winning, in {_about(plies[0])}"
    elif abs(score) < 1 - SURE:
        stands = "This is a draw"
    else:
        side, end = ("better", "win") if score > 0 else ("worse", "loss")
        stands = f"I think I am {side}, but cannot tell a draw from a {end}"
    keeping = int((expected > score - CLEAR).sum())
    some = f"; {keeping} of {len(expected)} moves keep that."
    many = ", whatever I do." if keeping == len(expected) else some
    return f"{stands}{many} The chance that this loses seems {_rough(risk)}."


def _about(plies: float) -> str:
    """A number of plies out of its logarithm, and this move."""
    number = 1 + round(2 ** min(max(float(plies), 0.0), 9.0)) if plies else 1
    return "one ply" if number == 1 else f"about {number} plies"


def _rough(chance: float) -> str:
    """In percent, no finer than anybody can say."""
    return "below 0.1%" if chance < 0.001 else f"{chance:.1%}"


def _picture(meaning: str, best: Mapping[str, float]) -> Picture:
    heat = {name: (1 + score) / 2 for name, score in best.items()}
    # Adding 0 makes 0.0 of what is rounded to -0.0.
    notes = tuple(Note((name,), f"{round(score, 1) + 0:+.1f}") for name, score in best.items())
    text = (
        "The best score of a move with each point: -1 is a loss, 0 a draw, 1 a win, "
        "as the scholar sees it with its care."
    )
    return Picture(f"Scores: {meaning}", Marks(heat=heat), text, notes)
