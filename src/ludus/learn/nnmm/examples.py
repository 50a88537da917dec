"""Training examples of one network as tensors: inputs, target classes, masks of legal classes."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.core.processes import count_cores
from ludus.games.nine_mens_morris.batch import MoveBatch, generate_moves
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.equivariant.group import Permutations
from ludus.learn.nnmm.encoding import InputColumns, InputModel, Rows, append_choices
from ludus.learn.nnmm.parts import ChainStep, PartOrder, points_to_classes

ALL_CLASSES_MASK = np.int32(2**25 - 1)

LegalMasks = NDArray[np.int32]
"""Bit c is set where class c is legal."""


def compute_legal_masks(entries: MoveBatch, steps: Sequence[ChainStep]) -> list[LegalMasks]:
    """Compute the legal classes of each step, given the true earlier choices: a mask for each
    entry.

    Where no move is legal, all classes count as legal.
    """
    owner, moves = generate_moves(entries, Rules())
    classes = points_to_classes(moves.points)
    true = points_to_classes(entries.points)[owner]
    masks = []
    for step in steps:
        before = list(step.parts_before)
        fits = (classes[:, before] == true[:, before]).all(axis=1)
        chosen = classes[fits, step.part]
        targets = (chosen != 0) if step.predicts_presence else chosen
        masks.append(_combine_masks(owner[fits], targets.astype(np.int32), len(entries)))
    return masks


def _combine_masks(owner: NDArray[np.intp], targets: NDArray[Any], entries: int) -> LegalMasks:
    """Combine the classes of each entry into one mask; `owner` is ascending."""
    masks = np.full(entries, ALL_CLASSES_MASK, dtype=np.int32)
    if len(owner):
        begins = np.flatnonzero(np.diff(owner, prepend=-1))
        masks[owner[begins]] = np.bitwise_or.reduceat(np.int32(1) << targets, begins)
    return masks


ENCODING_BATCH = 65536
"""Entries that one thread encodes at a time."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of one network on its device, as bytes until a batch is converted to floats."""

    inputs: Tensor
    """Shape (examples, columns), uint8 or int8."""

    targets: Tensor
    """Shape (examples,), the true class."""

    legal: Tensor | None
    """Masks of legal classes, if the loss needs them."""

    permutations: Permutations | None = None
    """How the symmetries of the board permute the columns, for symmetric networks."""

    @property
    def columns(self) -> InputColumns:
        return InputColumns(self.inputs.shape[1], self.permutations)

    def __len__(self) -> int:
        return len(self.targets)

    def select(self, index: Tensor) -> Self:
        """Return the examples with these indices, which may repeat."""
        legal = None if self.legal is None else self.legal.index_select(0, index)
        inputs = self.inputs.index_select(0, index)
        targets = self.targets.index_select(0, index)
        return type(self)(inputs, targets, legal, self.permutations)


@dataclass(frozen=True)
class EncodedEntries:
    """Entries in an input model, encoded once for all networks of a chain."""

    entries: MoveBatch
    model: InputModel
    rows: Rows
    legal: dict[str, LegalMasks]
    """Masks of legal classes by step name; empty if the loss does not need them."""

    @classmethod
    def encode(
        cls, entries: MoveBatch, model: InputModel, legal_for: PartOrder | None = None
    ) -> Self:
        """Encode entries, with masks of legal classes for the steps of an order if one is given."""
        steps = () if legal_for is None else legal_for.steps

        def encode_part(first: int) -> tuple[Rows, list[LegalMasks]]:
            part = entries[first : first + ENCODING_BATCH]
            return model.encode(part), compute_legal_masks(part, steps) if steps else []

        with ThreadPoolExecutor(count_cores()) as threads:
            parts = list(threads.map(encode_part, range(0, max(len(entries), 1), ENCODING_BATCH)))
        legal = {
            step.name: np.concatenate([masks[number] for _, masks in parts])
            for number, step in enumerate(steps)
        }
        return cls(entries, model, np.concatenate([rows for rows, _ in parts]), legal)

    def build_examples(self, step: ChainStep, has_presence: bool, device: torch.device) -> Examples:
        """Return the inputs of a step's network, with the true earlier choices, and its targets.

        If a presence network exists for the part, the examples are only moves that have the part.
        """
        classes = points_to_classes(self.entries.points)
        rows = append_choices(self.model, self.rows, classes[:, list(step.parts_before)])
        targets = classes[:, step.part].astype(np.int64)
        legal = self.legal.get(step.name)
        if step.predicts_presence:
            targets = (targets != 0).astype(np.int64)
        elif has_presence and step.name != "TO":
            there = targets != 0
            rows, targets = rows[there], targets[there]
            legal = None if legal is None else legal[there]
        return Examples(
            torch.from_numpy(rows).to(device),
            torch.from_numpy(targets).to(device),
            None if legal is None else torch.from_numpy(legal).to(device),
            self.model.columns(len(step.parts_before)).permutations,
        )
