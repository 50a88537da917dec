"""A dataset of 100,000 lines read, described, expanded and written.

python benchmarks/dataset_arrays.py [FILE] [--json]

Without a file the lines are made for the occasion: positions of random games with random moves.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.datasets import augment, compute_statistics, format_lines, read_chunks, read_dataset
from ludus.games.nine_mens_morris import (
    NineMensMorris,
    Rules,
    generate_moves,
    to_thesis,
    to_thesis_move,
)

LINES = 100_000
WANTED = 1.0
"""Maximum seconds for reading `LINES` lines."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or write_dataset(Path(folder) / "dataset.txt")
        found = measure(path)
    if arguments.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:<24}{value:12,.3f}")
    return 0 if found["read"] * LINES / found["lines"] <= WANTED else 1


def measure(path: Path) -> dict[str, float]:
    """Return the seconds of each operation, the best of three."""
    entries = read_dataset(path)
    rules = Rules()
    expanded = augment(entries, "published")
    work: dict[str, Callable[[], Any]] = {
        "read": lambda: read_dataset(path),
        "write": lambda: format_lines(entries),
        "describe": lambda: compute_statistics(read_chunks(path), rules),
        "legal moves of a tenth": lambda: generate_moves(entries[::10], rules),
        "expand, symmetries": lambda: augment(entries),
        "expand, published": lambda: augment(entries, "published"),
    }
    seconds = {name: min(_measure_seconds(each) for _ in range(3)) for name, each in work.items()}
    return {"lines": len(entries), "expanded": len(expanded), **seconds}


def write_dataset(path: Path) -> Path:
    """Write a file of random positions and moves."""
    source, game = random.Random(1), NineMensMorris()
    lines: list[str] = []
    while len(lines) < LINES:
        position = game.start()
        while position.outcome() is None:
            move = source.choice(position.legal_moves())
            lines.append(f"{to_thesis(position)}-{to_thesis_move(move)}\n")
            position = position.play(move)
    path.write_text("".join(lines[:LINES]))
    return path


def _measure_seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
