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
    """Ring buffers of one capacity, one per expert, in the memory of one device."""

    def __init__(
        self,
        num_experts: int,
        capacity: int,
        device: torch.device,
        example_type: Any = ValuedPositions,
        dtypes: tuple[torch.dtype, ...] = VALUED_POSITION_TYPES,
    ) -> None:
        """Allocate the buffer; `example_type` is a NamedTuple with columns of these dtypes."""
        self.capacity = capacity
        columns = (
            torch.zeros(num_experts * capacity, dtype=dtype, device=device) for dtype in dtypes
        )
        self.columns = example_type(*columns)
        self.num_added = torch.zeros(num_experts, dtype=torch.int64, device=device)
        """Number of examples ever added to each ring."""

    def add(self, expert: torch.Tensor, examples: Any) -> None:
        """Add examples to the rings of their experts, overwriting the oldest."""
        order = torch.argsort(expert)
        expert = expert[order]
        counts = torch.bincount(expert, minlength=len(self.num_added))
        first = torch.cumsum(counts, 0) - counts
        rank = torch.arange(len(expert), device=expert.device) - first[expert]
        index = expert * self.capacity + (self.num_added[expert] + rank) % self.capacity
        for column, values in zip(self.columns, examples, strict=True):
            column[index] = values[order].to(column.dtype)
        self.num_added += counts

    def sample(self, num_samples: int, experts: slice = slice(None)) -> Any:
        """Sample with replacement from the rings of these experts, none of them empty.

        Returns columns of shape (rings, num_samples).
        """
        filled = self.num_added[experts].clamp(max=self.capacity)[:, None]
        numbers = torch.arange(len(self.num_added), device=filled.device)[experts]
        first = numbers[:, None] * self.capacity
        uniform = torch.rand(len(first), num_samples, device=filled.device)
        index = first + torch.minimum((uniform * filled).long(), filled - 1)
        return type(self.columns)(*(column[index] for column in self.columns))
