"""Evaluate an equivariant network in numpy; network.py has the same network in torch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.learn.equivariant import group
from ludus.learn.equivariant.fourier import (
    FourierKernel,
    apply_relu,
    build_lifting_layer,
    convolve,
    lift,
    to_group_domain,
    transform_kernel,
)
from ludus.learn.equivariant.group import GROUP_ORDER, Permutations

Array = NDArray[np.floating[Any]]

BATCH_ELEMENTS = 6144
"""Channels times positions of a batch: with more, the group domain does not fit into the cache;
with fewer, the overhead of threads dominates."""

MIN_BATCH = 48


class NumpyEquivariantNetwork:
    """One equivariant network in numpy.

    Linear layers are applied in the Fourier basis; only ReLU needs the group domain.
    """

    def __init__(
        self,
        weights: Mapping[str, Array],
        inputs: Permutations,
        outputs: Permutations | None,
        repeats: int = 1,
        dtype: type[np.floating[Any]] = np.float32,
    ) -> None:
        """Build the network from the parameters of an `EquivariantNetwork` of one expert.

        The blocks are applied `repeats` times, all of them in turn. Without `outputs`, permutations
        of the outputs, the outputs are invariant. All is computed in the precision of `dtype`.
        """
        exact = {name: np.asarray(values, dtype) for name, values in weights.items()}
        self.first = build_lifting_layer(exact["first"], inputs)
        self.first_bias = _transform_bias(exact["first_bias"])
        num_blocks = sum(name.endswith("layer1") for name in exact)
        self.blocks = [_load_block(exact, f"blocks.{number}.") for number in range(num_blocks)]
        self.repeats = repeats
        self.has_point_outputs = outputs is not None
        self.last: Array
        if outputs is None:
            self.last = np.asarray(exact["last"].T / GROUP_ORDER, dtype)
            self.last_bias = exact["last_bias"].reshape(-1)
        else:
            projection = group.expand_point_projection(
                exact["last"], group.invert_permutations(outputs)
            )
            self.last = np.ascontiguousarray(projection.T)
            is_moved = (outputs != outputs[:1]).any(axis=0)
            self.last_bias = exact["last_bias"].reshape(-1)[is_moved.astype(np.int64)]

    def __call__(self, inputs: Array) -> Array:
        """Return the outputs, (positions, outputs), of input features, (positions, features)."""
        inputs = np.asarray(inputs, self.last.dtype)
        size = max(BATCH_ELEMENTS // len(self.first_bias), MIN_BATCH)
        if len(inputs) <= size:
            return self._forward_batch(inputs)
        batches = range(0, len(inputs), size)
        return np.concatenate(
            [self._forward_batch(inputs[first : first + size]) for first in batches]
        )

    def _forward_batch(self, inputs: Array) -> Array:
        units = lift(inputs, self.first)
        units[0] += self.first_bias
        for first, bias, second, second_bias in self.blocks * self.repeats:
            inner = convolve(apply_relu(units), first)
            inner[0] += bias
            units += convolve(apply_relu(inner), second)
            units[0] += second_bias
        values = to_group_domain(units)
        np.maximum(values, 0, out=values)
        pooled = values.reshape(-1, len(inputs)) if self.has_point_outputs else values.sum(axis=0)
        found: Array = np.matmul(pooled.T, self.last)
        found += self.last_bias
        return found


def list_parameter_shapes(
    inputs: int, outputs: int, channels: int, blocks: int, is_invariant: bool
) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of one network's parameters."""
    shapes: dict[str, tuple[int, ...]] = {
        "first": (channels, inputs),
        "first_bias": (1, channels),
        "last": (outputs, channels) if is_invariant else (channels, outputs),
        "last_bias": (1, outputs) if is_invariant else (1, 2),
    }
    for number in range(blocks):
        for layer in ("1", "2"):
            shapes[f"blocks.{number}.layer{layer}"] = (GROUP_ORDER, channels, channels)
            shapes[f"blocks.{number}.bias{layer}"] = (1, channels)
    return shapes


def _load_block(
    weights: Mapping[str, Array], name: str
) -> tuple[FourierKernel, Array, FourierKernel, Array]:
    return (
        transform_kernel(weights[f"{name}layer1"]),
        _transform_bias(weights[f"{name}bias1"]),
        transform_kernel(weights[f"{name}layer2"]),
        _transform_bias(weights[f"{name}bias2"]),
    )


def _transform_bias(shared: Array) -> Array:
    """Return the coefficient of the trivial irrep of a bias; (channels, 1)."""
    return shared.reshape(-1, 1) * shared.dtype.type(GROUP_ORDER**0.5)


def softmax(logits: Array) -> Array:
    """Convert logits, shape (rows, classes), to probabilities."""
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Array = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities


def log_softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Convert logits, shape (rows, classes), to log-probabilities in place."""
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits
