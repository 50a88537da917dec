"""What a position is worth to the side that has just moved, out of what may come of it."""

from typing import Any

import numpy as np

RESULTS = ("loss", "draw", "win")
"""What a position may be for its mover."""

LOSS, DRAWN, WIN = range(len(RESULTS))

OUTPUTS = (*RESULTS, "plies to a loss", "plies to a win")
"""What a scorer says: how likely each result is, and how far off it is if it is decided; the latter
as logarithms to the base of two."""

CARE = 400.0
"""How many times likelier than the scorer says a careful player takes it that he loses."""

MAX_CARE = 1e6
"""With so much of it the chance of a loss decides alone."""

PACE = 0.1
"""What a game that lasts long takes from a score, at most: of two wins the nearer one is better,
and of two losses the farther."""

LONG = 7.0
"""A game that lasts long, as a logarithm: 128 plies."""


def worth(chances: Any, care: float) -> Any:
    """(…, 3) chances of the mover to scores of the other side: -1 lost, 0 drawn, 1 won.

    With a care of 1 this is the result to be expected. Where most moves look like a draw that says
    little, and whoever follows it walks where draws and losses are hard to tell apart. With more
    care he goes where he is sure.
    """
    ours, theirs = chances[..., LOSS], care * chances[..., WIN]
    return (ours - theirs) / (ours + chances[..., DRAWN] + theirs)


def paced(scores: Any, plies: Any) -> Any:
    """Scores of the side that has just moved, with a view to the end.

    `plies` (…, 2) are as a scorer says them: to the loss of the mover, and to its win.
    """
    to_the_end = np.where(scores > 0, plies[..., 0], plies[..., 1])
    return scores * (1 - PACE * np.clip(to_the_end / LONG, 0, 1))
