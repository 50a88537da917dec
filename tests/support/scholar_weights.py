"""Scholars with small random networks."""

from pathlib import Path
from typing import Any

import numpy as np

from ludus.core.spec import apply_options
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.learn.equivariant.inference import list_parameter_shapes
from ludus.learn.scholar.encoding import NUM_EXPERTS, NUM_FEATURES
from ludus.learn.scholar.inference import MOVE_PARTS, OUTPUT_NAMES
from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer
from ludus.learn.scholar.weights import CHAIN, SCORER, ScholarWeights, pack_weights

GAME = named_game("nine_mens_morris")


def random_weights(kind: str, repeats: int = 1, seed: int = 0) -> ScholarWeights:
    """Experts of different sizes: four or six channels, one block or two."""
    source = np.random.default_rng(seed)
    experts = []
    for number in range(NUM_EXPERTS):
        channels, blocks = 4 + 2 * (number % 2), 1 + number % 2
        if kind == "scorer":
            shapes = list_parameter_shapes(NUM_FEATURES, len(OUTPUT_NAMES), channels, blocks, True)
        else:
            shapes = {
                f"{part}.{name}": shape
                for result, part in enumerate(MOVE_PARTS)
                for name, shape in list_parameter_shapes(
                    NUM_FEATURES + result * (NO_POINT + 1), NO_POINT + 1, channels, blocks, False
                ).items()
            }
        tensors = {
            name: source.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()
        }
        experts.append(pack_weights(tensors))
    name = SCORER if kind == "scorer" else CHAIN
    return ScholarWeights(name, tuple(experts), {"size": "random"}, (repeats,) * NUM_EXPERTS)


def saved(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.safetensors"
    random_weights(kind).save(path)
    return path


def made(file: Path, game: Any = GAME, **options: Any) -> ScholarPlayer:
    """Return a player with the networks of a file."""
    texts = {"weights": str(file), **{name: str(value) for name, value in options.items()}}
    return ScholarPlayer(game, apply_options(ScholarOptions(), texts, "scholar"), "scholar")
