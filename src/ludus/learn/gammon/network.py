"""The networks that play, in numpy, and their files: the network of 1988, and the strong ones.

The network of Tesauro and Sejnowski 1988 scores moves. The strong ones give five chances of the
board after a move: of the side that has just moved to win, to win a gammon, to win a backgammon, to
lose a gammon, to lose a backgammon; a gammon includes backgammons. `to_native` returns the compiled
twins of both, which play.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.core.processes import count_cores
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.batch import position_to_row
from ludus.learn.gammon.afterstate_inputs import UNIT_NAMES
from ludus.learn.gammon.encoding import EncodedMoves, MoveEncoding, find_encoding
from ludus.learn.weights import (
    KIND_KEY,
    Arrays,
    BadWeights,
    find_shipped,
    read_npz,
    read_tensors,
    write_npz,
    write_tensors,
)
from ludus.render.diagram import format_network, name_layers

if TYPE_CHECKING:
    from ludus._native import chances, gammon

FloatArray = NDArray[np.float32]
Layers = tuple[tuple[FloatArray, FloatArray], ...]
"""Weights of shape (below, above) and biases of shape (above,) of every layer."""

NUM_CHANCES: Final = 5
KIND: Final = "gammon-chances"
MAX_FILE_BYTES: Final = 64_000_000

SHIPPED_NETWORKS: Final = find_shipped(Path(__file__).with_name("weights"), ".npz")
"""Files by name: `paper` is row (a) of the paper's Table 1, `comparison` the same network trained
by comparison of alternatives."""

SHIPPED_CHANCES: Final = find_shipped(Path(__file__).with_name("weights"), ".safetensors")
"""Files by name: `expert` was trained on bgsage's labels, `selfplay` by self-play alone."""


class FullyConnected:
    """Layers of units, each connected with all units of the layer below."""

    layers: Layers

    def _check_layers(self, num_inputs: int, num_outputs: int) -> None:
        below = num_inputs
        for weights, biases in self.layers:
            if biases.ndim != 1 or weights.shape != (below, len(biases)):
                raise BadWeights(f"a layer above {below} units has weights {weights.shape}")
            if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
                raise BadWeights("a weight is not a number")
            below = len(biases)
        if not self.layers or below != num_outputs:
            raise BadWeights(f"the last layer of a network must have {num_outputs} units")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of units of every layer, inputs first."""
        return (len(self.layers[0][0]), *(len(biases) for _, biases in self.layers))

    @property
    def name(self) -> str:
        """The sizes in the paper's notation: `459-24-1`."""
        return "-".join(map(str, self.sizes))

    def _format(self, facts: Mapping[str, Any]) -> str:
        return format_network(f"network {self.name}", name_layers(self.sizes), facts)

    def _count_weights(self) -> str:
        return f"{sum(weights.size + biases.size for weights, biases in self.layers):,}"


def layers_to_arrays(layers: Layers) -> dict[str, FloatArray]:
    """Return the arrays of a file: weights0, biases0, weights1 and so on."""
    arrays = {}
    for number, (weights, biases) in enumerate(layers):
        arrays[f"weights{number}"] = weights
        arrays[f"biases{number}"] = biases
    return arrays


def arrays_to_layers(arrays: Arrays) -> Layers:
    """Return the layers of `layers_to_arrays`."""
    found = [
        tuple(
            np.ascontiguousarray(arrays[f"{part}{number}"], dtype=np.float32)
            for part in ("weights", "biases")
        )
        for number in range(sum(name.startswith("weights") for name in arrays))
    ]
    return tuple((weights, biases) for weights, biases in found)


@dataclass(frozen=True)
class GammonNetwork(FullyConnected):
    """The network of 1988: logistic units, one of them the output."""

    encoding: MoveEncoding
    layers: Layers

    notes: str = ""
    """How it was trained."""

    def __post_init__(self) -> None:
        self._check_layers(self.encoding.num_units, 1)

    def _repr_html_(self) -> str:
        return self._format({"inputs": self.encoding.name, "parameters": self._count_weights()})

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

    def to_native(self) -> "gammon.Network":
        """Return the compiled twin, which can play whole games and be trained."""
        from ludus._native import gammon

        return gammon.Network(
            self.encoding.change_units, self.encoding.extra_units, list(self.layers)
        )

    def scores(self, encoded_moves: EncodedMoves) -> FloatArray:
        """Return scores from -100 to 100 of encoded moves."""
        outputs = self.to_native().scores(
            encoded_moves.offsets, encoded_moves.unit_indices, encoded_moves.activations
        )
        return 200 * outputs - 100

    def save(self, path: Path) -> None:
        """Write weights and notes as plain arrays, without pickle."""
        about = {"coding": np.array(self.encoding.name), "notes": np.array(self.notes)}
        write_npz(path, {**about, **layers_to_arrays(self.layers)})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a network from a file; raise BadWeights if the file is invalid."""
        return read_npz(path, cls._parse)

    @classmethod
    def _parse(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        encoding = find_encoding(str(arrays["coding"]))
        return cls(encoding, arrays_to_layers(arrays), str(arrays["notes"]))


def load_network(name: str) -> GammonNetwork:
    """Load a shipped network by its name, or a network from a file."""
    return GammonNetwork.load(SHIPPED_NETWORKS.get(name, Path(name)))


@dataclass(frozen=True, slots=True)
class GamesResult:
    """Results of games, for the first of two players."""

    wins: tuple[int, int, int]
    """Numbers of single games, gammons and backgammons won."""

    losses: tuple[int, int, int]

    @property
    def games(self) -> int:
        return sum(self.wins) + sum(self.losses)

    @property
    def win_rate(self) -> float:
        """Proportion of games won, without regard to gammons."""
        return sum(self.wins) / self.games

    @property
    def points_per_game(self) -> float:
        """Points per game, where gammons count twice and backgammons three times."""
        return float(np.dot(np.subtract(self.wins, self.losses), (1, 2, 3)) / self.games)


def play_native_games(
    first: GammonNetwork | str, second: GammonNetwork | str, games: int, seed: int, threads: int = 0
) -> GamesResult:
    """Play games between networks, `tool` or `random`, with alternating starters.

    The result does not depend on the number of threads.
    """
    if not 1 <= games <= 100_000_000:
        raise BadSpec(f"{games} games cannot be played")
    from ludus._native import gammon

    movers = [who.to_native() if isinstance(who, GammonNetwork) else who for who in (first, second)]
    start = position_to_row(Backgammon().start())[None]
    threads = threads or count_cores()
    return GamesResult(*gammon.contest(movers[0], movers[1], start, games, seed % 2**64, threads))


@dataclass(frozen=True)
class ChancesNetwork(FullyConnected):
    """A strong network: rectified linear units, and five outputs."""

    layers: Layers

    description: Mapping[str, Any]
    """How it was trained."""

    def __post_init__(self) -> None:
        self._check_layers(len(UNIT_NAMES), NUM_CHANCES)

    def _repr_html_(self) -> str:
        known = self.description.items()
        facts = {
            "outputs": "chances of a win, gammons and backgammons won and lost",
            "parameters": self._count_weights(),
            **{name: value for name, value in known if isinstance(value, str | int | float)},
        }
        return self._format(facts)

    def logits(self, inputs: FloatArray) -> FloatArray:
        """Return the outputs for inputs of shape (boards, 257) before the logistic function."""
        for number, (weights, biases) in enumerate(self.layers):
            if number:
                inputs = np.maximum(inputs, 0)
            inputs = inputs @ weights + biases
        return inputs

    def to_native(self) -> "chances.ChancesNetwork":
        """Return the compiled twin, which plays."""
        from ludus._native import chances

        return chances.ChancesNetwork(list(self.layers))

    def save(self, path: Path) -> None:
        """Write weights and description to a safetensors file."""
        about = {KIND_KEY: KIND, **self.description}
        write_tensors(path, about, layers_to_arrays(self.layers), "float32")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a network from a file; raise BadWeights if the file is invalid."""
        return read_tensors(path, cls._parse, (KIND,), ("float32",), MAX_FILE_BYTES)

    @classmethod
    def _parse(cls, description: Mapping[str, Any], tensors: Arrays) -> Self:
        about = {key: description[key] for key in description if key not in ("format", KIND_KEY)}
        return cls(arrays_to_layers(tensors), about)


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
    from ludus._native import chances

    return chances.expand(positions, rolls)


def compute_equities(chances: FloatArray) -> FloatArray:
    """Return cubeless equities, in points a game, of chances of shape (…, 5)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.moveaxis(chances, -1, 0)
    equities: FloatArray = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
    return equities
