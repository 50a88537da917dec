"""Replay buffer: ring buffers over columns, numpy arrays or tensors on a device.

This module imports without torch.
"""

import math
import random
from typing import Any, Generic, TypeVar

import numpy as np

Columns = TypeVar("Columns", bound=tuple[Any, ...])
"""A NamedTuple of arrays or of tensors, one row for each example."""


class ReplayBuffer(Generic[Columns]):
    """Ring buffers of one capacity that overwrite their oldest examples when full.

    Ring `r` is in the rows `r * capacity` to `(r + 1) * capacity - 1` of the columns.
    """

    def __init__(self, columns: Columns, num_rings: int = 1) -> None:
        """Use the memory of these columns, equally many rows for each ring."""
        self.columns = columns
        self.capacity = len(columns[0]) // num_rings
        self._library: Any = _find_library(columns[0])
        options = {} if self._library is np else {"device": columns[0].device}
        self.num_added = self._library.zeros(num_rings, dtype=self._library.int64, **options)
        """Number of examples ever added to each ring."""

        self.num_taken = self._library.zeros_like(self.num_added)
        """Number of examples ever taken from each ring by `sample_in_turn`."""

        self._stride = _find_stride(self.capacity)

    def __len__(self) -> int:
        """Return the number of examples in all rings."""
        return int(self.num_added.clip(max=self.capacity).sum())

    def num_filled(self, ring: int) -> int:
        """Return the number of examples in a ring."""
        return min(int(self.num_added[ring]), self.capacity)

    def __getitem__(self, index: Any) -> Columns:
        """Return the examples in these rows."""
        make: Any = type(self.columns)
        examples: Columns = make(*(column[index] for column in self.columns))
        return examples

    def add(self, examples: Columns, ring: Any = None) -> None:
        """Add examples to the rings with these numbers; without, all to the first ring."""
        library = self._library
        order: Any = slice(None)
        counts: Any = len(examples[0])
        if ring is None:
            index = (int(self.num_added[0]) + np.arange(counts)) % self.capacity
        else:
            order = library.argsort(ring)
            ring = ring[order]
            counts = library.bincount(ring, minlength=len(self.num_added))
            first = library.cumsum(counts, 0) - counts
            rank = library.cumsum(library.ones_like(ring), 0) - 1 - first[ring]
            index = ring * self.capacity + (self.num_added[ring] + rank) % self.capacity
        for column, values in zip(self.columns, examples, strict=True):
            column[index] = library.asarray(values[order], dtype=column.dtype)
        added = self.num_added[:1] if ring is None else self.num_added
        added += counts

    def list_oldest_first(self) -> Columns:
        """Return the examples of a buffer with one ring, the oldest first."""
        added = int(self.num_added[0])
        return self[np.arange(max(added - self.capacity, 0), added) % self.capacity]

    def replace_all(self, examples: Columns) -> None:
        """Replace the examples of a buffer with one ring; raise ValueError if they do not fit."""
        if len(examples[0]) > self.capacity:
            raise ValueError(f"{len(examples[0])} examples exceed a capacity of {self.capacity}")
        self.num_added[:] = 0
        self.add(examples)

    def sample_distinct(self, num_samples: int, source: random.Random) -> Columns:
        """Sample without replacement from a buffer with one ring."""
        return self[source.sample(range(len(self)), num_samples)]

    def sample(self, num_samples: int, rings: slice = slice(None)) -> Columns:
        """Sample tensors with replacement from these rings, none of them empty.

        Returns columns of shape (rings, num_samples).
        """
        import torch

        filled = self.num_added[rings].clamp(max=self.capacity)[:, None]
        numbers = torch.arange(len(self.num_added), device=filled.device)[rings]
        first = numbers[:, None] * self.capacity
        uniform = torch.rand(len(first), num_samples, device=filled.device)
        return self[first + torch.minimum((uniform * filled).long(), filled - 1)]

    def sample_in_turn(self, num_samples: int, rings: slice = slice(None)) -> Columns:
        """Sample tensors from these rings without replacement: each row in its turn.

        Rows are taken in steps of a fixed stride, so that a sample is spread over the whole ring
        and no row is taken twice before all others. Drawn with replacement, as many samples as
        there are rows would be only 63% of the rows.
        Returns columns of shape (rings, num_samples).
        """
        import torch

        filled = self.num_added[rings].clamp(1, self.capacity)[:, None]
        numbers = torch.arange(len(self.num_added), device=filled.device)[rings]
        taken = self.num_taken[rings]
        turns = taken[:, None] + torch.arange(num_samples, device=filled.device)
        taken += num_samples
        return self[
            numbers[:, None] * self.capacity + turns * self._stride % self.capacity % filled
        ]


GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread most evenly."""


def _find_stride(capacity: int) -> int:
    """Return a stride whose multiples reach all rows of a ring before any row again."""
    stride = max(1, round(GOLDEN_RATIO * capacity))
    while math.gcd(stride, capacity) != 1:
        stride += 1
    return stride


def _find_library(array: Any) -> Any:
    """Return the module of an array's functions: numpy or torch."""
    if isinstance(array, np.ndarray):
        return np
    import torch

    return torch
