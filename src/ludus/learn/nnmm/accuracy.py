"""The accuracy test of the thesis (6.3): how often the predicted move is the dataset's."""

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris import Entries
from ludus.learn.nnmm.shares import Lines, Share

Classes = NDArray[np.int8]
"""Moves as rows of TO, FROM and REMOVE: 0 is no such part, 1 to 24 the points in reading order."""

PHASES = (1, 2, 3)


def accuracy(positions: Entries, predicted: Classes, true: Classes) -> Lines:
    """All lines of the test; those with `0` tell moves that lack the part from moves that have it.

    What the phase is depends on the mover alone: it places, moves, or flies.
    """
    is_right = predicted == true
    to, frm, remove = is_right.T
    whole = is_right.all(axis=1)
    lines = {"TO": Share.counted(to)}
    for name, right, part in (("FROM", frm, 1), ("REMOVE", remove, 2)):
        has_part = true[:, part] != 0
        lines[name] = Share.counted(right)
        lines[f"{name} not 0"] = Share.counted(right, has_part)
        lines[f"{name} 0"] = Share.counted(right, ~has_part)
    lines["whole move"] = Share.counted(whole)
    phases = positions.phases
    for phase in PHASES:
        lines[f"whole move, phase {phase}"] = Share.counted(whole, phases == phase)
    return lines
