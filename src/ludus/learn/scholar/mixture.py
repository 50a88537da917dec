"""Which positions a lesson looks at, and how often each kind of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludus.learn.scholar.experts import expert_of
from ludus.oracle.sectors import Subspace

MEN = 9


@dataclass(frozen=True)
class Sort:
    """A sort of games, in which the scholar itself takes part."""

    games: int
    """How many go on by one ply a round."""

    noise: float
    """How often a ply is any move."""

    own: float
    """How often it is otherwise the scholar's move, and not any that keeps the value; where it is
    never, games cost little."""

    plays_errors: bool
    """Whether that move is played even where it gives the value away."""

    max_plies: int
    """When games begin anew,"""

    from_start: float
    """this share of them at the start of the game,"""

    from_errors: float
    """this one where the scholar erred, and the rest anywhere."""


@dataclass(frozen=True)
class Mixture:
    """Where the positions of a round come from."""

    drawn: int = 1 << 15
    """Positions drawn at random."""

    free: Sort = Sort(1 << 15, 0.15, 0.0, False, 50, 0.6, 0.0)
    """Games without the scholar, and so many at a time that it rarely sees a position twice."""

    wild: Sort = Sort(1 << 12, 0.2, 0.7, True, 60, 0.4, 0.3)
    """Games full of errors: whatever happens, the scholar should have seen the like."""

    sound: Sort = Sort(1 << 13, 0.01, 1.0, False, 40, 0.7, 0.3)
    """Games against perfect play, for as long as nobody errs."""

    moves: int = 2
    """Moves that keep the value of a critical position, and moves that do not, to learn from."""

    calm: float = 0.1
    """Share of positions that become examples although every move keeps their value."""

    losses: float = 0.6
    """While placing: positions with one man more taken are so much rarer."""


def shares(subspaces: Sequence[Subspace], mixture: Mixture) -> list[float]:
    """How often each subspace is drawn: all kinds of positions alike, and in each kind those less
    often where many men were taken while others were still in hand, which play seldom leads to."""
    kinds = np.array([expert_of(*_counts(each)) for each in subspaces])
    weights = np.array([_weight(each, mixture.losses) for each in subspaces])
    totals = np.bincount(kinds, weights)
    found: list[float] = (weights / totals[kinds]).tolist()
    return found


def _counts(space: Subspace) -> tuple[int, int, int, int]:
    return space.mover_hand, space.other_hand, space.mover, space.other


def _weight(space: Subspace, losses: float) -> float:
    if space.mover_hand + space.other_hand == 0:
        return 1.0
    return float(losses ** (2 * MEN - sum(space)))
