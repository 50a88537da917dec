"""Decisions of networks that choose a Morris move part by part: selection among legal moves, and
the decision as a sentence and as pictures.

Parts are numbered as in PARTS: TO, FROM, REMOVE.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ludus.core.marks import Marks, Picture
from ludus.games.nine_mens_morris.batch import PARTS
from ludus.games.nine_mens_morris.board import POINTS, Move

DecodingRule = Literal["parts", "joint"]
"""parts: the likeliest choice of each part in turn; joint: the likeliest move as a whole."""

DECODING_RULES: tuple[str, ...] = get_args(DecodingRule)

PART_MEANINGS = ("where a man goes", "which man moves", "which man is taken")

ABSENT_PART_NAMES = ("nowhere", "the hand", "nobody")
"""Names of a part that a move does not have."""

Distributions = NDArray[np.floating[Any]]
"""Shape (3, 25): for each part the probabilities of the points by number, then of no point, given
the parts chosen before."""

NO_SCORES: Mapping[Move, float] = {}


def split_move(move: Move) -> tuple[int | None, int | None, int | None]:
    """Return the points of the three parts; None for one that the move does not have."""
    return move.to, move.frm, move.take


def select_by_parts(
    moves: NDArray[Any],
    order: Sequence[int],
    choose: Callable[[int, NDArray[np.intp]], int],
) -> int:
    """Return the index of a legal move that is chosen part by part.

    `moves` are the legal moves, shape (moves, 3). `choose` returns the choice of a part among the
    moves with the given indices, which have the parts chosen before; so no choice leads to a dead
    end.
    """
    left = np.arange(len(moves))
    for part in order:
        left = left[moves[left, part] == choose(part, left)]
    return int(left[0])


class MoveDecision(NamedTuple):
    """A move, the probabilities of its parts, and the changes by the legality check."""

    move: Move

    probabilities: Sequence[float]
    """Probability of each part, given the parts chosen before."""

    changed_parts: tuple[int, ...] = ()
    """The parts whose likeliest choice was not legal."""

    scores: Mapping[Move, float] = NO_SCORES
    """Joint probabilities of some legal moves."""

    distributions: Distributions | None = None
    """Of all choices, if they were computed."""

    @classmethod
    def from_distributions(
        cls,
        move: Move,
        distributions: Distributions,
        changed_parts: tuple[int, ...] = (),
        scores: Mapping[Move, float] = NO_SCORES,
    ) -> Self:
        """Return a decision with the probabilities of the move's parts among all choices."""
        points = [len(POINTS) if point is None else point for point in split_move(move)]
        probabilities = distributions[range(len(PARTS)), points].tolist()
        return cls(move, probabilities, changed_parts, scores, distributions)

    def describe(self) -> str:
        """Return a one-sentence description for users."""
        parts = ", ".join(
            f"{name} {self._part_name(part)} {self.probabilities[part]:.0%}"
            for part, name in enumerate(PARTS)
        )
        changed = " and ".join(PARTS[part] for part in self.changed_parts)
        return f"{parts}; the legality check has changed {changed}" if changed else parts

    def draw_part(self, part: int) -> Picture:
        """Draw the probability of each point as a part of the move; needs the distributions."""
        assert self.distributions is not None
        *points, none = self.distributions[part].tolist()
        changed = ", as the legality check demands" if part in self.changed_parts else ""
        text = f"It chooses {self._part_name(part)}{changed}."
        if part:  # every move has a TO
            text += f" For {ABSENT_PART_NAMES[part]}: {none:.0%}."
        heat = dict(zip(POINTS, points, strict=True))
        return Picture(f"{PARTS[part]}: {PART_MEANINGS[part]}", Marks(heat=heat), text)

    def _part_name(self, part: int) -> str:
        point = split_move(self.move)[part]
        return ABSENT_PART_NAMES[part] if point is None else POINTS[point]
