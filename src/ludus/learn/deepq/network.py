"""The network in numpy, which is all that playing needs."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

HIDDEN = (256, 64)

NAMES = ("w1", "b1", "w2", "b2", "w3", "b3")
"""Weights and biases, layer by layer; `w1` has a row for each input."""

Array = NDArray[np.float32]
Weights = Mapping[str, Array]


def shapes(inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    """The shape of each of the weights."""
    widths = (inputs, *HIDDEN, outputs)
    sizes: list[tuple[int, ...]] = []
    for before, after in pairwise(widths):
        sizes += [(before, after), (after,)]
    return dict(zip(NAMES, sizes, strict=True))


def values(weights: Weights, inputs: Array) -> Array:
    """What the network makes of some positions: (positions, inputs) to (positions, outputs)."""
    hidden = np.maximum(inputs @ weights["w1"] + weights["b1"], 0)
    hidden = np.maximum(hidden @ weights["w2"] + weights["b2"], 0)
    found: Array = hidden @ weights["w3"] + weights["b3"]
    return found
