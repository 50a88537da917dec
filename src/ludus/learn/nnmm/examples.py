"""Examples for one network, on the device that trains it: bytes, until a batch needs numbers."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from ludus.datasets.morris.entries import Entries
from ludus.learn.nnmm.inputs import InputModel, Rows, with_choices
from ludus.learn.nnmm.legal_classes import Masks, legal_classes
from ludus.learn.nnmm.parts import Order, Step

BATCH = 65536
"""Entries that one thread codes at a time."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What one network learns from or is tested with."""

    inputs: Tensor
    """Shape (examples, columns), uint8 or int8."""

    targets: Tensor
    """Shape (examples,), the true class."""

    legal: Tensor | None
    """Masks of legal classes, where the loss asks for them."""

    def __len__(self) -> int:
        return len(self.targets)

    def at(self, index: Tensor) -> Self:
        """Some of them, repeated if their numbers are."""
        legal = None if self.legal is None else self.legal.index_select(0, index)
        inputs = self.inputs.index_select(0, index)
        return type(self)(inputs, self.targets.index_select(0, index), legal)


@dataclass(frozen=True)
class Coded:
    """Entries in an input model, coded once for all networks of a chain."""

    entries: Entries
    model: InputModel
    rows: Rows
    legal: dict[str, Masks]
    """Masks of legal classes by the name of the step; empty where nobody asks for them."""

    @classmethod
    def of(cls, entries: Entries, model: InputModel, legal_for: Order | None = None) -> Self:
        """Code entries; with masks of legal classes for the steps of an order if one is given."""
        steps = () if legal_for is None else legal_for.steps

        def coded(first: int) -> tuple[Rows, list[Masks]]:
            part = entries[first : first + BATCH]
            boards = part.own, part.other, part.own_hand, part.other_hand
            return model.encode(*boards), legal_classes(part, steps) if steps else []

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            parts = list(threads.map(coded, range(0, max(len(entries), 1), BATCH)))
        legal = {
            step.name: np.concatenate([masks[number] for _, masks in parts])
            for number, step in enumerate(steps)
        }
        return cls(entries, model, np.concatenate([rows for rows, _ in parts]), legal)

    def examples(self, step: Step, has_presence: bool, device: torch.device) -> Examples:
        """What the network of a step sees, true earlier choices included, and should answer.

        Where another network says whether there is such a part, this one learns from moves that
        have it.
        """
        classes = self.entries.classes
        rows = with_choices(self.model, self.rows, classes[:, list(step.after)])
        targets = classes[:, step.part].astype(np.int64)
        legal = self.legal.get(step.name)
        if step.asks_presence:
            targets = (targets != 0).astype(np.int64)
        elif has_presence and step.name != "TO":
            there = targets != 0
            rows, targets = rows[there], targets[there]
            legal = None if legal is None else legal[there]
        return Examples(
            torch.from_numpy(rows).to(device),
            torch.from_numpy(targets).to(device),
            None if legal is None else torch.from_numpy(legal).to(device),
        )
