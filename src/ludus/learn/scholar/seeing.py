"""Positions as torch tensors: what networks see of them, and which expert they belong to."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from ludus.learn.scholar.experts import NUM_EXPERTS, experts, table
from ludus.learn.scholar.fields import Board, board, fields

PARTS = 256
"""Parts that are looked at together."""


class Parts(NamedTuple):
    """Positions in parts of one length, each for one expert."""

    bank: int
    """Which of some banks of experts they are for."""

    experts: torch.Tensor
    """(parts,): numbers of experts in their bank."""

    rows: torch.Tensor
    """(parts, length): which positions these are; for filling, the number after the last."""

    things: torch.Tensor
    """(parts, length, things)"""


class Sight:
    """The board's matrices and the table of experts, on the device of the networks."""

    def __init__(self, device: torch.device) -> None:
        on_gpu = device.type == "cuda"
        self.kind = torch.bfloat16 if on_gpu else torch.float32
        self.length = 2048 if on_gpu else 64
        """Of parts: long ones keep a GPU busy, short ones need less filling."""

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

    def parts(self, positions: Sequence[torch.Tensor], banks: Sequence[range]) -> Iterator[Parts]:
        """All positions, bank by bank of experts."""
        kinds = self.experts(positions)
        counts = torch.bincount(kinds, minlength=NUM_EXPERTS).tolist()
        by_expert = [
            self._filled(rows, len(kinds)) for rows in torch.split(torch.argsort(kinds), counts)
        ]
        for bank, mine in enumerate(banks):
            sizes = torch.tensor([len(by_expert[expert]) for expert in mine])
            numbers = torch.arange(len(mine)).repeat_interleave(sizes).to(kinds.device)
            rows = torch.cat([by_expert[expert] for expert in mine])
            for some, which in zip(
                torch.split(numbers, PARTS), torch.split(rows, PARTS), strict=True
            ):
                if len(which):
                    seen = which.clamp(max=len(kinds) - 1)
                    things = self.columns([column[seen] for column in positions])
                    yield Parts(bank, some, which, things)

    def _filled(self, rows: torch.Tensor, filling: int) -> torch.Tensor:
        """Rows of one expert as (parts, length)."""
        missing = -len(rows) % self.length
        return functional.pad(rows, (0, missing), value=filling).view(-1, self.length)


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
