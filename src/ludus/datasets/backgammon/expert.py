"""What the expert says about a position: scores for a few of its moves.

A person comments on the best move, on what else could be played, and on the mistakes he has seen
people make; the rest goes without saying. Here the loss of every move is known, so these moves can
be told apart: an alternative loses little, and a typical mistake is a move that a conventional
program would have thought of.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

M = TypeVar("M")

SCALE: Final = 0.15
"""Points a game that bring a move's score down by some 126 of 200."""

CLOSE: Final = 0.05
"""Points a game up to which a move counts as an alternative."""

MISTAKE: Final = 0.08
"""Points a game from which a move counts as a mistake."""

MOST_ALTERNATIVES: Final = 2
MOST_MISTAKES: Final = 1
TEMPTING: Final = 3
"""Mistakes are looked for among so many moves that the conventional program likes best."""

LEAST_AT_STAKE: Final = 0.04
"""Points a game between the best move and the worst one below which there is no lesson."""


def score(loss: float) -> int:
    """The score of a move that loses so many points a game against the best one.

    >>> [score(loss) for loss in (0, 0.02, 0.05, 0.16, 1)]
    [100, 75, 43, -31, -100]
    """
    return round(-100 + 200 * math.exp(-loss / SCALE))


def comments(losses: Mapping[M, float], tempting: Sequence[M]) -> dict[M, int]:
    """The moves the expert comments on, with their scores, best first; none if little matters.

    `losses` has every legal move, the best ones first; `tempting` the same moves in the order in
    which they tempt people.
    """
    ranked = sorted(losses, key=lambda move: losses[move])
    if losses[ranked[-1]] < LEAST_AT_STAKE:
        return {}
    best, others = ranked[0], ranked[1:]
    close = [move for move in others if losses[move] <= CLOSE][:MOST_ALTERNATIVES]
    mistakes = [move for move in tempting[:TEMPTING] if losses[move] >= MISTAKE][:MOST_MISTAKES]
    chosen = [move for move in ranked if move == best or move in close or move in mistakes]
    return {move: score(losses[move]) for move in chosen}
