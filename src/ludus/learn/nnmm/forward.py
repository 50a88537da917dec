"""The networks in numpy, to play; `networks.py` has them in torch, to be trained.

Layers have the names that torch gives them. Batch normalisation is a scale and a shift once the
training is over, and where a layer comes right before it, both become one. Numbers are as precise
as the weights: float32, or float64 for what was published so.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError, quoted
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.moved import moved_in
from ludus.learn.nnmm.parts import NUM_CLASSES
from ludus.learn.nnmm.weights import Array, BadWeights, Tensors
from ludus.learn.symmetric.forward import Forward, parameter_shapes
from ludus.learn.symmetric.group import CLASSES

EPSILON = 1e-5
"""What torch adds to a variance before it takes the root."""

BATCH = 1024
"""Rows that go through a network together: enough to be fast, few enough for a cache."""

Scores = Callable[[Array], Array]
"""A network without its softmax: rows of inputs to rows of scores."""


class Norm(NamedTuple):
    """Batch normalisation after training."""

    scale: Array
    shift: Array


class Layer(NamedTuple):
    """A fully connected layer."""

    weight: Array
    """Shape (inputs, outputs), the other way round than in torch."""

    bias: Array

    def __call__(self, x: Array) -> Array:
        y: Array = x @ self.weight
        y += self.bias
        return y

    def normalised(self, norm: Norm | None) -> "Layer":
        """This layer and the normalisation behind it as one layer."""
        if norm is None:
            return self
        return Layer(self.weight * norm.scale, self.bias * norm.scale + norm.shift)


class Reader:
    """Hands out the tensors of a network, each once, and sees that they have the right shapes."""

    def __init__(self, tensors: Tensors) -> None:
        self._left = dict(tensors)

    def layer(self, name: str, inputs: int, outputs: int) -> Layer:
        weight = self.tensor(f"{name}.weight", (outputs, inputs))
        return Layer(np.ascontiguousarray(weight.T), self.tensor(f"{name}.bias", (outputs,)))

    def norm(self, name: str, units: int, design: Design) -> Norm | None:
        """None in networks without batch normalisation."""
        if not design.batch_normalisation:
            return None
        weight, bias, mean, variance = (
            self.tensor(f"{name}.{part}", (units,))
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        if (variance < 0).any():
            raise BadWeights(f"{name} has a variance below 0")
        scale = weight / np.sqrt(variance + EPSILON)
        return Norm(scale, bias - mean * scale)

    def close(self) -> None:
        """All must have been used: what is left over was meant for another network."""
        if self._left:
            raise BadWeights(f"tensor {quoted(next(iter(self._left)), 100)} is not of its design")

    def tensor(self, name: str, shape: tuple[int, ...]) -> Array:
        tensor = self._left.pop(name, None)
        if tensor is None:
            raise BadWeights(f"there is no tensor {name}")
        if tensor.shape != shape:
            raise BadWeights(f"{name} has the shape {tensor.shape} and not {shape}")
        return tensor


def residual(design: Design, reader: Reader, inputs: int) -> Scores:
    """Fig. 5.1: blocks of two layers with a way past each."""
    width = design.first
    first = reader.layer("first", inputs, width)
    blocks = []
    for number, units in enumerate(design.widths):
        name = f"blocks.{number}"
        before, inner = (
            reader.norm(f"{name}.norm1", width, design),
            reader.norm(f"{name}.norm2", units, design),
        )
        layer = reader.layer(f"{name}.layer1", width, units).normalised(inner)
        blocks.append((before, layer, reader.layer(f"{name}.layer2", units, width)))
    last = reader.layer("last", width, design.outputs)

    def scores(x: Array) -> Array:
        x = first(x)
        for norm, enter, leave in blocks:
            x += leave(_rectified(enter(_rectified_copy(x, norm))))
        return last(x)

    return scores


def dense(design: Design, reader: Reader, inputs: int) -> Scores:
    """Fig. 5.2: every layer reads what all layers before it gave, and so does the output."""
    first = reader.layer("first", inputs, design.first)
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
            more = layer(_rectified_copy(given[:, :end], norm))
            given[:, end : end + more.shape[1]] = more
            end += more.shape[1]
        return last(given)

    return scores


def feedforward(design: Design, reader: Reader, inputs: int) -> Scores:
    """Layer after layer."""
    layers, width = [], inputs
    for number, units in enumerate(design.widths):
        layer = reader.layer(f"layers.{number}.layer", width, units)
        layers.append(layer.normalised(reader.norm(f"layers.{number}.norm", units, design)))
        width = units
    last = reader.layer("last", width, design.outputs)

    def scores(x: Array) -> Array:
        for layer in layers:
            x = _rectified(layer(x))
        return last(x)

    return scores


def symmetric(design: Design, reader: Reader, inputs: int) -> Scores:
    """Ours: sixteen views of the board that share their weights."""
    answers = CLASSES if design.outputs == NUM_CLASSES else None
    shapes = parameter_shapes(inputs, design.outputs, design.first, design.blocks, answers is None)
    tensors = {name: reader.tensor(name, (1, *shape))[0] for name, shape in shapes.items()}
    return Forward(tensors, moved_in(inputs), answers)


ARCHITECTURES: dict[str, Callable[[Design, Reader, int], Scores]] = {
    "residual": residual,
    "dense": dense,
    "feedforward": feedforward,
    "symmetric": symmetric,
}
"""What builds a network of each architecture; a further one is entered here, in `Design` and, to
be trained, in `networks.py`."""


class Network:
    """One trained network."""

    def __init__(self, design: Design, tensors: Tensors, inputs: int) -> None:
        """`inputs` is how many numbers it reads; BadWeights if the tensors do not fit."""
        if design.architecture not in ARCHITECTURES:
            raise BadWeights(f"there is no playing {quoted(design.architecture)} network")
        reader = Reader(tensors)
        self._scores = ARCHITECTURES[design.architecture](design, reader, inputs)
        reader.close()
        self._outputs = design.outputs
        self._kind = np.result_type(*tensors.values())

    def log_probabilities(self, rows: NDArray[Any]) -> Array:
        """Of every class, shape (rows, outputs)."""
        found = np.empty((len(rows), self._outputs), dtype=self._kind)
        for begin in range(0, len(rows), BATCH):
            x = rows[begin : begin + BATCH].astype(self._kind)
            found[begin : begin + BATCH] = log_softmax(self._scores(x))
        return found


def network(fields: Any, tensors: Tensors, inputs: int, outputs: int) -> Network:
    """A network out of a file, whose design is not to be trusted."""
    try:
        design = Design.from_dict(fields)
    except LudusError as error:
        raise BadWeights(f"its design is wrong: {error}") from error
    if design.outputs != outputs:
        raise BadWeights(f"a network has {design.outputs} outputs where {outputs} are needed")
    return Network(design, tensors, inputs)


def _rectified(x: Array) -> Array:
    return np.maximum(x, 0, out=x)


def _rectified_copy(x: Array, norm: Norm | None) -> Array:
    """Normalised if need be, then rectified, in a new array."""
    if norm is None:
        copy: Array = np.maximum(x, 0)
        return copy
    y: Array = x * norm.scale
    y += norm.shift
    return _rectified(y)


def log_softmax(scores: Array) -> Array:
    """Scores as the logarithms of probabilities, in place."""
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores
