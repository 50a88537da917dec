"""What a scorer thinks, in words and in a picture."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ludus.core.marks import Marks
from ludus.core.pictures import Note, Picture

Floats = NDArray[np.float32]

SURE = 0.9
"""An expected result beyond which there is no doubt about it."""

CLEAR = 0.5
"""Moves whose expected results differ by more lead to different ones, as far as it can tell."""


def told(best: int, expected: Floats, risk: float, plies: Floats) -> str:
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


def picture(meaning: str, best: Mapping[str, float]) -> Picture:
    """The best score of a move with each point."""
    heat = {name: (1 + score) / 2 for name, score in best.items()}
    # Adding 0 makes 0.0 of what is rounded to -0.0.
    notes = tuple(Note((name,), f"{round(score, 1) + 0:+.1f}") for name, score in best.items())
    text = (
        "The best score of a move with each point: -1 is a loss, 0 a draw, 1 a win, "
        "as the scholar sees it with its care."
    )
    return Picture(f"Scores: {meaning}", Marks(heat=heat), text, notes)
