"""From the weights that are learned to the layers that use them, sixteen times as large.

Units are numbered view by view: unit `g * channels + k` is channel k as symmetry g sees it.
Weights may have leading dimensions, one for each of several networks side by side. All is picking
and placing, so the same code serves numpy and torch.
"""

from typing import Any

import numpy as np

from ludus.learn.symmetric.group import ORDER, Permutations


def places(moved: Permutations) -> Permutations:
    """For each view and each thing, which of a template's weights meets it there."""
    return moved.argsort(axis=1)


def looking(template: Any, place: Any) -> Any:
    """(…, channels, things) to (…, 16 * channels, things): a template held in sixteen ways."""
    *front, channels, things = template.shape
    views = _picked(template, place, -1).reshape(*front, channels, ORDER, things)
    return views.swapaxes(-3, -2).reshape(*front, ORDER * channels, things)


def mixing(steps: Any, step: Any) -> Any:
    """(…, 16, to, from) to (…, 16 * to, 16 * from): a matrix for each step from view to view."""
    *front, _, to, frm = steps.shape
    grid = _picked(steps, step, -3).reshape(*front, ORDER, ORDER, to, frm)
    return grid.swapaxes(-3, -2).reshape(*front, ORDER * to, ORDER * frm)


def pointing(template: Any, place: Any) -> Any:
    """(…, channels, things) to (…, things, 16 * channels): all views together say where."""
    return looking(template, place).swapaxes(-2, -1) / ORDER


def judging(weights: Any) -> Any:
    """(…, outputs, channels) to (…, outputs, 16 * channels): the mean over the views."""
    return biases(weights) / ORDER


def biases(shared: Any) -> Any:
    """(…, channels) to (…, 16 * channels): the same in every view."""
    *front, channels = shared.shape
    views = np.repeat if isinstance(shared, np.ndarray) else _repeat_tensor
    return views(shared[..., None, :], ORDER, -2).reshape(*front, ORDER * channels)


def _picked(array: Any, which: Any, axis: int) -> Any:
    """Numpy's `take`, for torch too, where this way has the quickest gradient."""
    if isinstance(array, np.ndarray):
        return array.take(which.reshape(-1), axis)
    return array.index_select(axis, which.reshape(-1))


def _repeat_tensor(tensor: Any, times: int, axis: int) -> Any:
    return tensor.repeat_interleave(times, axis)
