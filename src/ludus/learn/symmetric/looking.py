"""A look at the board in terms of the group's harmonics: a third of the work, and less to keep.

What a template finds in the sixteen views of a position depends on the position only through its
own harmonics: sums over the things that symmetries take into each other, with signs or, for the
representations by matrices, with their entries. So the things are turned into harmonics first,
by an orthogonal matrix, and each harmonic meets the part of the template that belongs to it. Few
things can be taken into each other, so that matrix falls into small blocks, most of them alike.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.symmetric.group import ORDER, Permutations
from ludus.learn.symmetric.harmonics import PLANES, SIGNS, Array, representations

NOTHING = 1e-6
"""What is smaller is 0, but for rounding."""


class Orbits(NamedTuple):
    """Sets of things that symmetries take into each other, all in the same way."""

    things: NDArray[np.int64]
    """(things of a set, sets)"""

    matrix: Array
    """(harmonics, things of a set): of each set the same."""


class Harmonics(NamedTuple):
    """The harmonics of some things: rows of an orthogonal matrix."""

    matrix: Array
    """(harmonics, things), as many as each other"""

    orbits: tuple[Orbits, ...]
    """The same matrix in small."""

    order: NDArray[np.int64]
    """Where each harmonic is when they come orbits by orbits, row by row of their matrix."""

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
    terms = in_harmonics(things, at.of)
    found = np.empty((ORDER, channels, number), dtype=np.float32)
    for sign, part in enumerate(at.of.signs):
        np.matmul(at.signs[sign], terms[part], out=found[sign])
    pairs = found[SIGNS:].reshape(PLANES, 2, 2 * channels, number)
    for plane, part in enumerate(at.of.planes):
        np.matmul(at.planes[plane], terms[part].reshape(2, -1, number), out=pairs[plane])
    return found


def in_harmonics(things: Array, of: Harmonics) -> Array:
    """(positions, things) to (harmonics, positions)."""
    columns = np.ascontiguousarray(things.T)
    found = np.empty_like(columns)
    first = 0
    for matrix, each in ((orbits.matrix, orbits.things) for orbits in of.orbits):
        end = first + each.size
        seen = columns[each].reshape(len(each), -1)
        np.matmul(matrix, seen, out=found[first:end].reshape(len(each), -1))
        first = end
    return found[of.order]


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
    return Harmonics(matrix, *_orbits(things, matrix), tuple(parts[:SIGNS]), tuple(parts[SIGNS:]))


def _orbits(things: Permutations, matrix: Array) -> tuple[tuple[Orbits, ...], NDArray[np.int64]]:
    """The blocks of the matrix, and the order in which they give the harmonics."""
    alike: dict[bytes, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
    for thing in np.flatnonzero(things.min(axis=0) == np.arange(things.shape[1])):
        reached = np.array(list(dict.fromkeys(things[:, thing].tolist())))
        rows = np.flatnonzero(matrix[:, reached].any(axis=1))
        block = np.round(matrix[np.ix_(rows, reached)], 5) + 0.0  # no -0.0, whose bytes differ
        alike.setdefault(block.tobytes(), []).append((rows, reached))
    orbits, given = [], []
    for sets in alike.values():
        rows, reached = (np.array(each) for each in zip(*sets, strict=True))
        orbits.append(Orbits(reached.T.copy(), matrix[np.ix_(rows[0], reached[0])]))
        given.append(rows.T.ravel())
    return tuple(orbits), np.concatenate(given).argsort()


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
