"""What the symmetries of the board make of the columns that a network reads."""

import numpy as np

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.board import POINTS
from ludus.learn.nnmm import features, lines
from ludus.learn.nnmm.inputs import INPUTS, MAX_MEN, PHASES
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS
from ludus.learn.symmetric.group import CLASSES, LINES, ORDER, Permutations, fixed, joined

_POINTS: Permutations = CLASSES[:, 1:] - 1
"""The points in reading order."""

_HANDS, _COUNTS, _PHASES = fixed(2 * MAX_MEN), fixed(2 * MAX_MEN), fixed(2 * PHASES)
_BOARD = joined(_POINTS, _POINTS, _POINTS)
_RAW = joined(_BOARD, _HANDS, _COUNTS, _PHASES)
_FEATURES = joined(_RAW, *[_POINTS] * len(features.NAMES))


def _lines() -> Permutations:
    """Each line takes its ten columns along."""
    states = np.arange(len(lines.STATES))
    return (LINES[:, :, None] * len(states) + states).reshape(ORDER, -1)


MOVED: dict[str, Permutations] = {
    "rawest": joined(_BOARD, _HANDS),
    "rawer": joined(_BOARD, _HANDS, _PHASES),
    "raw": _RAW,
    "integer": joined(_POINTS, fixed(6)),
    "features": _FEATURES,
    "lines": joined(_FEATURES, _lines()),
}
"""By input model."""

assert all(MOVED[name].shape == (ORDER, model.width) for name, model in INPUTS.items())
assert len(POINTS) == NUM_CLASSES - 1


def moved_in(width: int) -> Permutations:
    """The columns of a network's input: a position in one of the models, then earlier choices."""
    for name, model in INPUTS.items():
        for choices in range(len(PARTS)):
            # Numbers of points, as the integer model has them, cannot be moved like columns.
            if model.binary and model.width_after(choices) == width:
                return joined(MOVED[name], *[CLASSES] * choices)
    raise BadSpec(f"a symmetric network cannot read {width} columns of no known model")
