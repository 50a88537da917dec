"""Counting men on many boards at once. It stands alone, so that it needs nothing compiled."""

import numpy as np
from numpy.typing import NDArray


def num_men(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How many men stand on each board; bits beyond its points are not looked at."""
    low, high = boards & 0xFFF, boards >> 12 & 0xFFF
    numbers: NDArray[np.uint32] = _NUM_BITS[low] + _NUM_BITS[high]
    return numbers


_NUM_BITS = np.array([number.bit_count() for number in range(1 << 12)], dtype=np.uint32)
