"""The network: logistic units in layers, fully connected, one output; numpy is all it needs."""

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.core.errors import LudusError, quoted
from ludus.learn.files import read_whole, write_whole
from ludus.learn.gammon.codings import Coding, coding_named
from ludus.learn.gammon.lessons import Patterns

Array = NDArray[np.float32]


class BadWeights(LudusError):
    """A file does not hold the weights of such a network."""


@dataclass(frozen=True)
class Network:
    """Weights and biases of every layer, and the coding of the inputs."""

    coding: Coding

    layers: tuple[tuple[Array, Array], ...]
    """Weights of shape (below, above) and biases of shape (above,)."""

    def __post_init__(self) -> None:
        below = self.coding.size
        for weights, biases in self.layers:
            if weights.shape != (below, len(biases)) or biases.ndim != 1:
                raise BadWeights(f"a layer above {below} units has weights {weights.shape}")
            below = len(biases)
        if not self.layers or below != 1:
            raise BadWeights("a network must end in one unit")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of every layer, the inputs first."""
        return (self.coding.size, *(len(biases) for _, biases in self.layers))

    @property
    def name(self) -> str:
        """As the paper writes it: `459-24-1`."""
        return "-".join(map(str, self.sizes))

    @classmethod
    def random(cls, coding: Coding, hidden: Sequence[int], rng: np.random.Generator) -> Self:
        """Small random weights, smaller where more units are below."""
        sizes = (coding.size, *hidden, 1)
        layers = []
        for number, (below, above) in enumerate(pairwise(sizes)):
            # Of the inputs only some fifty are on at a time.
            spread = 1 / np.sqrt(50 if number == 0 else below)
            weights = rng.uniform(-spread, spread, (below, above)).astype(np.float32)
            layers.append((weights, np.zeros(above, np.float32)))
        return cls(coding, tuple(layers))

    def outputs(self, inputs: Array) -> Array:
        """The output for moves of shape (moves, inputs): from 0, worst, to 1, best."""
        for weights, biases in self.layers:
            inputs = 1 / (1 + np.exp(-(inputs @ weights + biases)))
        return inputs[:, 0]

    def compiled(self) -> gammon.Network:
        """The same network in compiled code, which can play whole games and learn."""
        return gammon.Network(self.coding.change, self.coding.beside, list(self.layers))

    def with_layers(self, compiled: gammon.Network) -> "Network":
        """This network with what its compiled twin has learned."""
        return Network(self.coding, tuple(compiled.layers()))

    def scores(self, patterns: Patterns) -> Array:
        """Scores from -100 to 100 of coded moves."""
        outputs = self.compiled().scores(patterns.starts, patterns.index, patterns.value)
        return 200 * outputs - 100

    def save(self, path: Path, notes: str = "") -> None:
        """Write the weights and some notes: arrays alone, nothing that could be run."""
        arrays = {"coding": np.array(self.coding.name), "notes": np.array(notes)}
        for number, (weights, biases) in enumerate(self.layers):
            arrays[f"weights{number}"] = weights
            arrays[f"biases{number}"] = biases
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        write_whole(path, content.getvalue())

    @classmethod
    def load(cls, path: Path) -> Self:
        """The network a file holds; BadWeights if it holds anything else."""
        return cls.load_with_notes(path)[0]

    @classmethod
    def load_with_notes(cls, path: Path) -> tuple[Self, str]:
        """The network a file holds, and what was noted beside it."""
        try:
            with np.load(io.BytesIO(read_whole(path)), allow_pickle=False) as stored:
                coding = coding_named(str(stored["coding"]))
                count = sum(name.startswith("weights") for name in stored.files)
                layers = tuple(
                    (_floats(stored[f"weights{n}"]), _floats(stored[f"biases{n}"]))
                    for n in range(count)
                )
                notes = str(stored["notes"])
            return cls(coding, layers), notes
        except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
            raise BadWeights(f"{quoted(str(path), 200)} holds no network: {error}") from error


def _floats(array: NDArray[np.generic]) -> Array:
    floats = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(floats).all():
        raise ValueError("a weight is not a number")
    return floats
