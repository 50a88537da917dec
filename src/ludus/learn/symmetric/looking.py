"""A look at the board in terms of the group's harmonics: a third of the work, and less to keep.

What a template finds in the sixteen views of a position depends on the position only through its
own harmonics: sums over the things that symmetries take into each other, with signs or, for the
representations by matrices, with their entries. So the things are turned into harmonics first,
by an orthogonal matrix, and each harmonic meets the part of the template that belongs to it.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.symmetric.group import ORDER, Permutations
from ludus.learn.symmetric.harmonics import PLANES, SIGNS, Array, representations

NOTHING = 1e-6
"""What is smaller is 0, but for rounding."""


class Harmonics(NamedTuple):
    """The harmonics of some things: rows of an orthogonal matrix."""

    matrix: Array
    """(harmonics, things), as many as each other"""

    signs: tuple[slice, ...]
    """The harmonics of each representation with one row."""

    planes: tuple[slice, ...]
    """Those of each with two: first all of its first row, then all of its second."""


class Template(NamedTuple):
    """What is looked for, in terms of the harmonics of the things."""

    of: Harmonics

    signs: tuple[Array, ...]
    """(channels, harmonics) each."""

    planes: tuple[Array, ...]
    """(2 * channels, half of the harmonics) each."""


def template(first: Array, things: Permutations) -> Template:
    """A template of (channels, things) for all views."""
    of = harmonics(things)
    seen = first @ of.matrix.T
    signs = tuple(ORDER**0.5 * seen[:, part] for part in of.signs)
    planes = []
    for part in of.planes:
        rows = seen[:, part].reshape(len(first), 2, -1).swapaxes(0, 1)
        planes.append((ORDER / 2) ** 0.5 * rows.reshape(2 * len(first), -1))
    return Template(of, *(tuple(map(np.ascontiguousarray, each)) for each in (signs, planes)))


def looked(things: Array, at: Template) -> Array:
    """(positions, things) to (16, channels, positions): harmonics of what is seen."""
    number, channels = len(things), len(at.signs[0])
    terms = at.of.matrix @ things.T
    found = np.empty((ORDER, channels, number), dtype=np.float32)
    for sign, part in enumerate(at.of.signs):
        np.matmul(at.signs[sign], terms[part], out=found[sign])
    pairs = found[SIGNS:].reshape(PLANES, 2, 2 * channels, number)
    for plane, part in enumerate(at.of.planes):
        np.matmul(at.planes[plane], terms[part].reshape(2, -1, number), out=pairs[plane])
    return found


def harmonics(things: Permutations) -> Harmonics:
    """Those of things that symmetries move in this way."""
    moved = np.ascontiguousarray(things, dtype=np.int64)
    return _harmonics(moved.tobytes(), moved.shape[1])


@lru_cache(maxsize=16)
def _harmonics(moved: bytes, width: int) -> Harmonics:
    things = np.frombuffer(moved, dtype=np.int64).reshape(ORDER, width)
    signs, planes = representations()
    rows: list[NDArray[np.float64]] = []
    parts = []
    for each in (*signs[:, :, None, None], *planes):
        first = sum(map(len, rows))
        rows.append(_rows(things, each))
        parts.append(slice(first, first + len(rows[-1])))
    matrix = np.concatenate(rows).astype(np.float32)
    return Harmonics(matrix, tuple(parts[:SIGNS]), tuple(parts[SIGNS:]))


def _rows(things: Permutations, representation: NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows of the representation * times it occurs, things), orthonormal.

    The representation is (16, n, n). Each column of it gives n sums over the things that one thing
    is taken to; those of different columns may be the same, and then count once.
    """
    width = things.shape[1]
    firsts = np.flatnonzero(things.min(axis=0) == np.arange(width))
    kept: list[NDArray[np.float64]] = []
    for column in range(representation.shape[2]):
        sums = np.zeros((len(firsts), width, len(representation[0])))
        reached = np.arange(len(firsts)), things[:, firsts]
        np.add.at(sums, reached, representation[:, None, :, column])
        for other in kept:
            sums -= (sums[..., 0] * other[..., 0]).sum(axis=1)[:, None, None] * other
        size = np.linalg.norm(sums[..., :1], axis=1, keepdims=True)
        kept.append(np.where(size > NOTHING, sums / np.maximum(size, NOTHING), 0))
    found = np.concatenate(kept)
    found = found[found.any(axis=(1, 2))]
    return found.transpose(2, 0, 1).reshape(-1, width)
