"""The scorer in numpy: what may come of positions, each judged by the expert for its kind."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.asking import Columns, by_expert, network, said_by, shares
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.weights import SCORER, BadScholar, ScholarWeights
from ludus.learn.scholar.worth import OUTPUTS, RESULTS
from ludus.learn.symmetric.forward import Forward


class Judgement(NamedTuple):
    """Of several positions, as their movers see them."""

    chances: NDArray[np.float32]
    """(positions, 3): of a loss, a draw and a win."""

    plies: NDArray[np.float32]
    """(positions, 2): to the loss and to the win, should it be one; as logarithms."""


class Scorer:
    """Networks that come to life when a position of their kind turns up."""

    def __init__(self, weights: ScholarWeights) -> None:
        if weights.kind != SCORER:
            raise BadScholar(f"these networks are a {weights.kind}, not a {SCORER}")
        self._weights = weights
        self._awake: dict[int, Forward] = {}

    def judged(self, positions: Columns) -> Judgement:
        """What may come of positions."""
        found = np.empty((len(positions.own), len(OUTPUTS)), dtype=np.float32)
        for kind, which, things in by_expert(positions):
            found[which] = said_by(self._expert(kind), things)
        results = len(RESULTS)
        return Judgement(shares(found[:, :results]), found[:, results:])

    def _expert(self, kind: int) -> Forward:
        if kind not in self._awake:
            weights, repeats = self._weights.expert(kind), self._weights.repeats[kind]
            self._awake[kind] = network(weights, MOVED, None, len(OUTPUTS), repeats)
        return self._awake[kind]
