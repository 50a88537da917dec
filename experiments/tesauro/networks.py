"""The networks of Table 1, trained once for every experiment that needs them."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ludus.learn.gammon.codings import coding_named
from ludus.learn.gammon.lessons import Lessons
from ludus.learn.gammon.network import Network
from ludus.learn.gammon.shipped import test_lessons, training_lessons
from ludus.learn.gammon.training import Settings, Training
from ludus.reproduce import Context

Curve = list[tuple[float, float]]
"""Agreement with the expert on training and test positions, cycle by cycle."""


def settings_of(row: Mapping[str, Any], seed: int, **more: Any) -> Settings:
    """The settings of a row of the TOML file."""
    names = ("coding", "cycles", "positions", "noise")
    return Settings(
        hidden=tuple(row["hidden"]), seed=seed, **{name: row[name] for name in names}, **more
    )


@lru_cache(maxsize=16)
def coded(coding: str, positions: int) -> tuple[Lessons, Lessons]:
    """Training and test lessons in a coding."""
    known = coding_named(coding)
    chosen = training_lessons()[: positions or None]
    return Lessons.of(chosen, known), Lessons.of(test_lessons(), known)


def train(settings: Settings, file: Path, begin: Network | None = None) -> Curve:
    """Train a network, keep it in a file, and tell how agreement grew."""
    lessons, tests = coded(settings.coding, settings.positions)
    rng = np.random.default_rng(settings.seed)
    network = begin or Network.random(coding_named(settings.coding), settings.hidden, rng)
    training = Training(lessons, network, settings)
    curve = [
        (
            lessons.agreement(cycle.network.scores(lessons.patterns)),
            tests.agreement(cycle.network.scores(tests.patterns)),
        )
        for cycle in training.cycles()
    ]
    training.network.save(file)
    return curve


def trained(
    context: Context, name: str, settings: Settings, begin: Network | None = None
) -> tuple[Path, Curve]:
    """The file of a network and its curve, which are made once in a run that may be broken off."""
    file = context.folder("networks") / f"{name}-{settings.seed}.npz"
    curve = context.cell(f"curve of {name} {settings}", lambda: train(settings, file, begin))
    return file, [(first, second) for first, second in curve]
