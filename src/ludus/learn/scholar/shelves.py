"""Examples waiting to be learned from: a shelf for each expert, the oldest making room."""

from typing import Any, NamedTuple

import torch


class Judged(NamedTuple):
    """Positions as the side to move sees them, with their exact values; arrays of one shape."""

    own: torch.Tensor
    other: torch.Tensor
    own_hand: torch.Tensor
    other_hand: torch.Tensor
    value: torch.Tensor
    """As the oracle writes it: plies to the end, odd for a win and even for a loss, or a draw."""


JUDGED = (torch.int32, torch.int32, torch.uint8, torch.uint8, torch.uint8)


class Shelves:
    """As many shelves as experts, all of one length, in the memory of one device."""

    def __init__(
        self,
        experts: int,
        length: int,
        device: torch.device,
        shape: Any = Judged,
        types: tuple[torch.dtype, ...] = JUDGED,
    ) -> None:
        """`shape` is what an example is: a tuple with names, of columns of these types."""
        self.length = length
        columns = (torch.zeros(experts * length, dtype=kind, device=device) for kind in types)
        self.columns = shape(*columns)
        self.put = torch.zeros(experts, dtype=torch.int64, device=device)
        """How many examples each shelf was ever given."""

    def add(self, expert: torch.Tensor, examples: Any) -> None:
        """Put examples on the shelves of their experts."""
        order = torch.argsort(expert)
        expert = expert[order]
        counts = torch.bincount(expert, minlength=len(self.put))
        first = torch.cumsum(counts, 0) - counts
        rank = torch.arange(len(expert), device=expert.device) - first[expert]
        place = expert * self.length + (self.put[expert] + rank) % self.length
        for column, values in zip(self.columns, examples, strict=True):
            column[place] = values[order].to(column.dtype)
        self.put += counts

    def take(self, number: int, shelves: slice = slice(None)) -> Any:
        """Some of each of these shelves at random: (shelves, number). None may be empty."""
        filled = self.put[shelves].clamp(max=self.length)[:, None]
        numbers = torch.arange(len(self.put), device=filled.device)[shelves]
        shelf = numbers[:, None] * self.length
        chance = torch.rand(len(shelf), number, device=filled.device)
        place = shelf + torch.minimum((chance * filled).long(), filled - 1)
        return type(self.columns)(*(column[place] for column in self.columns))
