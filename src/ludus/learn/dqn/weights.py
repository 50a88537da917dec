"""The Q-network without torch: encoding of positions, numpy forward pass, and the npz file.

The file is a numpy archive of arrays and a JSON description, without pickle.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.game import AnyGame, Position
from ludus.games.squares import encode_cells
from ludus.learn.episodes import complete_rules
from ludus.learn.weights import BadWeights, read_npz, write_npz

SUPPORTED_GAMES = frozenset({"noughts_and_crosses", "hexapawn"})


def encode_position(position: Position) -> list[float]:
    """Encode each square as 1 for a man of the mover, 0 for one of the other side, -1 for none.

    >>> from ludus.games import game
    >>> encode_position(game("noughts_and_crosses").parse("X.O/.../... x"))[:3]
    [1.0, -1.0, 0.0]
    """
    board, mover = str(position).split()
    return encode_cells(board.replace("/", ""), mover.upper())


def list_actions(game: AnyGame) -> tuple[str, ...]:
    """Return every move of the game in its notation, in the order of the network's outputs."""
    return tuple(map(str, game.all_moves() or ()))


HIDDEN_SIZES = (256, 64)

TENSOR_NAMES = ("w1", "b1", "w2", "b2", "w3", "b3")
"""Weights and biases, layer by layer; `w1` has a row for each input."""

FloatArray = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


def list_tensor_shapes(game: AnyGame) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor of the network of a game."""
    widths = (len(encode_position(game.start())), *HIDDEN_SIZES, len(list_actions(game)))
    sizes: list[tuple[int, ...]] = []
    for before, after in pairwise(widths):
        sizes += [(before, after), (after,)]
    return dict(zip(TENSOR_NAMES, sizes, strict=True))


def compute_q_values(weights: Arrays, inputs: FloatArray) -> FloatArray:
    """Run the network: (positions, inputs) to (positions, outputs)."""
    hidden = np.maximum(inputs @ weights["w1"] + weights["b1"], 0)
    hidden = np.maximum(hidden @ weights["w2"] + weights["b2"], 0)
    q_values: FloatArray = hidden @ weights["w3"] + weights["b3"]
    return q_values


FILE_FORMAT = "ludus deepq"
FILE_VERSION = 1
METADATA_KEY = "about"


@dataclass(frozen=True)
class DqnWeights:
    """What playing needs."""

    game: AnyGame
    arrays: Arrays

    def save(self, path: Path) -> None:
        """Write the weights with a description of the game."""
        text = np.frombuffer(json.dumps(_describe_file(self.game)).encode(), dtype=np.uint8)
        write_npz(path, {METADATA_KEY: text, **self.arrays})


def load_weights(file: Path, game: AnyGame) -> dict[str, FloatArray]:
    """Read the weights of this game from a file; raise BadWeights otherwise."""

    def parse(arrays: dict[str, NDArray[Any]]) -> dict[str, FloatArray]:
        about = json.loads(bytes(arrays.pop(METADATA_KEY)))
        if isinstance(about, dict):
            about["rules"] = complete_rules(about.get("rules"), game)
        for key, value in _describe_file(game).items():
            if not isinstance(about, dict) or about.get(key) != value:
                raise BadWeights(f"it is not of deep Q-learning of this game: its {key} differs")
        return select_weights(arrays, game)

    return read_npz(file, parse)


def select_weights(arrays: Arrays, game: AnyGame, prefix: str = "") -> dict[str, FloatArray]:
    """Select one network's weights by prefix; raise BadWeights if they do not fit the game."""
    weights: dict[str, FloatArray] = {}
    for name, shape in list_tensor_shapes(game).items():
        array = arrays.get(prefix + name)
        is_sound = array is not None and array.shape == shape and array.dtype == np.float32
        if array is None or not is_sound or not np.isfinite(array).all():
            raise BadWeights(f"the weights {prefix}{name} are missing or do not fit the game")
        weights[name] = array
    return weights


def _describe_file(game: AnyGame) -> dict[str, Any]:
    rules = dataclasses.asdict(game.rules)
    return {"format": FILE_FORMAT, "version": FILE_VERSION, "game": game.id, "rules": rules}
