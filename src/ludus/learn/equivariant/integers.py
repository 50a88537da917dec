"""Equivariant networks of whole numbers: one definition, and its evaluation in numpy.

Every step is exact, so that any machine finds the same bits in any order: products of whole numbers
whose sums stay below 2^24, the group transform by sums and differences (the unnormalised irreps of
the group have the entries 0 and ±1), and multiplications by powers of two, after which numbers are
rounded to whole ones, half to even. With U the matrix of these irreps and y = max(sum + bias, 0)
the activations at the sixteen group elements, a group convolution is

    h = clip(round(U y / 2^shift), ±255), c = clip(round(W h / 2^row_shift), ±(2^18 - 1)), U' c

where W are int8 weights by irrep and `shift` is `COEFFICIENT_SHIFTS`. Coefficients h, and weights
with the powers of two of their rows, are exact in bfloat16. The networks have layers as those of
`network.py` and evaluate invariant outputs. Sums of the last layer, which is small, are below 2^31
and computed in double precision.

`native/core/equivariant` is the twin in C++ that plays, `integers_torch` that in torch, and
`integer_network` trains.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.equivariant.fourier import (
    NUM_1D_IRREPS,
    NUM_2D_IRREPS,
    FourierKernel,
    LiftingLayer,
    OrbitBlock,
    SymmetryAdaptedBasis,
    build_adapted_basis,
    convolve,
    fourier_basis,
    lift,
)
from ludus.learn.equivariant.group import GROUP_ORDER, Permutations, invert_permutations
from ludus.learn.weights import BadWeights

FloatArray = NDArray[np.float32]
"""Whole numbers, or multiples of small powers of two, in single precision, which is exact."""

MAX_WEIGHT = 127

MAX_COEFFICIENT = 255
"""More than eight bits with a sign: with 127 their rounding moves logits twice as far. Bfloat16
holds them, and 16 bits in C++."""

COEFFICIENT_SHIFTS = (7,) + (5,) * (GROUP_ORDER - 1)
"""Binary places by which the coefficients of each irrep are shifted: more for the trivial one,
whose coefficient is a sum of activations that are never negative."""

MAX_TERM = 2**18 - 1
"""Largest coefficient of a convolution: the sum over all irreps, with a bias, stays below 2^24."""

MAX_SUM = 2**15 - 1
"""Largest activation, and sum that is carried from block to block: 16 bits hold it."""

MEAN_SHIFT = 4
"""Binary places by which the sum of the last activations over the group is shifted."""

MAX_BIAS = 2**22

NUM_ROW_SHIFTS = NUM_1D_IRREPS + 2 * NUM_2D_IRREPS
"""Rows of an output channel in a group convolution: one for each one-dimensional irrep, two for the
others."""


class IntegerKernel(NamedTuple):
    """A group convolution; weights are whole numbers times the powers of two of their rows."""

    kernel: FourierKernel

    is_clipped: bool
    """Whether a coefficient could be larger than MAX_TERM."""

    def convolve(self, coefficients: FloatArray) -> FloatArray:
        """Return the sums in the group domain, (16, channels, positions)."""
        found = _round(convolve(coefficients, self.kernel))
        if self.is_clipped:
            _clip(found, MAX_TERM)
        return to_group(found)


class IntegerBlock(NamedTuple):
    """A residual block."""

    first: IntegerKernel
    first_bias: FloatArray
    """(channels, 1)"""

    second: IntegerKernel
    total_bias: FloatArray
    """Of all sums up to this block's, (channels, 1)."""


class NumpyIntegerNetwork:
    """One network of whole numbers in numpy."""

    def __init__(self, weights: Mapping[str, NDArray[Any]], inputs: Permutations) -> None:
        """Use tensors as `list_tensor_shapes` names them."""
        first = weights["first"] * power_of_two(-weights["first_shift"])[:, None]
        self._lifting = build_integer_lifting(first.astype(np.float32), inputs)
        total = weights["first_bias"].astype(np.float32)
        self._first_bias = total[:, None]
        self.blocks = []
        num_blocks = sum(name.endswith("layer1") for name in weights)
        for number in range(num_blocks):
            name = f"blocks.{number}."
            total = total + weights[f"{name}bias2"]
            self.blocks.append(
                IntegerBlock(
                    _scale_kernel(weights[f"{name}layer1"], weights[f"{name}shift1"]),
                    weights[f"{name}bias1"].astype(np.float32)[:, None],
                    _scale_kernel(weights[f"{name}layer2"], weights[f"{name}shift2"]),
                    total[:, None],
                )
            )
        self._last = np.ascontiguousarray(weights["last"].T, np.float64)
        self._last_bias = weights["last_bias"].astype(np.float64)

    def __call__(self, features: FloatArray) -> NDArray[np.float64]:
        """Return the outputs, whole numbers, (positions, outputs), of (positions, features)."""
        sums = to_group(lift(features, self._lifting))
        np.rint(sums, out=sums)
        _clip(sums, MAX_SUM)
        bias = self._first_bias
        for block in self.blocks:
            inner = block.first.convolve(_activate(sums, bias))
            sums += block.second.convolve(_activate(inner, block.first_bias))
            _clip(sums, MAX_SUM)
            bias = block.total_bias
        mean = _rectify(sums, bias).sum(axis=0)
        mean *= 2.0**-MEAN_SHIFT
        found: NDArray[np.float64] = np.matmul(_round(mean).T.astype(np.float64), self._last)
        found += self._last_bias
        return found


def build_integer_network(
    weights: Mapping[str, NDArray[Any]], inputs: Permutations
) -> Callable[[FloatArray], NDArray[np.float64]]:
    """Build a network from a file's tensors; raise BadWeights if they are not one, or not exact.

    Features are whole quarters from -1 to 1. Where there is no native core, numpy does the same.
    """
    first, last = weights.get("first"), weights.get("last")
    if first is None or last is None or first.ndim != 2 or last.ndim != 2:
        raise BadWeights("an expert has no first or no last layer")
    blocks = sum(name.endswith("layer1") for name in weights)
    expected = list_tensor_shapes(inputs.shape[1], len(last), len(first), blocks)
    if {name: values.shape for name, values in weights.items()} != expected or any(
        values.dtype != (np.int32 if "bias" in name else np.int8)
        for name, values in weights.items()
    ):
        raise BadWeights("an expert's tensors do not make a network of whole numbers")
    if any("bias" in name and np.abs(weights[name]).max() > MAX_BIAS for name in weights):
        raise BadWeights("an expert's biases are too large for exact sums")
    try:
        from ludus._native.equivariant import IntegerEvaluator
    except ImportError:  # a machine that trains may have no compiled modules
        return NumpyIntegerNetwork(weights, inputs)
    tensors = {name: np.ascontiguousarray(values) for name, values in weights.items()}
    return IntegerEvaluator(tensors, np.ascontiguousarray(invert_permutations(inputs)))


def list_tensor_shapes(
    inputs: int, outputs: int, channels: int, blocks: int
) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of one network's tensors: int8, biases int32.

    `last_shifts` are the binary places of each output; a network does not use them itself.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "first": (channels, inputs),
        "first_shift": (channels,),
        "first_bias": (channels,),
        "last": (outputs, channels),
        "last_shifts": (outputs,),
        "last_bias": (outputs,),
    }
    for number in range(blocks):
        for layer in ("1", "2"):
            shapes[f"blocks.{number}.layer{layer}"] = (GROUP_ORDER, channels, channels)
            shapes[f"blocks.{number}.shift{layer}"] = (NUM_ROW_SHIFTS, channels)
            shapes[f"blocks.{number}.bias{layer}"] = (channels,)
    return shapes


def power_of_two(exponents: NDArray[Any]) -> FloatArray:
    """Return 2 to these whole numbers."""
    powers: FloatArray = np.ldexp(np.float32(1), np.asarray(exponents, np.int32))
    return powers


@cache
def integer_irreps() -> FloatArray:
    """Return U, (16, 16), coefficients by symmetries, in the order of `fourier_basis`."""
    basis = fourier_basis()
    return np.sign(np.round(basis, 6)).astype(np.float32)


@cache
def _coefficient_matrix() -> FloatArray:
    """Return U with the shifts of its rows."""
    return integer_irreps() * power_of_two(-np.array(COEFFICIENT_SHIFTS))[:, None]


def to_group(coefficients: FloatArray) -> FloatArray:
    """Return the sums U' c at all group elements, (16, channels, positions)."""
    flat = coefficients.reshape(GROUP_ORDER, -1)
    return (integer_irreps().T @ flat).reshape(coefficients.shape)


def _activate(sums: FloatArray, bias: FloatArray) -> FloatArray:
    """Return the rounded coefficients of the activations of sums."""
    activations = _rectify(sums, bias).reshape(GROUP_ORDER, -1)
    found = _round(_coefficient_matrix() @ activations)
    _clip(found, MAX_COEFFICIENT)
    return found.reshape(sums.shape)


def _rectify(sums: FloatArray, bias: FloatArray) -> FloatArray:
    """Return the activations of sums."""
    found = sums + bias
    np.clip(found, 0, MAX_SUM, out=found)
    return found


def _round(values: FloatArray) -> FloatArray:
    return np.rint(values, out=values)


def _clip(values: FloatArray, size: int) -> None:
    np.clip(values, -size, size, out=values)


def _scale_kernel(kernel: NDArray[np.int8], shifts: NDArray[np.int8]) -> IntegerKernel:
    """Return a group convolution, (16, to, from) by irreps, with the powers of two of its rows."""
    _, to, frm = kernel.shape
    powers = power_of_two(-shifts.astype(np.int32))
    planes = kernel[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2 * to, 2 * frm)
    scaled = FourierKernel(
        kernel[:NUM_1D_IRREPS] * powers[:NUM_1D_IRREPS, :, None],
        planes * powers[NUM_1D_IRREPS:].reshape(NUM_2D_IRREPS, 2 * to, 1),
    )
    largest = max(float(np.abs(rows).sum(axis=-1).max()) for rows in scaled)
    return IntegerKernel(scaled, MAX_COEFFICIENT * largest > MAX_TERM)


def build_integer_lifting(first: FloatArray, inputs: Permutations) -> LiftingLayer:
    """Build the lifting layer of filters, (channels, features), with coefficients for U'.

    The rows of its basis have the entries 0 and ±1, and weights are divided by the number of the
    entries that are not zero. All orbits of features have 1, 2, 4 or 8, so that this is exact.
    """
    basis, sizes = build_integer_basis(np.ascontiguousarray(inputs, np.int64))
    terms = first @ basis.matrix.T / sizes
    signs = tuple(np.ascontiguousarray(terms[:, part]) for part in basis.irreps_1d)
    planes = tuple(
        np.ascontiguousarray(
            terms[:, part].reshape(len(first), 2, -1).swapaxes(0, 1).reshape(2 * len(first), -1)
        )
        for part in basis.irreps_2d
    )
    return LiftingLayer(basis, signs, planes)


def build_integer_basis(inputs: Permutations) -> tuple[SymmetryAdaptedBasis, FloatArray]:
    """Return the symmetry-adapted basis of features in whole numbers, and the size of each row."""
    exact = build_adapted_basis(inputs, np.float64)
    matrix = np.sign(np.round(exact.matrix, 6)).astype(np.float32)
    orbits = tuple(
        OrbitBlock(each.elements, np.sign(np.round(each.matrix, 6)).astype(np.float32))
        for each in exact.orbits
    )
    sizes: FloatArray = np.abs(matrix).sum(axis=1)
    return exact._replace(matrix=matrix, orbits=orbits), sizes
