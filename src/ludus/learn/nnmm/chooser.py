"""What one network, or two, say about one part of a move."""

import numpy as np

from ludus.learn.nnmm.forward import Network, log_softmax
from ludus.learn.nnmm.inputs import Rows
from ludus.learn.nnmm.weights import Array


class Chooser:
    """The network that chooses a part and, in chains of five, the one that says if it is there."""

    def __init__(self, point: Network, presence: Network | None = None) -> None:
        self._point = point
        self._presence = presence

    def probabilities(self, rows: Rows) -> Array:
        """How likely each of the 25 classes is, shape (rows, 25)."""
        points = self._point.log_probabilities(rows)
        if self._presence is not None:
            is_there = self._presence.log_probabilities(rows)
            # The class for no part is not this network's business; it counts for nothing.
            points[:, 1:] = log_softmax(points[:, 1:]) + is_there[:, 1:]
            points[:, 0] = is_there[:, 0]
        return np.exp(points, out=points)
