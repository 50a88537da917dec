"""Split datasets into training, validation and test parts, or into folds."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.core.spec import check_range
from ludus.datasets.morris.augmentation import augment
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.games.nine_mens_morris.bitboards import RING_SWAP
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.nnmm.config import Expansion, SplitKind

VALIDATION_DIVISOR, TEST_DIVISOR = 20, 10
"""Divisors of the dataset's size, rounded down as in Galassi's program."""

RING_REVERSAL = SYMMETRIES[8]

MAX_FOLDS = 100


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


def split_into_folds(
    entries: MoveBatch, number: int, recipe: Expansion, seed: int = 0
) -> Iterator[Split]:
    """Yield the splits of k-fold cross-validation: each fold validates once, the rest trains.

    Folds consist of unexpanded entries without leaks; the test part is empty.
    """
    check_range("folds", number, 2, MAX_FOLDS)
    _check_size(len(entries), number)
    group, num_groups = group_symmetric_entries(entries)
    fold = (np.random.default_rng((seed, 0xF01D)).permutation(num_groups) % number)[group]
    for each in range(number):
        out = fold == each
        yield Split(
            augment(entries[~out], recipe), augment(entries[out], recipe), MoveBatch.empty()
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
