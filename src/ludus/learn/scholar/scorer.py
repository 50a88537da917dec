"""The scorer in numpy: what positions are worth, each judged by the expert for its kind."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.experts import experts, table
from ludus.learn.scholar.fields import MOVED, WIDTH, encoded
from ludus.learn.scholar.weights import BadScholar, ScholarWeights, Tensors
from ludus.learn.symmetric.forward import Forward, parameter_shapes
from ludus.oracle.men import num_men

KIND = "scholar-scorer"
OUTPUTS = ("loss", "draw", "win")
"""What a network says a position is for its mover."""


class Columns(NamedTuple):
    """Positions as the side to move sees them, as arrays of one length."""

    own: NDArray[np.uint32]
    other: NDArray[np.uint32]
    own_hand: NDArray[np.uint8]
    other_hand: NDArray[np.uint8]


class Scorer:
    """Networks that come to life when a position of their kind turns up."""

    def __init__(self, weights: ScholarWeights) -> None:
        if weights.kind != KIND:
            raise BadScholar(f"these networks are a {weights.kind}, not a {KIND}")
        self._weights = weights
        self._awake: dict[int, Forward] = {}

    def chances(self, positions: Columns) -> NDArray[np.float32]:
        """Shape (positions, 3): how likely a loss, a draw or a win of the mover is."""
        men = num_men(positions.own), num_men(positions.other)
        kinds = experts(positions.own_hand, positions.other_hand, *men, table())
        found = np.empty((len(kinds), len(OUTPUTS)), dtype=np.float32)
        for kind in np.unique(kinds).tolist():
            which = np.flatnonzero(kinds == kind)
            outputs = self._expert(kind)(encoded(*(column[which] for column in positions)))
            raised = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            found[which] = raised / raised.sum(axis=1, keepdims=True)
        return found

    def scores(self, positions: Columns) -> NDArray[np.float32]:
        """What positions are worth to the side that is not to move: -1 lost, 1 won."""
        chances = self.chances(positions)
        worth: NDArray[np.float32] = chances[:, 0] - chances[:, 2]
        return worth

    def _expert(self, kind: int) -> Forward:
        if kind not in self._awake:
            weights = self._weights.expert(kind)
            _check(weights)
            self._awake[kind] = Forward(weights, MOVED, None)
        return self._awake[kind]


def _check(weights: Tensors) -> None:
    """Refuse tensors that make no network, whatever file they came from."""
    first = weights.get("first")
    if first is None or first.ndim != 2:
        raise BadScholar("an expert has no first layer")
    blocks = sum(name.endswith("layer1") for name in weights)
    wanted = parameter_shapes(WIDTH, len(OUTPUTS), len(first), blocks, is_judging=True)
    shapes = {name: values.shape for name, values in weights.items()}
    if shapes != wanted:
        raise BadScholar("an expert's tensors do not make a network")
