"""What is learned from, what decides when to stop, and what nobody sees until the end."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.datasets.morris.boards import RING_SWAP, canonical_keys, seen_through
from ludus.datasets.morris.entries import Entries
from ludus.datasets.morris.expansion import expand
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.nnmm.settings import Recipe, SplitKind

VALIDATION_SHARE, TEST_SHARE = 20, 10
"""One part in so many; the division leaves out fractions, as the author's did."""

INSIDE_OUT = SYMMETRIES[8]

MAX_FOLDS = 100


class Split(NamedTuple):
    """Three parts of a dataset, expanded."""

    training: Entries
    validation: Entries
    test: Entries


def split(entries: Entries, kind: SplitKind, recipe: Recipe, seed: int = 0) -> Split:
    """The parts of a dataset whose entries are not expanded yet; 85%, 5% and 10% of it."""
    _check_size(len(entries), 3)
    if kind == "contiguous":
        return contiguous(expand(entries, recipe))
    group, number = groups(entries)
    place = np.random.default_rng((seed, 0x5EED)).permutation(number)[group]
    test, validation = number // TEST_SHARE, number // VALIDATION_SHARE
    first_validation = number - test - validation
    parts = (
        place < first_validation,
        (place >= first_validation) & (place < number - test),
        place >= number - test,
    )
    return Split(*(expand(entries[part], recipe) for part in parts))


def contiguous(expanded: Entries) -> Split:
    """The author's parts: 1,384,373, 81,433 and 162,867 in a row, of the published expansion."""
    test, validation = len(expanded) // TEST_SHARE, len(expanded) // VALIDATION_SHARE
    last = len(expanded) - test
    first = last - validation
    return Split(expanded[:first], expanded[first:last], expanded[last:])


def folds(entries: Entries, number: int, recipe: Recipe, seed: int = 0) -> Iterator[Split]:
    """For k-fold cross-validation: each time another k-th validates and the rest trains.

    Folds are of entries, without leaks, and leave nothing over for a test.
    """
    if not 2 <= number <= MAX_FOLDS:
        raise BadSpec(f"folds={number} must be from 2 to {MAX_FOLDS}")
    _check_size(len(entries), number)
    group, num_groups = groups(entries)
    fold = (np.random.default_rng((seed, 0xF01D)).permutation(num_groups) % number)[group]
    for each in range(number):
        out = fold == each
        yield Split(expand(entries[~out], recipe), expand(entries[out], recipe), Entries.empty())


def groups(entries: Entries) -> tuple[NDArray[np.intp], int]:
    """For each entry the number of its group, and how many groups there are.

    No image of an entry shows the same state as an image of an entry of another group, whatever the
    recipe: entries are together if any exchange of rings, turn or mirror makes one of the other.
    """
    keys = canonical_keys(entries)
    fly = (entries.own_men == 3) & (entries.other_men == 3)
    swapped = seen_through(entries[fly], RING_SWAP)
    turned = seen_through(seen_through(entries[fly], INSIDE_OUT), RING_SWAP)
    keys[fly] = np.minimum.reduce([keys[fly], canonical_keys(swapped), canonical_keys(turned)])
    found, group = np.unique(keys, return_inverse=True)
    return group.reshape(-1), len(found)


def _check_size(entries: int, parts: int) -> None:
    least = 20 * parts
    if entries < least:
        raise BadSpec(f"{entries} entries are too few to be split; at least {least} are needed")
