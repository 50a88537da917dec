"""Fourier basis and irreducible representations of the group in numpy: group convolutions and the
lifting layer in block-diagonal form.

The sixteen symmetries are those of the square, each with and without exchanging the inner and the
outer ring. The group has eight one-dimensional irreps (signs) and two of dimension two ("planes").
A group convolution, 16 x 16 blocks of channels, becomes 8 such blocks and two of twice the size,
each of the latter applied twice: a tenth of the work.
"""

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import POINTS as NAMES
from ludus.learn.equivariant.group import GROUP_ORDER, POINT_PERMUTATIONS, Permutations

Array = NDArray[np.floating[Any]]
"""Weights and units, all of one precision."""

NUM_1D_IRREPS = 8
"""Number of one-dimensional irreps."""

NUM_2D_IRREPS = 2
"""Number of two-dimensional irreps."""


class FourierKernel(NamedTuple):
    """Weights of a group convolution in the Fourier basis."""

    irreps_1d: Array
    """Shape (8, to, from)."""

    irreps_2d: Array
    """Shape (2, 2 * to, 2 * from)."""


@cache
def fourier_basis() -> NDArray[np.float64]:
    """Return the orthogonal Fourier basis, shape (16, 16): coefficients by symmetries."""
    signs, planes = irreps()
    rows = [*signs, *(plane[:, i, j] * 2**0.5 for plane in planes for i in (0, 1) for j in (0, 1))]
    basis: NDArray[np.float64] = np.array(rows) / GROUP_ORDER**0.5
    return basis


def transform_kernel(steps: Array) -> FourierKernel:
    """Transform the weights of a group convolution, (16, to, from), to the Fourier basis."""
    _, to, frm = steps.shape
    terms = (_irrep_entries(steps.dtype) @ steps.reshape(GROUP_ORDER, -1)).reshape(steps.shape)
    # The inverse of a group element has the transposed matrix, because all irreps are orthogonal.
    pairs = terms[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2, 2, to, frm).transpose(0, 1, 3, 2, 4)
    return FourierKernel(
        terms[:NUM_1D_IRREPS].copy(), pairs.reshape(NUM_2D_IRREPS, 2 * to, 2 * frm)
    )


@cache
def _irrep_entries(dtype: np.dtype[Any]) -> Array:
    """Return the unnormalised matrix entries of the irreps, rows as in `fourier_basis`."""
    sizes = np.repeat(
        [GROUP_ORDER**0.5, (GROUP_ORDER / 2) ** 0.5], [NUM_1D_IRREPS, GROUP_ORDER - NUM_1D_IRREPS]
    )
    sums: Array = (fourier_basis() * sizes[:, None]).astype(dtype)
    return sums


def convolve(terms: Array, layer: FourierKernel) -> Array:
    """Apply a group convolution to coefficients: (16, from, positions) to (16, to, positions)."""
    _, width, number = terms.shape
    to = layer.irreps_1d.shape[1]
    found = np.empty((GROUP_ORDER, to, number), terms.dtype)
    np.matmul(layer.irreps_1d, terms[:NUM_1D_IRREPS], out=found[:NUM_1D_IRREPS])
    # Both rows of a two-dimensional irrep are multiplied by the same matrix.
    np.matmul(
        layer.irreps_2d[:, None],
        terms[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2, 2 * width, number),
        out=found[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2, 2 * to, number),
    )
    return found


def apply_relu(terms: Array) -> Array:
    """Apply ReLU in the group domain and return the Fourier coefficients of the result."""
    rectified = np.maximum(to_group_domain(terms), 0).reshape(GROUP_ORDER, -1)
    return (_cast_fourier_basis(terms.dtype) @ rectified).reshape(terms.shape)


def to_group_domain(terms: Array) -> Array:
    """Transform Fourier coefficients, (16, channels, positions), to values by group element."""
    basis = _cast_fourier_basis(terms.dtype)
    return (basis.T @ terms.reshape(GROUP_ORDER, -1)).reshape(terms.shape)


@cache
def _cast_fourier_basis(dtype: np.dtype[Any]) -> Array:
    """Return the Fourier basis in this precision."""
    return fourier_basis().astype(dtype)


@cache
def irreps() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the irreps: signs, (8, 16), and matrices, (2, 16, 2, 2)."""
    turned = np.array([_plane_matrix(number) for number in range(GROUP_ORDER)])
    flip = np.linalg.det(turned)
    swap = np.abs(turned[:, 0, 0]) * 2 - 1  # 1 if the axes stay, -1 if they are exchanged
    inside_out = np.where(POINT_PERMUTATIONS[:, 0] // 8 == 0, 1.0, -1.0)
    square = np.array([np.ones(GROUP_ORDER), flip, swap, flip * swap])
    signs = np.concatenate([square, square * inside_out])
    planes = np.array([turned, turned * inside_out[:, None, None]])
    return signs, planes


def _plane_matrix(number: int) -> NDArray[np.float64]:
    """Return the 2 x 2 matrix of a symmetry, from its images of the middles g4 and d7."""
    columns = [
        _plane_coordinates(POINT_PERMUTATIONS[number, NAMES.index(name)]) for name in ("g4", "d7")
    ]
    return np.array([column / np.abs(column).max() for column in columns]).T


def _plane_coordinates(point: int) -> NDArray[np.float64]:
    """Return a point's column and row, counted from the centre of the board."""
    name = NAMES[point]
    return np.array([ord(name[0]) - ord("d"), int(name[1]) - 4], dtype=np.float64)


TOLERANCE = 1e-6
"""Norm below which a vector counts as zero."""


class OrbitBlock(NamedTuple):
    """Orbits of features with the same basis matrix."""

    elements: NDArray[np.int64]
    """Indices of features, shape (features of an orbit, orbits)."""

    matrix: Array
    """Shape (coefficients, features of an orbit), the same for each orbit."""


class SymmetryAdaptedBasis(NamedTuple):
    """Symmetry-adapted basis of a space of features: rows of an orthogonal matrix."""

    matrix: Array
    """Shape (coefficients, features), square."""

    orbits: tuple[OrbitBlock, ...]
    """The same matrix as blocks, one for each kind of orbit."""

    order: NDArray[np.int64]
    """Permutation of the coefficients from the order of the blocks to that of `matrix`."""

    irreps_1d: tuple[slice, ...]
    """Coefficients of each one-dimensional irrep."""

    irreps_2d: tuple[slice, ...]
    """Coefficients of each two-dimensional irrep: those of its first row, then of its second."""


class LiftingLayer(NamedTuple):
    """Weights of a lifting layer in the symmetry-adapted basis of its input features."""

    basis: SymmetryAdaptedBasis

    irreps_1d: tuple[Array, ...]
    """Shape (channels, coefficients) for each one-dimensional irrep."""

    irreps_2d: tuple[Array, ...]
    """Shape (2 * channels, coefficients / 2) for each two-dimensional irrep."""


def build_lifting_layer(first: Array, permutations: Permutations) -> LiftingLayer:
    """Build the lifting layer of a filter of shape (channels, features).

    The responses of a filter under the sixteen symmetries depend on a position only through its
    coefficients in the symmetry-adapted basis: sums over orbits of features, weighted by the
    entries of the irreps. So the features are transformed first, by an orthogonal matrix, and each
    coefficient is multiplied by the matching part of the filter: a third of the work and less
    memory. Orbits are small, so that matrix has small blocks, most of them equal.
    """
    basis = build_adapted_basis(permutations, first.dtype)
    terms = first @ basis.matrix.T
    signs = tuple(GROUP_ORDER**0.5 * terms[:, part] for part in basis.irreps_1d)
    planes = []
    for part in basis.irreps_2d:
        rows = terms[:, part].reshape(len(first), 2, -1).swapaxes(0, 1)
        planes.append((GROUP_ORDER / 2) ** 0.5 * rows.reshape(2 * len(first), -1))
    return LiftingLayer(
        basis, *(tuple(map(np.ascontiguousarray, each)) for each in (signs, planes))
    )


def lift(features: Array, layer: LiftingLayer) -> Array:
    """Apply a lifting layer: (positions, features) to coefficients, (16, channels, positions)."""
    number, channels = len(features), len(layer.irreps_1d[0])
    terms = to_adapted_basis(features, layer.basis)
    found = np.empty((GROUP_ORDER, channels, number), features.dtype)
    for sign, part in enumerate(layer.basis.irreps_1d):
        np.matmul(layer.irreps_1d[sign], terms[part], out=found[sign])
    pairs = found[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2, 2 * channels, number)
    for plane, part in enumerate(layer.basis.irreps_2d):
        np.matmul(layer.irreps_2d[plane], terms[part].reshape(2, -1, number), out=pairs[plane])
    return found


def to_adapted_basis(features: Array, basis: SymmetryAdaptedBasis) -> Array:
    """Transform (positions, features) to (coefficients, positions)."""
    columns = np.ascontiguousarray(features.T)
    found = np.empty_like(columns)
    first = 0
    for matrix, each in ((orbits.matrix, orbits.elements) for orbits in basis.orbits):
        end = first + each.size
        orbit = columns[each].reshape(len(each), -1)
        np.matmul(matrix, orbit, out=found[first:end].reshape(len(each), -1))
        first = end
    return found[basis.order]


def build_adapted_basis(
    permutations: Permutations, dtype: np.dtype[Any] | type = np.float32
) -> SymmetryAdaptedBasis:
    """Build the symmetry-adapted basis of features that the symmetries permute in this way."""
    moved = np.ascontiguousarray(permutations, dtype=np.int64)
    return _build_adapted_basis_cached(moved.tobytes(), moved.shape[1], np.dtype(dtype))


@lru_cache(maxsize=16)
def _build_adapted_basis_cached(
    moved: bytes, width: int, dtype: np.dtype[Any]
) -> SymmetryAdaptedBasis:
    permutations = np.frombuffer(moved, dtype=np.int64).reshape(GROUP_ORDER, width)
    signs, planes = irreps()
    rows: list[NDArray[np.float64]] = []
    parts = []
    for each in (*signs[:, :, None, None], *planes):
        first = sum(map(len, rows))
        rows.append(_project_onto_irrep(permutations, each))
        parts.append(slice(first, first + len(rows[-1])))
    matrix = np.concatenate(rows).astype(dtype)
    return SymmetryAdaptedBasis(
        matrix,
        *_find_orbit_blocks(permutations, matrix),
        tuple(parts[:NUM_1D_IRREPS]),
        tuple(parts[NUM_1D_IRREPS:]),
    )


def _find_orbit_blocks(
    permutations: Permutations, matrix: Array
) -> tuple[tuple[OrbitBlock, ...], NDArray[np.int64]]:
    """Return the blocks of the matrix, and the permutation from their order to that of its rows."""
    alike: dict[bytes, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
    for element in np.flatnonzero(permutations.min(axis=0) == np.arange(permutations.shape[1])):
        reached = np.array(list(dict.fromkeys(permutations[:, element].tolist())))
        rows = np.flatnonzero(matrix[:, reached].any(axis=1))
        block = np.round(matrix[np.ix_(rows, reached)], 5) + 0.0  # no -0.0, whose bytes differ
        alike.setdefault(block.tobytes(), []).append((rows, reached))
    orbits, given = [], []
    for sets in alike.values():
        rows, reached = (np.array(each) for each in zip(*sets, strict=True))
        orbits.append(OrbitBlock(reached.T.copy(), matrix[np.ix_(rows[0], reached[0])]))
        given.append(rows.T.ravel())
    return tuple(orbits), np.concatenate(given).argsort()


def _project_onto_irrep(
    permutations: Permutations, representation: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return an orthonormal basis, (dimension of the irrep * multiplicity, features), of its
    component.

    The representation has the shape (16, n, n). Each column of it gives n weighted sums over the
    orbit of a feature; sums of different columns that are linearly dependent count once.
    """
    width = permutations.shape[1]
    firsts = np.flatnonzero(permutations.min(axis=0) == np.arange(width))
    kept: list[NDArray[np.float64]] = []
    for column in range(representation.shape[2]):
        sums = np.zeros((len(firsts), width, len(representation[0])))
        reached = np.arange(len(firsts)), permutations[:, firsts]
        np.add.at(sums, reached, representation[:, None, :, column])
        for other in kept:
            sums -= (sums[..., 0] * other[..., 0]).sum(axis=1)[:, None, None] * other
        size = np.linalg.norm(sums[..., :1], axis=1, keepdims=True)
        kept.append(np.where(size > TOLERANCE, sums / np.maximum(size, TOLERANCE), 0))
    found = np.concatenate(kept)
    found = found[found.any(axis=(1, 2))]
    return found.transpose(2, 0, 1).reshape(-1, width)
