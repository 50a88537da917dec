"""The network of the strong players without torch: chances of boards after moves, and its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ludus._native import chances as native
from ludus.learn.common.weights import (
    KIND_KEY,
    Arrays,
    BadWeights,
    find_shipped,
    read_tensors,
    write_tensors,
)
from ludus.render.diagram import format_network, name_layers

FloatArray = NDArray[np.float32]
MAX_FILE_BYTES: Final = 64_000_000
KIND: Final = "gammon-chances"

SHIPPED_CHANCES: Final = find_shipped(Path(__file__).with_name("weights"), ".safetensors")
"""Files by name: `expert` was trained on bgsage's labels, `selfplay` by self-play alone."""


@dataclass(frozen=True)
class ChancesNetwork:
    """Layers of rectified linear units; five outputs, see `ludus.learn.gammon.chances_model`."""

    layers: tuple[tuple[FloatArray, FloatArray], ...]
    """Weights of shape (below, above) and biases of shape (above,)."""

    description: Mapping[str, Any]
    """How it was trained."""

    def __post_init__(self) -> None:
        below = native.NUM_INPUTS
        for weights, biases in self.layers:
            if weights.shape != (below, len(biases)):
                raise BadWeights(f"a layer above {below} units has weights {weights.shape}")
            below = len(biases)
        if not self.layers or below != 5:
            raise BadWeights("a network of chances must end in five units")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of units of every layer, inputs first."""
        return (native.NUM_INPUTS, *(len(biases) for _, biases in self.layers))

    @property
    def name(self) -> str:
        """The sizes of its layers: `257-768-64-5`."""
        return "-".join(map(str, self.sizes))

    def _repr_html_(self) -> str:
        num_weights = sum(weights.size + biases.size for weights, biases in self.layers)
        facts = {
            "outputs": "chances of a win, gammons and backgammons won and lost",
            "parameters": f"{num_weights:,}",
            **{
                name: value
                for name, value in self.description.items()
                if isinstance(value, str | int | float)
            },
        }
        return format_network(f"network {self.name}", name_layers(self.sizes), facts)

    def logits(self, inputs: FloatArray) -> FloatArray:
        """Return the outputs for inputs of shape (boards, 257) before the logistic function."""
        for number, (weights, biases) in enumerate(self.layers):
            if number:
                inputs = np.maximum(inputs, 0)
            inputs = inputs @ weights + biases
        return inputs

    def to_native(self) -> native.ChancesNetwork:
        """Return the compiled twin, which plays."""
        return native.ChancesNetwork(list(self.layers))

    def save(self, path: Path) -> None:
        """Write weights and description to a safetensors file."""
        tensors = {}
        for number, (weights, biases) in enumerate(self.layers):
            tensors[f"weights{number}"] = weights
            tensors[f"biases{number}"] = biases
        write_tensors(path, {KIND_KEY: KIND, **self.description}, tensors, "float32")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a network from a file; raise BadWeights if the file is invalid."""
        return read_tensors(path, cls._parse, (KIND,), ("float32",), MAX_FILE_BYTES)

    @classmethod
    def _parse(cls, description: Mapping[str, Any], tensors: Arrays) -> Self:
        num_layers = sum(name.startswith("weights") for name in tensors)
        layers = tuple(
            (tensors[f"weights{number}"], tensors[f"biases{number}"])
            for number in range(num_layers)
        )
        if any(weights.ndim != 2 or biases.ndim != 1 for weights, biases in layers):
            raise BadWeights("weights are matrices, and biases vectors")
        about = {key: description[key] for key in description if key not in ("format", KIND_KEY)}
        return cls(layers, about)


@cache
def load_shipped_chances(name: str) -> ChancesNetwork:
    """Load a shipped network, `expert` or `selfplay`."""
    return ChancesNetwork.load(SHIPPED_CHANCES[name])


def list_moves(
    positions: NDArray[np.int8], rolls: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return the boards after all moves of positions (n, 52) with rolls (n, 2).

    Boards are of shape (m, 52); those of a position begin at its offset, of n + 1.
    """
    return native.expand(positions, rolls)


def compute_equities(chances: FloatArray) -> FloatArray:
    """Return cubeless equities, in points a game, of chances of shape (…, 5)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.moveaxis(chances, -1, 0)
    equities: FloatArray = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
    return equities
