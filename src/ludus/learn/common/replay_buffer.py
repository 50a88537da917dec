"""Replay buffer in device memory, with one ring buffer per expert."""

from typing import Any, NamedTuple

import torch


class ValuedPositions(NamedTuple):
    """Positions from the mover's perspective with their exact values; arrays of one shape."""

    own: torch.Tensor
    other: torch.Tensor
    own_hand: torch.Tensor
    other_hand: torch.Tensor
    value: torch.Tensor
    """The oracle's code: plies to the end, odd for a win and even for a loss, or a draw."""


VALUED_POSITION_TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8, torch.uint8)


class ReplayBuffer:
    """Ring buffers of one length, one per expert, in the memory of one device."""

    def __init__(
        self,
        experts: int,
        length: int,
        device: torch.device,
        shape: Any = ValuedPositions,
        types: tuple[torch.dtype, ...] = VALUED_POSITION_TYPES,
    ) -> None:
        """Allocate the buffer; `shape` is the NamedTuple of an example, with columns of these
        types."""
        self.length = length
        columns = (torch.zeros(experts * length, dtype=kind, device=device) for kind in types)
        self.columns = shape(*columns)
        self.put = torch.zeros(experts, dtype=torch.int64, device=device)
        """Number of examples ever added to each ring."""

    def add(self, expert: torch.Tensor, examples: Any) -> None:
        """Add examples to the rings of their experts, overwriting the oldest."""
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
        """Sample from each of these rings with replacement: (rings, number). None may be empty."""
        filled = self.put[shelves].clamp(max=self.length)[:, None]
        numbers = torch.arange(len(self.put), device=filled.device)[shelves]
        shelf = numbers[:, None] * self.length
        chance = torch.rand(len(shelf), number, device=filled.device)
        place = shelf + torch.minimum((chance * filled).long(), filled - 1)
        return type(self.columns)(*(column[place] for column in self.columns))
