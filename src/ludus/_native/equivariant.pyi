"""Equivariant networks of whole numbers in C++."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

class IntegerEvaluator:
    """The twin of `ludus.learn.equivariant.integers.NumpyIntegerNetwork`.

    `places` are the inverse permutations of the features (16, features).
    """

    def __init__(self, tensors: Mapping[str, NDArray[Any]], places: NDArray[np.int64]) -> None: ...
    def __call__(self, features: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return the outputs, whole numbers, (positions, outputs), of (positions, features).

        Features are whole quarters from -1 to 1.
        """
