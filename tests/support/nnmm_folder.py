"""A small generated folder in the author's format, and networks trained with it."""

import importlib
import json
import random
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cli.main import run
from ludus.games.nine_mens_morris import NineMensMorris, to_thesis, to_thesis_move
from ludus.reproduce import find_experiment
from support.games import play_randomly
from support.paths import EXPERIMENTS

SIZES = {
    "positions": 300,
    "costly": 60,
    "entries": 60,
    "epochs": 2,
    "batch": 50,
    "openings": 1,
    "teacher": '"negascout:depth=2"',
}
"""Settings of experiments that end within seconds."""

TRAINING_MARGIN = 2.776445 * (0.497598 / 8) ** 0.5
"""Half the interval of a single training: Student's quantile for four pairs, and their deviation of
0.198, 0.428, 0.517 and 0.089 points."""


def write_data(folder: Path) -> Path:
    """Positions of random games, each with some legal move; and networks that know nothing."""
    game, source = NineMensMorris(), random.Random(1)
    found = [
        position
        for seed in range(20)
        for position in play_randomly(game, seed, 60)
        if position.outcome() is None
    ]
    moves = [source.choice(position.legal_moves()) for position in found]
    lines = [
        f"{to_thesis(position)}-{to_thesis_move(move)}"
        for position, move in zip(found, moves, strict=True)
    ]
    (folder / "npz").mkdir(parents=True)
    (folder / "dataset.txt").write_text("\r\n".join(lines) + "\r\n")
    (folder / "states.txt").write_text("\n".join(map(to_thesis, found[::3])) + "\n")
    for number, part in enumerate(("TO", "FROM", "REMOVE")):
        write_authors_network(folder / "npz" / f"TEST-rawest-TFR_{part}.npz", 90 + 25 * number)
    return folder


def write_authors_network(file: Path, inputs: int) -> None:
    """Random weights of the shapes that the author's files have."""
    rng = np.random.default_rng(inputs)
    widths = (inputs, 12, 16, 12, 25)
    arrays = []
    for before, after in pairwise(widths):
        arrays += [rng.normal(0, before**-0.5, (before, after)), rng.normal(0, 0.1, after)]
    np.savez(file, *arrays)


def train(data: Path, file: Path, order: str = "TFR") -> Path:
    """Train small networks, in a few seconds."""
    options = ["--preset", "quick", "--order", order, "--threads", "1"]
    command = ["train", "nnmm", "--data", str(data / "dataset.txt"), *options, "--json"]
    assert run([*command, "--epochs", "1", "--out", str(file)]) == 0
    return file


def load_module(name: str) -> Any:
    """Return a module of the experiments."""
    package = find_experiment("galassi-whole", EXPERIMENTS).module().__package__
    return importlib.import_module(f"{package}.{name}")


def write_experiments(folder: Path) -> Path:
    """The experiments with small sizes, short series, a short ladder, and no shipped networks."""
    shutil.copytree(EXPERIMENTS / "galassi", folder / "galassi")
    for file in (folder / "galassi").glob("*.toml"):
        text = f"shipped = false\n{file.read_text()}"
        for name, value in SIZES.items():
            text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        text = re.sub(r"^presets = \[([^,\]]*).*$", r"presets = [\1]", text, flags=re.MULTILINE)
        text = re.sub(r'^"(?!random|newbie).*" = "[a-z:=0-9,]+"\n', "", text, flags=re.MULTILINE)
        file.write_text(text)
    return folder


def read_stored_rows(name: str) -> dict[str, dict[str, Any]]:
    """The rows of the stored results of galassi-NAME, by name."""
    rows = json.loads(find_experiment(f"galassi-{name}", EXPERIMENTS).results.read_text())["rows"]
    return {row["name"]: row for row in rows}
