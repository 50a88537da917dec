"""The twin of `networks.Symmetric` in numpy, which is all that playing needs."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ludus.learn.symmetric import tied
from ludus.learn.symmetric.group import ORDER, Permutations
from ludus.learn.symmetric.harmonics import Spectrum, mixed, rectified, spectrum, views
from ludus.learn.symmetric.looking import looked, template

Array = NDArray[np.float32]

TOGETHER = 6144
"""Channels times positions that are worked on together: with more, their views leave the cache;
with fewer, threads wait for each other at every step."""

LEAST = 48


class Forward:
    """One symmetric network, ready to answer.

    Inside, all that is linear happens to the harmonics; only rectifiers need the views themselves.
    """

    def __init__(
        self,
        weights: Mapping[str, Array],
        things: Permutations,
        answers: Permutations | None,
        repeats: int = 1,
    ) -> None:
        """`weights` by the names of `networks.Symmetric`, without the dimension of experts.

        What the blocks do is done `repeats` times, all of them in turn.
        """
        exact = {name: np.asarray(values, np.float32) for name, values in weights.items()}
        self.first = template(exact["first"], things)
        self.first_bias = _bias(exact["first_bias"])
        self.blocks = [_block(exact, f"blocks.{number}.") for number in range(_num_blocks(exact))]
        self.repeats = repeats
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
        size = max(TOGETHER // len(self.first_bias), LEAST)
        if len(things) <= size:
            return self._few(things)
        batches = range(0, len(things), size)
        return np.concatenate([self._few(things[first : first + size]) for first in batches])

    def _few(self, things: Array) -> Array:
        units = looked(things, self.first)
        units[0] += self.first_bias
        for first, bias, second, second_bias in self.blocks * self.repeats:
            inner = mixed(rectified(units), first)
            inner[0] += bias
            units += mixed(rectified(inner), second)
            units[0] += second_bias
        seen = views(units)
        np.maximum(seen, 0, out=seen)
        read = seen.reshape(-1, len(things)) if self.is_pointing else seen.sum(axis=0)
        said: Array = np.matmul(read.T, self.last)
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
        _bias(weights[f"{name}bias1"]),
        spectrum(weights[f"{name}layer2"]),
        _bias(weights[f"{name}bias2"]),
    )


def _bias(shared: Array) -> Array:
    """What is the same in all views, as their first harmonic; (channels, 1)."""
    first: Array = shared.reshape(-1, 1) * np.float32(ORDER**0.5)
    return first


def _num_blocks(weights: Mapping[str, Array]) -> int:
    return sum(name.endswith("layer1") for name in weights)
