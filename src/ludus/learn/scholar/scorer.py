"""The scorer in numpy: what positions are worth, each judged by the expert for its kind."""

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.asking import Columns, by_expert, network, said_by
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.weights import SCORER, BadScholar, ScholarWeights
from ludus.learn.symmetric.forward import Forward

OUTPUTS = ("loss", "draw", "win")
"""What a network says a position is for its mover."""


class Scorer:
    """Networks that come to life when a position of their kind turns up."""

    def __init__(self, weights: ScholarWeights) -> None:
        if weights.kind != SCORER:
            raise BadScholar(f"these networks are a {weights.kind}, not a {SCORER}")
        self._weights = weights
        self._awake: dict[int, Forward] = {}

    def chances(self, positions: Columns) -> NDArray[np.float32]:
        """Shape (positions, 3): how likely a loss, a draw or a win of the mover is."""
        found = np.empty((len(positions.own), len(OUTPUTS)), dtype=np.float32)
        for kind, which, things in by_expert(positions):
            found[which] = said_by(self._expert(kind), things)
        return found

    def scores(self, positions: Columns) -> NDArray[np.float32]:
        """What positions are worth to the side that is not to move: -1 lost, 1 won."""
        loss, _, win = self.chances(positions).T
        worth: NDArray[np.float32] = loss - win
        return worth

    def _expert(self, kind: int) -> Forward:
        if kind not in self._awake:
            weights, repeats = self._weights.expert(kind), self._weights.repeats[kind]
            self._awake[kind] = network(weights, MOVED, None, len(OUTPUTS), repeats)
        return self._awake[kind]
