"""An equivariant network as part of an ONNX graph; inference.py has the same network in numpy."""

import numpy as np

from ludus.learn.common.onnx_graph import OnnxGraph
from ludus.learn.equivariant.fourier import (
    NUM_1D_IRREPS,
    FourierKernel,
    fourier_basis,
)
from ludus.learn.equivariant.group import GROUP_ORDER, Permutations
from ludus.learn.equivariant.inference import Array, NumpyEquivariantNetwork

# Coefficients 8 to 15 belong to two planes, each a matrix of rows and columns: those of the first
# column and those of the second, and the order that puts them back.
_FIRST_COLUMNS, _SECOND_COLUMNS = (8, 10, 12, 14), (9, 11, 13, 15)
_INTERLEAVED = (0, 4, 1, 5, 2, 6, 3, 7)
_PLANE_OF_ROW = (0, 0, 1, 1)


def add_equivariant_network(
    graph: OnnxGraph,
    x: str,
    first: Array,
    inputs: Permutations,
    network: NumpyEquivariantNetwork,
) -> str:
    """Add the network to a graph; `x` are its features, and the result its outputs.

    `first` is the filter of shape (channels, features) that `network` was built from. Values in
    between are Fourier coefficients of the shape (16, rows, channels).
    """
    # The filter meets the sixteen images of the features.
    images = graph.gather(x, inputs, axis=1)
    lifted = graph.add("MatMul", images, graph.constant(first.T))
    to_terms = graph.constant(fourier_basis().T)
    units = graph.add(
        "Transpose",
        graph.add("MatMul", graph.add("Transpose", lifted, perm=[0, 2, 1]), to_terms),
        perm=[2, 0, 1],
    )
    units = _add_bias(graph, units, network.first_bias)
    for kernel, bias, second, second_bias in network.blocks * network.repeats:
        inner = _convolve(graph, _apply_relu(graph, units), kernel)
        inner = _apply_relu(graph, _add_bias(graph, inner, bias))
        change = _add_bias(graph, _convolve(graph, inner, second), second_bias)
        units = graph.add("Add", units, change)
    values = _to_positive_values(graph, units)
    if network.has_point_outputs:
        rows = graph.add("Transpose", values, perm=[0, 2, 1])
        shape = graph.constant([0, GROUP_ORDER * len(first)], "int64")
        pooled = graph.add("Reshape", rows, shape)
    else:
        axes = graph.constant([2], "int64")
        pooled = graph.add("ReduceSum", values, axes, keepdims=0)
    return graph.linear(pooled, network.last, network.last_bias)


def _add_bias(graph: OnnxGraph, units: str, bias: Array) -> str:
    """Add a bias, which has a coefficient of the trivial irrep only."""
    padded = np.zeros((GROUP_ORDER, 1, len(bias)), bias.dtype)
    padded[0, 0] = bias[:, 0]
    return graph.add("Add", units, graph.constant(padded))


def _to_positive_values(graph: OnnxGraph, units: str) -> str:
    """Return ReLU of the values in the group domain, shape (rows, channels, 16)."""
    terms = graph.add("Transpose", units, perm=[1, 2, 0])
    return graph.add("Relu", graph.add("MatMul", terms, graph.constant(fourier_basis())))


def _apply_relu(graph: OnnxGraph, units: str) -> str:
    values = _to_positive_values(graph, units)
    terms = graph.add("MatMul", values, graph.constant(fourier_basis().T))
    return graph.add("Transpose", terms, perm=[2, 0, 1])


def _convolve(graph: OnnxGraph, units: str, kernel: FourierKernel) -> str:
    signs = graph.add(
        "MatMul",
        graph.gather(units, range(NUM_1D_IRREPS)),
        graph.constant(kernel.irreps_1d.transpose(0, 2, 1)),
    )
    columns = [graph.gather(units, each) for each in (_FIRST_COLUMNS, _SECOND_COLUMNS)]
    matrices = graph.gather(graph.constant(kernel.irreps_2d.transpose(0, 2, 1)), _PLANE_OF_ROW)
    planes = graph.add("MatMul", graph.concatenate(columns, axis=2), matrices)
    halves = graph.add_many("Split", [planes], 2, axis=2)
    joined = graph.gather(graph.concatenate(halves, axis=0), _INTERLEAVED)
    return graph.concatenate([signs, joined], axis=0)
