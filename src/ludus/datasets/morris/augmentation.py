"""Augment a dataset with the symmetric images of every entry.

`symmetries` uses the 16 symmetries of the board. No state occurs twice: an image with the same
state as an earlier one is dropped, and so is an entry whose state is symmetric to that of an
earlier entry.

`published` is the recipe of Galassi 2018, which gives its 1,628,673 entries: the same 16, and where
both sides have exactly three men on the board, whatever they have in hand, also the swap of outer
and middle ring of all images but the first. The swap is valid only with empty hands, when all men
fly and adjacency does not matter. Repeated states are dropped within one entry only.
"""

from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ludus.core.spec import check_choice
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.games.nine_mens_morris.bitboards import RING_SWAP
from ludus.games.nine_mens_morris.board import SYMMETRIES

Images = list[tuple[MoveBatch, NDArray[np.bool_]]]
"""All entries under each permutation in turn, with a mask of the images that count."""

AUTHORS_ORDER = (0, 1, 2, 3, 4, 7, 6, 5, 8, 9, 10, 11, 12, 15, 14, 13)
"""The thesis rotates, then mirrors, then swaps inside out; SYMMETRIES mirrors before it rotates.
The order decides which of two equal images is kept, and where a split cuts.
"""


def symmetric_images(entries: MoveBatch) -> Images:
    """Return the 16 images of each entry."""
    all_of_them = np.ones(len(entries), dtype=bool)
    return [(entries.transform(SYMMETRIES[i]), all_of_them) for i in AUTHORS_ORDER]


def published_images(entries: MoveBatch) -> Images:
    """Return the images of the published recipe: 16, or 31 with three men against three."""
    images = symmetric_images(entries)
    own_men, other_men, *_ = entries.counts
    has_three = (own_men == 3) & (other_men == 3)
    return images + [(image.transform(RING_SWAP), has_three) for image, _ in images[1:]]


RECIPES: MappingProxyType[str, Callable[[MoveBatch], Images]] = MappingProxyType(
    {"published": published_images, "symmetries": symmetric_images}
)
"""Ways to augment a dataset by name."""

BATCH_SIZE = 8192
"""Number of entries augmented at a time, so that a batch fits into a processor's cache."""


def augment(entries: MoveBatch, recipe: str = "symmetries") -> MoveBatch:
    """Return all images of each entry in turn, the entry itself first."""
    return MoveBatch.concatenate(augment_parts([entries], recipe))


def augment_parts(parts: Iterable[MoveBatch], recipe: str = "symmetries") -> Iterator[MoveBatch]:
    """Augment a dataset that is given in parts."""
    check_choice("there is no recipe", recipe, RECIPES)
    images = RECIPES[recipe]
    for entries in parts if recipe == "published" else _drop_symmetric_repeats(parts):
        for first in range(0, len(entries), BATCH_SIZE):
            yield _join_images(images(entries[first : first + BATCH_SIZE]))


def _drop_symmetric_repeats(parts: Iterable[MoveBatch]) -> Iterator[MoveBatch]:
    """Drop entries that are symmetric to an earlier one."""
    seen = np.empty(0, dtype=np.uint64)
    for entries in parts:
        keys, first = np.unique(entries.canonical_keys(), return_index=True)
        is_new = ~np.isin(keys, seen, assume_unique=True)
        seen = np.concatenate([seen, keys[is_new]])
        yield entries[np.sort(first[is_new])]


def _join_images(images: Images) -> MoveBatch:
    keys = np.stack([image.keys() for image, _ in images], axis=1)
    counts = np.stack([counting for _, counting in images], axis=1)
    is_kept = counts & ~_find_repeats(np.where(counts, keys, keys[:, :1]))
    everything = MoveBatch.concatenate(image for image, _ in images)
    # `everything` is grouped by image; the result is grouped by entry, in the order of the images.
    entry, image = np.nonzero(is_kept)
    return everything[image * len(keys) + entry]


def _find_repeats(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return a mask of the keys that also occur further left in their row."""
    order = np.argsort(keys, axis=1, kind="stable")
    in_order = np.take_along_axis(keys, order, axis=1)
    same = np.zeros(keys.shape, dtype=bool)
    same[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    found = np.empty_like(same)
    np.put_along_axis(found, order, same, axis=1)
    return found
