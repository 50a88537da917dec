"""Evaluate trained networks in numpy, which is all that playing needs.

Layers have the names that torch gives them. After training, batch normalisation is a scale and a
shift, which are merged into a linear layer right before it. The precision is that of the weights:
float32, or float64 for the networks that Galassi published.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError, quote
from ludus.learn.equivariant.group import CLASS_PERMUTATIONS
from ludus.learn.equivariant.inference import (
    NumpyEquivariantNetwork,
    list_parameter_shapes,
    log_softmax,
)
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import InputColumns, Rows
from ludus.learn.nnmm.parts import NUM_CLASSES
from ludus.learn.nnmm.weights import Array, Tensors
from ludus.learn.weights import BadWeights

BATCH_NORM_EPSILON = 1e-5
"""The epsilon that torch adds to a variance."""

NETWORK_BATCH = 1024
"""Rows per batch: enough to be fast, few enough for the cache."""

LogitsFunction = Callable[[Array], Array]
"""A network without its softmax: rows of inputs to rows of logits."""


class BatchNorm(NamedTuple):
    """Batch normalisation after training."""

    scale: Array
    shift: Array


class Linear(NamedTuple):
    """A fully connected layer."""

    weight: Array
    """Shape (inputs, outputs), the transpose of torch's."""

    bias: Array

    def __call__(self, x: Array) -> Array:
        y: Array = x @ self.weight
        y += self.bias
        return y

    def fold_norm(self, norm: BatchNorm | None) -> "Linear":
        """Return this layer merged with the normalisation after it."""
        if norm is None:
            return self
        return Linear(self.weight * norm.scale, self.bias * norm.scale + norm.shift)


class TensorReader:
    """Reader of a network's tensors: returns each once and checks its shape."""

    def __init__(self, tensors: Tensors) -> None:
        self._left = dict(tensors)

    def layer(self, name: str, inputs: int, outputs: int) -> Linear:
        weight = self.tensor(f"{name}.weight", (outputs, inputs))
        return Linear(np.ascontiguousarray(weight.T), self.tensor(f"{name}.bias", (outputs,)))

    def norm(self, name: str, units: int, design: NetworkConfig) -> BatchNorm | None:
        """Return a layer's normalisation, or None in networks without it."""
        if not design.batch_normalisation:
            return None
        weight, bias, mean, variance = (
            self.tensor(f"{name}.{part}", (units,))
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        if (variance < 0).any():
            raise BadWeights(f"{name} has a variance below 0")
        scale = weight / np.sqrt(variance + BATCH_NORM_EPSILON)
        return BatchNorm(scale, bias - mean * scale)

    def check_all_used(self) -> None:
        """Check that all tensors have been read: any left over belong to another architecture."""
        if self._left:
            raise BadWeights(f"tensor {quote(next(iter(self._left)), 100)} is not of its design")

    def tensor(self, name: str, shape: tuple[int, ...]) -> Array:
        tensor = self._left.pop(name, None)
        if tensor is None:
            raise BadWeights(f"there is no tensor {name}")
        if tensor.shape != shape:
            raise BadWeights(f"{name} has the shape {tensor.shape} and not {shape}")
        return tensor


def build_residual(
    design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> LogitsFunction:
    """Build the network of Fig. 5.1: residual blocks of two layers."""
    width = design.first
    first = reader.layer("first", columns.width, width)
    blocks = []
    for number, units in enumerate(design.widths):
        name = f"blocks.{number}"
        before, inner = (
            reader.norm(f"{name}.norm1", width, design),
            reader.norm(f"{name}.norm2", units, design),
        )
        layer = reader.layer(f"{name}.layer1", width, units).fold_norm(inner)
        blocks.append((before, layer, reader.layer(f"{name}.layer2", units, width)))
    last = reader.layer("last", width, design.outputs)

    def scores(x: Array) -> Array:
        x = first(x)
        for norm, enter, leave in blocks:
            x += leave(_relu_in_place(enter(_normalise_and_relu(x, norm))))
        return last(x)

    return scores


def build_dense(
    design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> LogitsFunction:
    """Build the network of Fig. 5.2: every layer, and the output, reads all before it."""
    first = reader.layer("first", columns.width, design.first)
    layers, width = [], design.first
    for number, units in enumerate(design.widths):
        norm = reader.norm(f"layers.{number}.norm", width, design)
        layers.append((norm, reader.layer(f"layers.{number}.layer", width, units)))
        width += units
    last = reader.layer("last", width, design.outputs)

    def scores(x: Array) -> Array:
        given = np.empty((len(x), width), dtype=x.dtype)
        end = design.first
        given[:, :end] = first(x)
        for norm, layer in layers:
            more = layer(_normalise_and_relu(given[:, :end], norm))
            given[:, end : end + more.shape[1]] = more
            end += more.shape[1]
        return last(given)

    return scores


def build_feedforward(
    design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> LogitsFunction:
    """Build a feed-forward network."""
    layers, width = [], columns.width
    for number, units in enumerate(design.widths):
        layer = reader.layer(f"layers.{number}.layer", width, units)
        layers.append(layer.fold_norm(reader.norm(f"layers.{number}.norm", units, design)))
        width = units
    last = reader.layer("last", width, design.outputs)

    def scores(x: Array) -> Array:
        for layer in layers:
            x = _relu_in_place(layer(x))
        return last(x)

    return scores


def build_equivariant(
    design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> LogitsFunction:
    """Build the equivariant network, whose weights are shared by the sixteen symmetries."""
    permutations = CLASS_PERMUTATIONS if design.outputs == NUM_CLASSES else None
    shapes = list_parameter_shapes(
        columns.width, design.outputs, design.first, design.blocks, permutations is None
    )
    tensors = {name: reader.tensor(name, (1, *shape))[0] for name, shape in shapes.items()}
    return NumpyEquivariantNetwork(tensors, columns.symmetric_permutations(), permutations)


NetworkBuilder = Callable[[NetworkConfig, TensorReader, InputColumns], LogitsFunction]

NETWORK_BUILDERS: dict[str, NetworkBuilder] = {
    "residual": build_residual,
    "dense": build_dense,
    "feedforward": build_feedforward,
    "symmetric": build_equivariant,
}
"""Builders by architecture, which are also in `config.ARCHITECTURES` and in network.py."""


class NumpyNetwork:
    """One trained network in numpy."""

    def __init__(self, design: NetworkConfig, tensors: Tensors, columns: InputColumns) -> None:
        """Build a network that reads these columns; raise BadWeights if the tensors do not fit."""
        if design.architecture not in NETWORK_BUILDERS:
            raise BadWeights(f"there is no numpy {quote(design.architecture)} network")
        reader = TensorReader(tensors)
        with np.errstate(over="ignore", invalid="ignore"):  # outputs are checked
            self._scores = NETWORK_BUILDERS[design.architecture](design, reader, columns)
        reader.check_all_used()
        self._outputs = design.outputs
        self._kind = np.result_type(*tensors.values())

    def log_probabilities(self, rows: NDArray[Any]) -> Array:
        """Return the log-probabilities of all classes, shape (rows, outputs)."""
        found = np.empty((len(rows), self._outputs), dtype=self._kind)
        with np.errstate(over="ignore", invalid="ignore"):
            for begin in range(0, len(rows), NETWORK_BATCH):
                x = rows[begin : begin + NETWORK_BATCH].astype(self._kind)
                found[begin : begin + NETWORK_BATCH] = log_softmax(self._scores(x))
        if np.isnan(found).any():
            raise BadWeights("the outputs of the network are no numbers: its weights are too large")
        return found


def load_network(
    fields: Any, tensors: Tensors, columns: InputColumns, outputs: int
) -> NumpyNetwork:
    """Build a network from a file, whose design is validated first."""
    try:
        design = NetworkConfig.parse(fields, "design")
    except LudusError as error:
        raise BadWeights(f"its design is wrong: {error}") from error
    if design.outputs != outputs:
        raise BadWeights(f"a network has {design.outputs} outputs where {outputs} are needed")
    return NumpyNetwork(design, tensors, columns)


def _relu_in_place(x: Array) -> Array:
    return np.maximum(x, 0, out=x)


def _normalise_and_relu(x: Array, norm: BatchNorm | None) -> Array:
    """Normalise if there is a norm, then apply ReLU, in a new array."""
    if norm is None:
        return np.maximum(x, 0)
    y: Array = x * norm.scale
    y += norm.shift
    return _relu_in_place(y)


class PartClassifier:
    """The network that chooses a part and, in chains of five, its presence network."""

    def __init__(self, point: NumpyNetwork, presence: NumpyNetwork | None = None) -> None:
        self._point = point
        self._presence = presence

    def probabilities(self, rows: Rows) -> Array:
        """Return the probabilities of the 25 classes, shape (rows, 25)."""
        points = self._point.log_probabilities(rows)
        if self._presence is not None:
            is_there = self._presence.log_probabilities(rows)
            # The presence network decides on class 0; that of the point network is ignored.
            points[:, 1:] = log_softmax(points[:, 1:]) + is_there[:, 1:]
            points[:, 0] = is_there[:, 0]
        return np.exp(points, out=points)
