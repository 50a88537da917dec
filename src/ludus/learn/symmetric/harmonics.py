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
    """(8, from, to)"""

    planes: Array
    """(2, 2 * from, 2 * to)"""


@cache
def waves() -> NDArray[np.float64]:
    """(16, 16), orthogonal: the harmonics, row by row, over the symmetries."""
    signs, planes = representations()
    rows = [*signs, *(plane[:, i, j] * 2**0.5 for plane in planes for i in (0, 1) for j in (0, 1))]
    basis: NDArray[np.float64] = np.array(rows) / ORDER**0.5
    return basis


def spectrum(steps: Array) -> Spectrum:
    """A mixing layer's matrices for each step, (16, to, from), in terms of the harmonics."""
    signs, planes = representations()
    blocks = np.einsum("ra,akl->rlk", signs, steps)
    # A step backwards has the transposed matrix, because all of these are orthogonal.
    pairs = np.einsum("rajl,akm->rlmjk", planes, steps)
    size = 2 * np.array(steps.shape[:0:-1])
    return Spectrum(blocks.astype(np.float32), pairs.reshape(PLANES, *size).astype(np.float32))


def mixed(units: Array, layer: Spectrum) -> Array:
    """The layer applied: (16, positions, from) to (16, positions, to)."""
    _, number, width = units.shape
    basis = _waves()
    terms = (basis @ units.reshape(ORDER, -1)).reshape(units.shape)
    planes = terms[SIGNS:].reshape(PLANES, 2, 2, number, width).transpose(0, 1, 3, 2, 4)
    planes = planes.reshape(PLANES, 2 * number, 2 * width) @ layer.planes
    to = layer.signs.shape[2]
    found = np.empty((ORDER, number, to), dtype=np.float32)
    np.matmul(terms[:SIGNS], layer.signs, out=found[:SIGNS])
    back = planes.reshape(PLANES, 2, number, 2, to).transpose(0, 1, 3, 2, 4)
    found[SIGNS:] = back.reshape(ORDER - SIGNS, number, to)
    return (basis.T @ found.reshape(ORDER, -1)).reshape(found.shape)


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
