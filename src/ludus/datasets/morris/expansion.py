"""More examples from the same: every entry as its symmetric images.

`symmetries` is what the game allows: the 16 symmetries of the board. No state comes out twice: an
image that shows the same state as an earlier one is left out, and so is an entry whose state is
symmetric to that of an earlier entry.

`published` is what the author of the thesis did, which gives its 1,628,673 entries: the same 16,
and where both sides have exactly three men on the board, whatever they have in hand, the swap of
outer and middle ring of all but the first. Flying men do not care where the lines run, so the
swap is right only with empty hands. Repeated states are left out within one entry only.
"""

from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.datasets.morris.boards import RING_SWAP, canonical_keys, seen_through, state_keys
from ludus.datasets.morris.entries import Entries
from ludus.games.nine_mens_morris.board import SYMMETRIES

Images = list[tuple[Entries, NDArray[np.bool_]]]
"""All entries seen through one permutation after the other, and which of these images count."""

AUTHORS_ORDER = (0, 1, 2, 3, 4, 7, 6, 5, 8, 9, 10, 11, 12, 15, 14, 13)
"""The author turns, then mirrors, then swaps inside out; SYMMETRIES mirrors before it turns. The
order decides which image is kept where two show the same state, and where a split cuts."""


def symmetric_images(entries: Entries) -> Images:
    """The 16 images of each entry."""
    all_of_them = np.ones(len(entries), dtype=bool)
    return [(seen_through(entries, SYMMETRIES[i]), all_of_them) for i in AUTHORS_ORDER]


def published_images(entries: Entries) -> Images:
    """The images of the published recipe: 16, or 31 with three men against three."""
    images = symmetric_images(entries)
    has_three = (entries.own_men == 3) & (entries.other_men == 3)
    return images + [(seen_through(image, RING_SWAP), has_three) for image, _ in images[1:]]


RECIPES: MappingProxyType[str, Callable[[Entries], Images]] = MappingProxyType(
    {"published": published_images, "symmetries": symmetric_images}
)

BATCH = 8192
"""Entries that are expanded at a time; more would not fit into a processor's cache."""


def expand(entries: Entries, recipe: str = "symmetries") -> Entries:
    """All images of each entry in turn, the entry itself first."""
    return Entries.joined(expand_parts([entries], recipe))


def expand_parts(parts: Iterable[Entries], recipe: str = "symmetries") -> Iterator[Entries]:
    """The same for a dataset in parts, in parts."""
    if recipe not in RECIPES:
        raise UnknownName(f"there is no recipe {quoted(recipe)}{suggestion(recipe, RECIPES)}")
    images = RECIPES[recipe]
    for entries in parts if recipe == "published" else _first_of_their_kind(parts):
        for first in range(0, len(entries), BATCH):
            yield _expanded(images(entries[first : first + BATCH]))


def _first_of_their_kind(parts: Iterable[Entries]) -> Iterator[Entries]:
    """The entries of which no symmetric one came before."""
    seen = np.empty(0, dtype=np.uint64)
    for entries in parts:
        keys, first = np.unique(canonical_keys(entries), return_index=True)
        is_new = ~np.isin(keys, seen, assume_unique=True)
        seen = np.concatenate([seen, keys[is_new]])
        yield entries[np.sort(first[is_new])]


def _expanded(images: Images) -> Entries:
    keys = np.stack([state_keys(image) for image, _ in images], axis=1)
    counts = np.stack([counting for _, counting in images], axis=1)
    is_kept = counts & ~_repeats(np.where(counts, keys, keys[:, :1]))
    everything = Entries.joined(image for image, _ in images)
    # Images of one entry stand far apart, and belong together in the order of the images.
    entry, image = np.nonzero(is_kept)
    return everything[image * len(keys) + entry]


def _repeats(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """For each row, which keys have stood further left."""
    order = np.argsort(keys, axis=1, kind="stable")
    in_order = np.take_along_axis(keys, order, axis=1)
    same = np.zeros(keys.shape, dtype=bool)
    same[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    found = np.empty_like(same)
    np.put_along_axis(found, order, same, axis=1)
    return found
