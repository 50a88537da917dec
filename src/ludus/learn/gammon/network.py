"""Fully connected network with logistic units in numpy, its npz file, and shipped networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.core.errors import LudusError, quote
from ludus.core.files import read_text
from ludus.datasets.backgammon import scored_positions
from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.learn.common.weights import BadWeights, find_shipped, read_npz, write_npz
from ludus.learn.gammon.encoding import MoveEncoding, find_encoding
from ludus.learn.gammon.examples import EncodedMoves
from ludus.render.diagram import format_network, name_layers

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class GammonNetwork:
    """Weights and biases of every layer, and the input encoding; one output unit."""

    encoding: MoveEncoding

    layers: tuple[tuple[FloatArray, FloatArray], ...]
    """Weights of shape (below, above) and biases of shape (above,)."""

    def __post_init__(self) -> None:
        below = self.encoding.num_units
        for weights, biases in self.layers:
            if weights.shape != (below, len(biases)) or biases.ndim != 1:
                raise BadWeights(f"a layer above {below} units has weights {weights.shape}")
            below = len(biases)
        if not self.layers or below != 1:
            raise BadWeights("a network must end in one unit")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of units of every layer, inputs first."""
        return (self.encoding.num_units, *(len(biases) for _, biases in self.layers))

    @property
    def name(self) -> str:
        """The sizes in the paper's notation: `459-24-1`."""
        return "-".join(map(str, self.sizes))

    def _repr_html_(self) -> str:
        num_weights = sum(weights.size + biases.size for weights, biases in self.layers)
        facts = {"inputs": self.encoding.name, "parameters": f"{num_weights:,}"}
        return format_network(f"network {self.name}", name_layers(self.sizes), facts)

    @classmethod
    def initialise(
        cls, encoding: MoveEncoding, hidden: Sequence[int], rng: np.random.Generator
    ) -> Self:
        """Initialize with uniform random weights, scaled by the fan-in."""
        sizes = (encoding.num_units, *hidden, 1)
        layers = []
        for number, (below, above) in enumerate(pairwise(sizes)):
            # Only about fifty inputs are active at a time.
            spread = 1 / np.sqrt(50 if number == 0 else below)
            weights = rng.uniform(-spread, spread, (below, above)).astype(np.float32)
            layers.append((weights, np.zeros(above, np.float32)))
        return cls(encoding, tuple(layers))

    def outputs(self, inputs: FloatArray) -> FloatArray:
        """Return the outputs for inputs of shape (moves, inputs): from 0, worst, to 1, best."""
        for weights, biases in self.layers:
            inputs = 1 / (1 + np.exp(-(inputs @ weights + biases)))
        return inputs[:, 0]

    def to_native(self) -> gammon.Network:
        """Return the compiled twin, which can play whole games and be trained."""
        return gammon.Network(
            self.encoding.change_units, self.encoding.extra_units, list(self.layers)
        )

    def scores(self, encoded_moves: EncodedMoves) -> FloatArray:
        """Return scores from -100 to 100 of encoded moves."""
        outputs = self.to_native().scores(
            encoded_moves.offsets, encoded_moves.unit_indices, encoded_moves.activations
        )
        return 200 * outputs - 100

    def save(self, path: Path | str, notes: str = "") -> None:
        """Write weights and notes as plain arrays, without pickle."""
        path = Path(path)
        arrays = {"coding": np.array(self.encoding.name), "notes": np.array(notes)}
        for number, (weights, biases) in enumerate(self.layers):
            arrays[f"weights{number}"] = weights
            arrays[f"biases{number}"] = biases
        write_npz(path, arrays)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Load a network from a file; raise BadWeights if the file is invalid."""
        path = Path(path)
        return cls.load_with_notes(path)[0]

    @classmethod
    def load_with_notes(cls, path: Path | str) -> tuple[Self, str]:
        """Load a network and its notes from a file."""
        path = Path(path)
        return read_npz(path, cls._parse)

    @classmethod
    def _parse(cls, arrays: dict[str, NDArray[Any]]) -> tuple[Self, str]:
        encoding = find_encoding(str(arrays["coding"]))
        layers = tuple(
            (
                _to_finite_floats(arrays[f"weights{number}"]),
                _to_finite_floats(arrays[f"biases{number}"]),
            )
            for number in range(sum(name.startswith("weights") for name in arrays))
        )
        return cls(encoding, layers), str(arrays["notes"])


def _to_finite_floats(array: NDArray[np.generic]) -> FloatArray:
    floats = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(floats).all():
        raise ValueError("a weight is not a number")
    return floats


DATA_FOLDER: Final = Path(scored_positions.__file__).with_name("data")
SHIPPED_NETWORKS: Final = find_shipped(Path(__file__).with_name("weights"), ".npz")
"""Files by name: `paper` is row (a) of the paper's Table 1, `comparison` the same network trained
by comparison of alternatives."""


def read_scored_positions(path: Path) -> list[ScoredPosition]:
    """Read the scored positions of a file; one without any is refused."""
    text = read_text(path)
    try:
        found = list(scored_positions.parse_scored_positions(text))
    except LudusError as error:
        raise type(error)(f"{quote(str(path), 200)}, {error}") from error
    if not found:
        raise LudusError(f"{quote(str(path), 200)} has no position")
    return found


@cache
def load_training_positions() -> tuple[ScoredPosition, ...]:
    """Return the 3202 positions of the training set."""
    return tuple(read_scored_positions(DATA_FOLDER / "train.txt"))


@cache
def load_test_positions() -> tuple[ScoredPosition, ...]:
    """Return the 1000 positions of the test set."""
    return tuple(read_scored_positions(DATA_FOLDER / "test.txt"))


def load_network(name: str) -> GammonNetwork:
    """Load a shipped network by its name, or a network from a file."""
    return GammonNetwork.load(SHIPPED_NETWORKS.get(name, Path(name)))
