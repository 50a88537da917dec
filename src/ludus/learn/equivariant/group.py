"""Symmetry group of the board: permutation tables, and expansion of shared weights into full
layers.

Units are ordered by group element: unit `g * channels + k` is channel k at symmetry g. Weights may
have leading dimensions, one entry for each of several networks side by side. The expansion only
selects and reshapes, so the same code serves numpy and torch.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import READING_ORDER, SYMMETRIES, mills

Permutations = NDArray[np.int64]
"""Shape (16, n): the index to which each symmetry takes each of n elements."""

GROUP_ORDER = len(SYMMETRIES)

POINT_PERMUTATIONS: Permutations = np.array(SYMMETRIES)
"""Entry [g, i] is the number of the point to which symmetry g takes point i."""


def _permute_lines() -> Permutations:
    """Return the permutations of the sixteen lines, in the order of `board.mills`."""
    numbers = {frozenset(line): number for number, line in enumerate(mills(diagonals=False))}
    return np.array(
        [[numbers[frozenset(image[p] for p in line)] for line in numbers] for image in SYMMETRIES]
    )


def _permute_classes() -> Permutations:
    """Return the permutations of the 25 classes: points in reading order after 0 (none)."""
    number_of = np.argsort(READING_ORDER)
    moved = number_of[POINT_PERMUTATIONS[:, READING_ORDER]]
    return np.hstack([np.zeros((GROUP_ORDER, 1), dtype=np.int64), 1 + moved])


LINE_PERMUTATIONS = _permute_lines()
CLASS_PERMUTATIONS = _permute_classes()
"""For the 25 classes that a network of a chain chooses from."""

LINE_STATES = tuple((own, other) for own in range(4) for other in range(4 - own))
"""The ten states of a line: men of the mover and men of the other side on it."""


def _make_one_hot_line_states() -> NDArray[np.uint8]:
    rows = np.zeros((16, len(LINE_STATES)), dtype=np.uint8)
    for number, (own, other) in enumerate(LINE_STATES):
        rows[4 * own + other, number] = 1
    return rows


ONE_HOT_LINE_STATES = _make_one_hot_line_states()
"""One-hot codes of a line's states, shape (16, 10): row 4 * own + other, zero if impossible."""

LINE_STATE_PERMUTATIONS: Permutations = (
    LINE_PERMUTATIONS[:, :, None] * len(LINE_STATES) + np.arange(len(LINE_STATES))
).reshape(GROUP_ORDER, -1)
"""For the ten columns of each of the sixteen lines."""


def trivial_permutations(count: int) -> Permutations:
    """Return the permutations of elements that symmetries leave fixed, such as numbers of men."""
    return np.tile(np.arange(count), (GROUP_ORDER, 1))


def concatenate_permutations(*parts: Permutations) -> Permutations:
    """Return the permutations of several kinds of elements, concatenated in one array."""
    starts = np.cumsum([0, *(part.shape[1] for part in parts[:-1])])
    return np.hstack([part + start for part, start in zip(parts, starts, strict=True)])


def _compute_relative_elements() -> Permutations:
    """Return the table whose entry [g, h] is the a with h = g a (first a, then g)."""
    number = {symmetry: index for index, symmetry in enumerate(SYMMETRIES)}
    back = np.argsort(POINT_PERMUTATIONS, axis=1)
    return np.array(
        [
            [number[tuple(back[g][POINT_PERMUTATIONS[h]])] for h in range(GROUP_ORDER)]
            for g in range(GROUP_ORDER)
        ]
    )


RELATIVE_ELEMENTS = _compute_relative_elements()

CHOICE_PERMUTATIONS = concatenate_permutations(POINT_PERMUTATIONS, trivial_permutations(1))
"""For a point by its number, or 24 for none."""


def invert_permutations(moved: Permutations) -> Permutations:
    """Return the inverse permutations: for each symmetry the filter weight of each element."""
    return moved.argsort(axis=1)


def expand_lifting(template: Any, place: Any) -> Any:
    """Expand a filter, (…, channels, features), to all symmetries, (…, 16 * channels, features)."""
    *front, channels, features = template.shape
    views = _take(template, place, -1).reshape(*front, channels, GROUP_ORDER, features)
    return views.swapaxes(-3, -2).reshape(*front, GROUP_ORDER * channels, features)


def expand_group_convolution(steps: Any, step: Any) -> Any:
    """Expand a group convolution, (…, 16, to, from), to a full matrix, (…, 16 * to, 16 * from)."""
    *front, _, to, frm = steps.shape
    grid = _take(steps, step, -3).reshape(*front, GROUP_ORDER, GROUP_ORDER, to, frm)
    return grid.swapaxes(-3, -2).reshape(*front, GROUP_ORDER * to, GROUP_ORDER * frm)


def expand_point_projection(template: Any, place: Any) -> Any:
    """Expand equivariant output weights, (…, channels, outputs), to (…, outputs, 16 * channels)."""
    return expand_lifting(template, place).swapaxes(-2, -1) / GROUP_ORDER


def expand_invariant_projection(weights: Any) -> Any:
    """Expand invariant output weights, (…, outputs, channels), to (…, outputs, 16 * channels)."""
    return expand_bias(weights) / GROUP_ORDER


def expand_bias(shared: Any) -> Any:
    """Repeat a bias, (…, channels), for every symmetry, (…, 16 * channels)."""
    *front, channels = shared.shape
    views = np.repeat if isinstance(shared, np.ndarray) else _repeat_tensor
    return views(shared[..., None, :], GROUP_ORDER, -2).reshape(*front, GROUP_ORDER * channels)


def _take(array: Any, which: Any, axis: int) -> Any:
    """Take elements along an axis, in torch by `index_select`, which has the fastest gradient."""
    if isinstance(array, np.ndarray):
        return array.take(which.reshape(-1), axis)
    return array.index_select(axis, which.reshape(-1))


def _repeat_tensor(tensor: Any, times: int, axis: int) -> Any:
    return tensor.repeat_interleave(times, axis)
