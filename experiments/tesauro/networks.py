"""The networks of Table 1, trained once for every experiment that needs them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ludus.datasets import ScoredPosition
from ludus.learn import fit
from ludus.learn.gammon import (
    GammonConfig,
    GammonNetwork,
    GammonTraining,
    ScoredMoves,
    find_encoding,
    load_test_positions,
    load_training_positions,
)
from ludus.reproduce import Context

Curve = list[tuple[float, float]]
"""Agreement with the expert on training and test positions, cycle by cycle."""


def make_config(row: Mapping[str, Any], seed: int, **more: Any) -> GammonConfig:
    """The settings of a row of the TOML file."""
    names = ("coding", "cycles", "positions", "noise")
    return GammonConfig(
        hidden=tuple(row["hidden"]), seed=seed, **{name: row[name] for name in names}, **more
    )


@lru_cache(maxsize=16)
def encode_positions(coding: str, positions: int) -> tuple[ScoredMoves, ScoredMoves]:
    """Training and test examples in an encoding."""
    known = find_encoding(coding)
    chosen = load_training_positions()[: positions or None]
    return ScoredMoves.from_positions(chosen, known), ScoredMoves.from_positions(
        load_test_positions(), known
    )


def initialise_network(settings: GammonConfig) -> GammonNetwork:
    """An untrained network with these settings."""
    rng = np.random.default_rng(settings.seed)
    return GammonNetwork.initialise(find_encoding(settings.coding), settings.hidden, rng)


def train_on_positions(
    positions: Sequence[ScoredPosition], settings: GammonConfig
) -> GammonNetwork:
    """Train a network from scratch on given positions."""
    examples = ScoredMoves.from_positions(positions, find_encoding(settings.coding))
    training = GammonTraining(settings, examples)
    fit(training)
    return training.export()


def train_network(settings: GammonConfig, file: Path, begin: GammonNetwork | None = None) -> Curve:
    """Train a network, save it, and return the curve of its agreement."""
    training = GammonTraining(settings, *encode_positions(settings.coding, settings.positions))
    training.network = begin or training.network
    run = fit(training)
    training.export().save(file)
    return [(each["accuracy/training"], each["accuracy/test"]) for each in run.history]


def get_trained_network(
    context: Context, name: str, settings: GammonConfig, begin: GammonNetwork | None = None
) -> tuple[Path, Curve]:
    """Return the file of a network and its curve; both are computed once and cached."""
    file = context.folder("networks") / f"{name}-{settings.seed}.npz"
    curve = context.cached(
        f"curve of {name} {settings}", lambda: train_network(settings, file, begin)
    )
    return file, [(first, second) for first, second in curve]
