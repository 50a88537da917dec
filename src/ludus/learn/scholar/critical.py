"""How often a scholar keeps the value where something can be given away."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import torch

from ludus.learn.scholar.examples import Examples, ExampleSource, Positions
from ludus.learn.scholar.seeing import tensor, tensors

Score = Callable[[list[torch.Tensor]], torch.Tensor]
"""Positions, column by column, to what they are worth to the side that is not to move."""

OVER = 0
"""The value of a position whose mover has lost."""

SURE = 2.0
"""More than any score: the game is won, and the rules say so."""


@dataclass(frozen=True)
class Exam:
    """Critical positions with all their moves."""

    found: Examples

    @classmethod
    def of(cls, source: ExampleSource, positions: Positions) -> Self:
        """The critical ones among some positions."""
        found = source.examples(positions)
        return cls(found[found.is_critical])

    def __len__(self) -> int:
        return len(self.found)

    def is_kept(self, chosen: torch.Tensor) -> torch.Tensor:
        """Where the moves of these numbers keep the value."""
        return tensor(self.found.keeps).gather(1, chosen[:, None])[:, 0]


def best_moves(found: Examples, score: Score) -> torch.Tensor:
    """The number of the move with the best score in each row."""
    children = found.children
    is_move = tensor(children.is_move)
    scores = torch.full(is_move.shape, -SURE, device=is_move.device)
    scores[is_move] = score([column[is_move] for column in tensors(children.positions.columns)])
    scores[is_move & (tensor(children.value) == OVER)] = SURE
    return scores.argmax(1)
