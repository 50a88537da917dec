"""The author's data, found by path: it does not come with the program."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from ludus import LudusError
from ludus.datasets import MoveBatch, augment, default_folder, read_dataset
from ludus.learn.nnmm import split_contiguously

VARIABLE = "LUDUS_NNMM_DATA"

CHECKOUT = Path(__file__).parents[2]

WHOLE, HELD_OUT, STATES = "whole expansion", "held out", "states"
"""The expanded dataset; its last tenth, which the author's networks were tested with and never
learned; and the expanded states of games, for which nobody has written down a good move."""


def find_data_folder() -> Path:
    """Return the folder that the variable names, or where `ludus dataset fetch nnmm` puts it."""
    named = os.environ.get(VARIABLE)
    usual = [default_folder("nnmm"), Path("nnmm"), CHECKOUT / "nnmm"]
    places = [Path(named)] if named else usual
    for place in places:
        if (place / "dataset.txt").is_file():
            return place
    raise LudusError(
        "the author's data is not here; `ludus dataset fetch nnmm` gets it, "
        f"and {VARIABLE} says where it is if it is elsewhere"
    )


def read_positions(name: str) -> MoveBatch:
    """Read one of the sets, expanded as published."""
    if name == HELD_OUT:
        return split_contiguously(read_positions(WHOLE)).test
    return _read_augmented(find_data_folder() / ("states.txt" if name == STATES else "dataset.txt"))


def read_held_out_entries() -> MoveBatch:
    """Read the entries, not expanded, of which no image was learned under the author's split."""
    entries, room = read_dataset(find_data_folder() / "dataset.txt"), len(read_positions(HELD_OUT))
    number = len(entries)
    # Entries have about 16 images each, so a few steps find how many of the last ones fit.
    while len(images := augment(entries[len(entries) - number :], "published")) > room:
        number = min(number - 1, number * room // len(images))
    return entries[len(entries) - number :]


@lru_cache(maxsize=2)
def _read_augmented(file: Path) -> MoveBatch:
    return augment(read_dataset(file), "published")


def sample_entries(entries: MoveBatch, number: int, seed: int) -> MoveBatch:
    """Sample this number of entries, in their order; 0 or too large a number: all."""
    if not 0 < number < len(entries):
        return entries
    chosen = np.random.default_rng(seed).choice(len(entries), number, replace=False)
    return entries[np.sort(chosen)]
