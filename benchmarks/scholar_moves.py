"""Speed of the scholar: one move on one core, cold and warm, and many at once.

    python benchmarks/scholar_moves.py [FILE.safetensors …]

Without a file the shipped scholars are asked. Wanted are 3 ms for one move in full and 1 ms in
small.
"""

import os
import sys

# A move is not shared among threads; numpy reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import time
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.learn.scholar import (
    CHAIN,
    Kind,
    ScholarOptions,
    ScholarPlayer,
    find_shipped_weights,
    load_weights,
)
from morris_positions import sample_positions

SINGLE = 500
TOGETHER = 2000


def main() -> None:
    positions = sample_positions(TOGETHER)
    for path in map(Path, sys.argv[1:] or find_shipped_weights().values()):
        kind: Kind = "chain" if load_weights(path).kind == CHAIN else "scorer"
        began = time.process_time()
        game = ludus.game("nine_mens_morris")
        player = ScholarPlayer(game, ScholarOptions(kind=kind, weights=str(path)), "scholar")
        print(f"{path.stem}: {1000 * (time.process_time() - began):.0f} ms to be ready")
        for name in ("cold", "warm"):
            taken = _milliseconds(player, positions[:: len(positions) // SINGLE][:SINGLE])
            middle, late = np.percentile(taken, [50, 95])
            print(f"  {name}: {middle:.2f} ms a move, {late:.2f} ms at most in 95 of 100")
        began = time.process_time()
        player.choose_many(positions[:TOGETHER])
        rate = TOGETHER / (time.process_time() - began)
        print(f"  together: {rate:,.0f} positions/s")


def _milliseconds(player: ScholarPlayer, positions: list[Any]) -> list[float]:
    taken = []
    for position in positions:
        began = time.process_time_ns()
        player.choose(position)
        taken.append((time.process_time_ns() - began) / 1e6)
    return taken


if __name__ == "__main__":
    main()
