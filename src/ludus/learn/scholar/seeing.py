"""Positions as torch tensors: what networks see of them, and which expert they belong to."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ludus.learn.scholar.experts import NUM_EXPERTS, experts, table
from ludus.learn.scholar.fields import Board, board, fields

PART = 1 << 16
"""Positions of one expert that are looked at together."""


class Sight:
    """The board's matrices and the table of experts, on the device of the networks."""

    def __init__(self, device: torch.device) -> None:
        self.kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.board = _on_device(device, self.kind)
        self.table = torch.as_tensor(table(), device=device)

    def columns(self, positions: Sequence[torch.Tensor]) -> torch.Tensor:
        """(…) positions, column by column, to (…, things)."""
        shape = positions[0].shape
        own, other, own_hand, other_hand = (column.flatten() for column in positions)
        things = torch.cat(fields(own, other, own_hand, other_hand, self.board), dim=1)
        return things.view(*shape, -1)

    def experts(self, positions: Sequence[torch.Tensor]) -> torch.Tensor:
        """Which expert judges each position."""
        own, other, own_hand, other_hand = positions
        men = num_men(own), num_men(other)
        numbers: torch.Tensor = experts(own_hand.long(), other_hand.long(), *men, self.table)
        return numbers

    def by_expert(
        self, positions: Sequence[torch.Tensor]
    ) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """Expert by expert: its number, which of the positions are its, and what it sees."""
        kinds = self.experts(positions)
        counts = torch.bincount(kinds, minlength=NUM_EXPERTS).tolist()
        for expert, rows in enumerate(torch.split(torch.argsort(kinds), counts)):
            for part in torch.split(rows, PART):
                if len(part):
                    yield expert, part, self.columns([column[part] for column in positions])


def tensor(array: Any) -> torch.Tensor:
    """An array or tensor as a tensor."""
    return torch.as_tensor(array)


def tensors(columns: Sequence[Any]) -> list[torch.Tensor]:
    return [tensor(column) for column in columns]


def num_men(boards: torch.Tensor) -> torch.Tensor:
    """How many men stand on boards of 24 points."""
    bits = torch.arange(24, device=boards.device, dtype=boards.dtype)
    return ((boards[..., None] >> bits) & 1).sum(-1)


def _on_device(device: torch.device, kind: torch.dtype) -> Board:
    made = {}
    for name, values in vars(board()).items():
        given = torch.as_tensor(values, device=device)
        made[name] = given.to(kind) if given.is_floating_point() else given.int()
    return Board(**made)
