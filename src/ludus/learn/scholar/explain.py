"""Explanations of the scorer's evaluation, as text and as pictures."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ludus.core.marks import Marks, Note, Picture

FloatArray = NDArray[np.float32]

MIN_CERTAIN_SCORE = 0.9
"""Absolute expected result beyond which the result counts as certain."""

MIN_SCORE_DIFFERENCE = 0.5
"""Moves whose expected results differ by more count as leading to different results."""


def describe_evaluation(best: int, expected: FloatArray, risk: float, plies: FloatArray) -> str:
    """Describe the scorer's evaluation of the position and how many moves keep it."""
    score = float(expected[best])
    if score < -MIN_CERTAIN_SCORE:
        return f"I am losing, whatever I do, in {_format_plies(plies[1])}."
    if score > MIN_CERTAIN_SCORE:
        evaluation = f"I am winning, in {_format_plies(plies[0])}"
    elif abs(score) < 1 - MIN_CERTAIN_SCORE:
        evaluation = "This is a draw"
    else:
        side, end = ("better", "win") if score > 0 else ("worse", "loss")
        evaluation = f"I think I am {side}, but cannot tell a draw from a {end}"
    keeping = int((expected > score - MIN_SCORE_DIFFERENCE).sum())
    some = f"; {keeping} of {len(expected)} moves keep that."
    many = ", whatever I do." if keeping == len(expected) else some
    return f"{evaluation}{many} The chance that this loses seems {_format_probability(risk)}."


def _format_plies(plies: float) -> str:
    """Format the number of plies given as log2, including the move to be made."""
    number = 1 + round(2 ** min(max(float(plies), 0.0), 9.0)) if plies else 1
    return "one ply" if number == 1 else f"about {number} plies"


def _format_probability(probability: float) -> str:
    """Format a probability in percent, bounded at 0.1%."""
    return "below 0.1%" if probability < 0.001 else f"{probability:.1%}"


def make_score_picture(meaning: str, best: Mapping[str, float]) -> Picture:
    """Draw the best score of a move with each point."""
    heat = {name: (1 + score) / 2 for name, score in best.items()}
    # Adding 0 turns -0.0 into 0.0.
    notes = tuple(Note((name,), f"{round(score, 1) + 0:+.1f}") for name, score in best.items())
    text = (
        "The best score of a move with each point: -1 is a loss, 0 a draw, 1 a win, "
        "with the loss aversion of the option care."
    )
    return Picture(f"Scores: {meaning}", Marks(heat=heat), text, notes)
