"""The twin of `networks.Symmetric` in numpy, which is all that playing needs."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ludus.learn.symmetric import tied
from ludus.learn.symmetric.group import ORDER, Permutations
from ludus.learn.symmetric.harmonics import Spectrum, mixed, spectrum

Array = NDArray[np.float32]

BATCH = 48
"""Positions that are worked on together: with more the views of all of them leave the cache."""


class Forward:
    """One symmetric network, ready to answer."""

    def __init__(
        self, weights: Mapping[str, Array], things: Permutations, answers: Permutations | None
    ) -> None:
        """`weights` by the names of `networks.Symmetric`, without the dimension of experts."""
        exact = {name: np.asarray(values, np.float32) for name, values in weights.items()}
        self.channels = exact["first_bias"].shape[-1]
        self.first = np.ascontiguousarray(tied.looking(exact["first"], tied.places(things)).T)
        self.first_bias = exact["first_bias"].reshape(-1)
        self.blocks = [_block(exact, f"blocks.{number}.") for number in range(_num_blocks(exact))]
        self.is_pointing = answers is not None
        self.last: Array
        if answers is None:
            self.last = np.asarray(exact["last"].T / ORDER, np.float32)
            self.last_bias = exact["last_bias"].reshape(-1)
        else:
            pointing = tied.pointing(exact["last"], tied.places(answers))
            self.last = np.ascontiguousarray(pointing.T)
            is_moved = (answers != answers[:1]).any(axis=0)
            self.last_bias = exact["last_bias"].reshape(-1)[is_moved.astype(np.int64)]

    def __call__(self, things: Array) -> Array:
        """(positions, things) to (positions, outputs)."""
        looked: Array = things @ self.first
        if len(looked) <= BATCH:
            return self._few(looked)
        batches = range(0, len(looked), BATCH)
        return np.concatenate([self._few(looked[first : first + BATCH]) for first in batches])

    def _few(self, looked: Array) -> Array:
        number = len(looked)
        seen = looked.reshape(number, ORDER, self.channels)
        units = np.ascontiguousarray(seen.transpose(1, 0, 2)) + self.first_bias
        for first, bias, second, second_bias in self.blocks:
            inner = mixed(np.maximum(units, 0), first)
            inner += bias
            units += mixed(np.maximum(inner, 0, out=inner), second)
            units += second_bias
        np.maximum(units, 0, out=units)
        views = units.transpose(1, 0, 2)
        read = views.reshape(number, -1) if self.is_pointing else views.sum(axis=1)
        said: Array = np.matmul(read, self.last)
        said += self.last_bias
        return said


def parameter_shapes(
    things: int, outputs: int, channels: int, blocks: int, is_judging: bool
) -> dict[str, tuple[int, ...]]:
    """The names and shapes of one network's weights."""
    shapes: dict[str, tuple[int, ...]] = {
        "first": (channels, things),
        "first_bias": (1, channels),
        "last": (outputs, channels) if is_judging else (channels, outputs),
        "last_bias": (1, outputs) if is_judging else (1, 2),
    }
    for number in range(blocks):
        for layer in ("1", "2"):
            shapes[f"blocks.{number}.layer{layer}"] = (ORDER, channels, channels)
            shapes[f"blocks.{number}.bias{layer}"] = (1, channels)
    return shapes


def _block(weights: Mapping[str, Array], name: str) -> tuple[Spectrum, Array, Spectrum, Array]:
    return (
        spectrum(weights[f"{name}layer1"]),
        weights[f"{name}bias1"].reshape(-1),
        spectrum(weights[f"{name}layer2"]),
        weights[f"{name}bias2"].reshape(-1),
    )


def _num_blocks(weights: Mapping[str, Array]) -> int:
    return sum(name.endswith("layer1") for name in weights)
