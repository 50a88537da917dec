"""Datasets of good moves: read, split into parts or folds, and encoded as training examples."""

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, LudusError
from ludus.core.processes import count_cores
from ludus.datasets.download import default_folder
from ludus.datasets.morris.augmentation import augment
from ludus.datasets.morris.files import read_dataset
from ludus.games.nine_mens_morris.batch import MoveBatch, generate_moves
from ludus.games.nine_mens_morris.bitboards import RING_SWAP
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.equivariant.group import Permutations
from ludus.learn.nnmm.config import Expansion, SplitKind
from ludus.learn.nnmm.encoding import InputColumns, InputModel, Rows, append_choices
from ludus.learn.nnmm.parts import ChainStep, PartOrder, points_to_classes

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def read_entries(file: Path | None, limit: int = 0) -> MoveBatch:
    """Read the entries that have a move of a dataset, by default of the one that was downloaded.

    A `limit` of 0 means all.
    """
    if file is None:
        file = default_folder("nnmm") / "dataset.txt"
        if not file.exists():
            raise LudusError(
                "--data FILE is missing; `ludus dataset fetch nnmm` downloads a dataset"
            )
    entries = read_dataset(file)
    return entries[entries.has_move][: limit or None]


def compute_fingerprint(entries: MoveBatch) -> str:
    """Return a checksum of the entries."""
    check = 0
    for column in entries.columns:
        check = zlib.crc32(np.ascontiguousarray(column).tobytes(), check)
    return f"{check:08x}"


VALIDATION_DIVISOR, TEST_DIVISOR = 20, 10
"""Divisors of the dataset's size, rounded down as in Galassi's program."""

RING_REVERSAL = SYMMETRIES[8]


class Split(NamedTuple):
    """Three parts of a dataset, expanded."""

    training: MoveBatch
    validation: MoveBatch
    test: MoveBatch


def split_entries(entries: MoveBatch, kind: SplitKind, recipe: Expansion, seed: int = 0) -> Split:
    """Split entries into 85% training, 5% validation and 10% test, then expand them."""
    _check_size(len(entries), 3)
    if kind == "contiguous":
        return split_contiguously(augment(entries, recipe))
    group, number = group_symmetric_entries(entries)
    place = np.random.default_rng((seed, 0x5EED)).permutation(number)[group]
    test, validation = number // TEST_DIVISOR, number // VALIDATION_DIVISOR
    first_validation = number - test - validation
    parts = (
        place < first_validation,
        (place >= first_validation) & (place < number - test),
        place >= number - test,
    )
    return Split(*(augment(entries[part], recipe) for part in parts))


def split_contiguously(expanded: MoveBatch) -> Split:
    """Split as Galassi did: 1,384,373, 81,433 and 162,867 entries of his expansion in a row."""
    test, validation = len(expanded) // TEST_DIVISOR, len(expanded) // VALIDATION_DIVISOR
    last = len(expanded) - test
    first = last - validation
    return Split(expanded[:first], expanded[first:last], expanded[last:])


def split_fold(
    entries: MoveBatch, number: int, fold: int, recipe: Expansion, seed: int = 0
) -> Split:
    """Return a split of cross-validation with this number of folds: one validates, the rest train.

    Folds, from 0, consist of unexpanded entries without leaks; the test part is empty.
    """
    _check_size(len(entries), number)
    group, num_groups = group_symmetric_entries(entries)
    order = np.random.default_rng((seed, 0xF01D)).permutation(num_groups)
    is_validation = (order % number)[group] == fold
    return Split(
        augment(entries[~is_validation], recipe),
        augment(entries[is_validation], recipe),
        MoveBatch.empty(),
    )


def group_symmetric_entries(entries: MoveBatch) -> tuple[NDArray[np.intp], int]:
    """Return the index of each entry's group, and the number of groups.

    Images of entries of different groups never show the same state, whatever the expansion: entries
    are in one group if any exchange of rings, rotation or reflection maps one to the other.
    """
    keys = entries.canonical_keys()
    own_men, other_men, *_ = entries.counts
    fly = (own_men == 3) & (other_men == 3)
    flying = entries.positions[fly]
    for image in (flying, flying.transform(RING_REVERSAL)):
        keys[fly] = np.minimum(keys[fly], image.transform(RING_SWAP).canonical_keys())
    found, group = np.unique(keys, return_inverse=True)
    return group.reshape(-1), len(found)


def _check_size(entries: int, parts: int) -> None:
    least = 20 * parts
    if entries < least:
        raise BadSpec(f"{entries} entries are too few to be split; at least {least} are needed")


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

    inputs: "Tensor"
    """Shape (examples, columns), uint8 or int8."""

    targets: "Tensor"
    """Shape (examples,), the true class."""

    legal: "Tensor | None"
    """Masks of legal classes, if the loss needs them."""

    permutations: Permutations | None = None
    """How the symmetries of the board permute the columns, for symmetric networks."""

    @property
    def columns(self) -> InputColumns:
        return InputColumns(self.inputs.shape[1], self.permutations)

    def __len__(self) -> int:
        return len(self.targets)

    def select(self, index: "Tensor") -> Self:
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

    def build_examples(
        self, step: ChainStep, has_presence: bool, device: "torch.device"
    ) -> Examples:
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
        import torch

        return Examples(
            torch.from_numpy(rows).to(device),
            torch.from_numpy(targets).to(device),
            None if legal is None else torch.from_numpy(legal).to(device),
            self.model.columns(len(step.parts_before)).permutations,
        )
