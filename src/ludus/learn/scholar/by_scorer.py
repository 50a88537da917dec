"""The scorer's way to play: list the moves, judge where each leads, play the best."""

from collections.abc import Mapping, Sequence
from typing import Any

from ludus.core.marks import Marks
from ludus.core.pictures import Note, Picture
from ludus.core.player import Choice
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.move import Move
from ludus.learn.scholar.asking import columns
from ludus.learn.scholar.scorer import Scorer

PARTS = (("to", "where a man goes"), ("frm", "which man moves"), ("take", "which man is taken"))
"""Parts of a move and what they mean."""

SURE = 0.9
CLEAR = 0.5
"""Moves whose scores differ by more lead to different results, as far as the scorer can tell."""


class ByScorer:
    """One scorer at play."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def choices(self, positions: Sequence[Any]) -> list[Choice]:
        moves = [position.legal_moves() for position in positions]
        children = [
            position.play(move)
            for position, its_moves in zip(positions, moves, strict=True)
            for move in its_moves
        ]
        scores = iter(self._scores(children))
        return [_choice({move: next(scores) for move in its_moves}) for its_moves in moves]

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


def _choice(scores: Mapping[Move, float]) -> Choice:
    best = max(scores, key=scores.__getitem__)
    return Choice(best, _told(scores[best], list(scores.values())), scores)


def _told(score: float, scores: Sequence[float]) -> str:
    """How the game stands in the eyes of the scorer, and how many moves leave it so."""
    if score > SURE:
        stands = "I am winning"
    elif score < -SURE:
        return "I am losing, whatever I do."
    elif abs(score) < 1 - SURE:
        stands = "This is a draw"
    else:
        side, end = ("better", "win") if score > 0 else ("worse", "loss")
        stands = f"I think I am {side}, but cannot tell a draw from a {end}"
    keeping = sum(each > score - CLEAR for each in scores)
    if keeping == len(scores):
        return f"{stands}, whatever I do."
    return f"{stands}; {keeping} of {len(scores)} moves keep that."


def _picture(meaning: str, best: Mapping[str, float]) -> Picture:
    heat = {name: (1 + score) / 2 for name, score in best.items()}
    # Adding 0 makes 0.0 of what is rounded to -0.0.
    notes = tuple(Note((name,), f"{round(score, 1) + 0:+.1f}") for name, score in best.items())
    text = "The best score of a move with each point: -1 is a loss, 0 a draw, 1 a win."
    return Picture(f"Scores: {meaning}", Marks(heat=heat), text, notes)
