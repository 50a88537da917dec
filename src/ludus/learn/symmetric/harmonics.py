"""The group's harmonics: in their terms a layer that mixes views falls into small blocks.

The sixteen symmetries are those of the square, each with and without turning the rings inside
out. Such a group has eight characters, which are signs, and two representations by matrices of
two rows. A mixing layer of 16 x 16 matrices becomes 8 of them and two of twice their size, the
latter used twice each: a tenth of the work.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import POINTS as NAMES
from ludus.learn.symmetric.group import ORDER, POINTS

Array = NDArray[np.float32]

SIGNS = 8
"""Representations with one row."""

PLANES = 2
"""Representations with two."""


class Spectrum(NamedTuple):
    """A mixing layer in terms of the harmonics."""

    signs: Array
    """(8, to, from)"""

    planes: Array
    """(2, 2 * to, 2 * from)"""


@cache
def waves() -> NDArray[np.float64]:
    """(16, 16), orthogonal: the harmonics, row by row, over the symmetries."""
    signs, planes = representations()
    rows = [*signs, *(plane[:, i, j] * 2**0.5 for plane in planes for i in (0, 1) for j in (0, 1))]
    basis: NDArray[np.float64] = np.array(rows) / ORDER**0.5
    return basis


def spectrum(steps: Array) -> Spectrum:
    """A mixing layer's matrices for each step, (16, to, from), in terms of the harmonics."""
    _, to, frm = steps.shape
    terms = (_sums() @ steps.reshape(ORDER, -1)).reshape(steps.shape)
    # A step backwards has the transposed matrix, because all of these are orthogonal.
    pairs = terms[SIGNS:].reshape(PLANES, 2, 2, to, frm).transpose(0, 1, 3, 2, 4)
    return Spectrum(terms[:SIGNS].copy(), pairs.reshape(PLANES, 2 * to, 2 * frm))


@cache
def _sums() -> Array:
    """(16, 16): the entries of the representations themselves, as `waves` has them."""
    sizes = np.repeat([ORDER**0.5, (ORDER / 2) ** 0.5], [SIGNS, ORDER - SIGNS])
    sums: Array = (waves() * sizes[:, None]).astype(np.float32)
    return sums


def mixed(terms: Array, layer: Spectrum) -> Array:
    """The layer applied to harmonics: (16, from, positions) to (16, to, positions)."""
    _, width, number = terms.shape
    to = layer.signs.shape[1]
    found = np.empty((ORDER, to, number), dtype=np.float32)
    np.matmul(layer.signs, terms[:SIGNS], out=found[:SIGNS])
    # Both rows of a representation with two meet the same matrix.
    np.matmul(
        layer.planes[:, None],
        terms[SIGNS:].reshape(PLANES, 2, 2 * width, number),
        out=found[SIGNS:].reshape(PLANES, 2, 2 * to, number),
    )
    return found


def rectified(terms: Array) -> Array:
    """Harmonics of what is left where no view may be negative."""
    return (_waves() @ np.maximum(views(terms), 0).reshape(ORDER, -1)).reshape(terms.shape)


def views(terms: Array) -> Array:
    """Harmonics, (16, channels, positions), as the sixteen views that they are made of."""
    return (_waves().T @ terms.reshape(ORDER, -1)).reshape(terms.shape)


@cache
def _waves() -> Array:
    """In single precision, as units are."""
    return waves().astype(np.float32)


@cache
def representations() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Signs (8, 16) and matrices (2, 16, 2, 2) of the symmetries."""
    turned = np.array([_turn(number) for number in range(ORDER)])
    flip = np.linalg.det(turned)
    swap = np.abs(turned[:, 0, 0]) * 2 - 1  # 1 where the board's axes stay, -1 where they change
    inside_out = np.where(POINTS[:, 0] // 8 == 0, 1.0, -1.0)
    square = np.array([np.ones(ORDER), flip, swap, flip * swap])
    signs = np.concatenate([square, square * inside_out])
    planes = np.array([turned, turned * inside_out[:, None, None]])
    return signs, planes


def _turn(number: int) -> NDArray[np.float64]:
    """What a symmetry does to the plane, from where it takes the right and the upper middle."""
    columns = [_place(POINTS[number, NAMES.index(name)]) for name in ("g4", "d7")]
    return np.array([column / np.abs(column).max() for column in columns]).T


def _place(point: int) -> NDArray[np.float64]:
    """A point's column and row, counted from the middle."""
    name = NAMES[point]
    return np.array([ord(name[0]) - ord("d"), int(name[1]) - 4], dtype=np.float64)
