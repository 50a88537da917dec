"""How often a scholar keeps the value where something can be given away."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ludus.learn.scholar.examples import Examples, ExampleSource, Positions
from ludus.learn.scholar.lessons import expert_numbers

Score = Callable[[list[torch.Tensor]], torch.Tensor]
"""Positions, column by column, to what they are worth to the side that is not to move."""

OVER = 0
"""The value of a position whose mover has lost."""

SURE = 2.0
"""More than any score: the game is won, and the rules say so."""


@dataclass(frozen=True)
class Exam:
    """Critical positions with all their moves, in columns on one device."""

    found: Examples

    @classmethod
    def of(cls, source: ExampleSource, positions: Positions) -> "Exam":
        """The critical ones among some positions."""
        found = source.examples(positions)
        return cls(found[found.is_critical])

    def __len__(self) -> int:
        return len(self.found)

    def is_kept(self, score: Score) -> torch.Tensor:
        """Where the move with the best score keeps the value."""
        best = best_moves(self.found, score)
        return torch.as_tensor(self.found.keeps).gather(1, best[:, None])[:, 0]

    def experts(self, on: torch.Tensor) -> torch.Tensor:
        """The kind of each position."""
        columns = [torch.as_tensor(column) for column in self.found.positions.columns]
        return expert_numbers(columns, on)


def best_moves(found: Examples, score: Score) -> torch.Tensor:
    """The number of the move with the best score in each row."""
    children = found.children
    is_move = torch.as_tensor(children.is_move)
    columns = [torch.as_tensor(column)[is_move] for column in children.positions.columns]
    scores = torch.full(is_move.shape, -SURE, device=is_move.device)
    scores[is_move] = score(columns)
    scores[is_move & (torch.as_tensor(children.value) == OVER)] = SURE
    return scores.argmax(1)
