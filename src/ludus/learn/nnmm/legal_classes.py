"""Which classes a step may choose by the rules, given the position and the true earlier choices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.entries import Entries
from ludus.datasets.morris.moves import legal_moves
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.nnmm.parts import Step

BATCH = 16384

ALL = np.int32(2**25 - 1)

Masks = NDArray[np.int32]
"""Bit c is set where class c is legal."""


def legal_classes(entries: Entries, steps: Sequence[Step]) -> list[Masks]:
    """For each step a mask for each entry. Where no move is legal, all classes count as such."""
    found: list[list[Masks]] = [[] for _ in steps]
    for first in range(0, len(entries), BATCH):
        batch = entries[first : first + BATCH]
        entry, moves = legal_moves(batch, Rules())
        classes, true = moves.classes, batch.classes[entry]
        for step, masks in zip(steps, found, strict=True):
            after = list(step.after)
            fits = (classes[:, after] == true[:, after]).all(axis=1)
            chosen = classes[fits, step.part]
            answers = (chosen != 0) if step.asks_presence else chosen
            masks.append(_joined(entry[fits], answers.astype(np.int32), len(batch)))
    return [np.concatenate(masks) if masks else np.empty(0, np.int32) for masks in found]


def _joined(entry: NDArray[np.intp], answers: NDArray[Any], entries: int) -> Masks:
    """The answers of each entry in one mask; `entry` ascends."""
    masks = np.full(entries, ALL, dtype=np.int32)
    if len(entry):
        begins = np.flatnonzero(np.diff(entry, prepend=-1))
        masks[entry[begins]] = np.bitwise_or.reduceat(np.int32(1) << answers, begins)
    return masks
