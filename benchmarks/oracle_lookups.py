"""Speed of looking up exact values: a million random positions in a batch, and in a loop.

python benchmarks/oracle_lookups.py [--max-men N] [--json]

The database is made for the occasion in a temporary folder, so a batch of many positions meets
files, checksums, compression and the cache of blocks, as it would in a real one. The positions
have from three to N men a side, each number with the same probability.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.games.nine_mens_morris import DRAW, PositionBatch
from ludus.oracles import Database, MorrisOracle, Oracle, SolveRun, make_solver, moving_sectors

WANTED = 1_000_000
"""Positions a second that we ask of ourselves, from a warm database."""

WANTED_COLD = 0.001
"""Seconds within which a single position is looked up by who has just opened the database."""

POSITIONS = 1_000_000
SINGLE = 20_000
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--max-men", type=int, default=5, choices=range(3, 10))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_database(Path(folder), options.max_men)
        found = measure(Path(folder), options.max_men)
    if options.json:
        print(json.dumps(found))
    else:
        print(f"a database up to {options.max_men} men a side, {POSITIONS:,} random positions")
        print(f"  batch, warm     {found['batch']:12,.0f} a second   wanted {WANTED:,}")
        print(f"  batch, cold     {found['batch_cold']:12,.0f} a second")
        print(f"  one by one      {found['one_by_one']:12,.0f} a second")
        print(f"  ratio           {found['ratio']:12.1f}")
        print(f"  one, cold       {1000 * found['cold_seconds']:12.3f} ms   wanted < 1")
    is_good = found["batch"] >= WANTED and found["cold_seconds"] < WANTED_COLD
    return 0 if is_good else 1


def make_database(folder: Path, max_men: int) -> None:
    rules = ludus.game("nine_mens_morris").rules
    with Database.open_for_writing(folder, rules, has_depth=True) as database:
        SolveRun(
            rules, moving_sectors(rules, max_men), make_solver(rules, threads=2), database
        ).run()


def measure(folder: Path, max_men: int) -> dict[str, float]:
    """Return rates a second, and the seconds of a look-up whose block is not yet in memory."""
    batch = sample_positions(POSITIONS, max_men)
    oracle = Oracle.open(folder)
    began = time.perf_counter()
    codes = oracle.lookup(batch)
    cold_batch = POSITIONS / (time.perf_counter() - began)
    rate = max(_measure_rate(oracle, batch) for _ in range(ROUNDS))
    positions = batch[:SINGLE].to_positions(ludus.game("nine_mens_morris"))
    began = time.perf_counter()
    values = [oracle.value(position) for position in positions]
    one_by_one = SINGLE / (time.perf_counter() - began)
    assert sum(value.result == "draw" for value in values) == np.sum(codes[:SINGLE] == DRAW)
    return {
        "batch": rate,
        "batch_cold": cold_batch,
        "one_by_one": one_by_one,
        "ratio": rate / one_by_one,
        "cold_seconds": _measure_cold(folder, positions),
    }


def _measure_rate(oracle: MorrisOracle, batch: PositionBatch) -> float:
    began = time.perf_counter()
    oracle.lookup(batch)
    return POSITIONS / (time.perf_counter() - began)


def _measure_cold(folder: Path, positions: list[Any]) -> float:
    """Return the median over newly opened databases, of which no block has been read."""
    times = []
    for position in positions[:101]:
        oracle = Oracle.open(folder)
        began = time.perf_counter()
        oracle.value(position)
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def sample_positions(count: int, max_men: int, seed: int = 1) -> PositionBatch:
    """Random positions with empty hands."""
    rng = np.random.default_rng(seed)
    points = rng.permuted(np.tile(np.arange(24, dtype=np.uint32), (count, 1)), axis=1)
    bits = np.uint32(1) << points[:, : 2 * max_men]
    first = rng.integers(3, max_men + 1, (count, 1))
    last = first + rng.integers(3, max_men + 1, (count, 1))
    places = np.arange(2 * max_men)
    own = np.where(places < first, bits, 0).sum(axis=1, dtype=np.uint32)
    other = np.where((places >= first) & (places < last), bits, 0).sum(axis=1, dtype=np.uint32)
    return PositionBatch.from_columns(own, other)


if __name__ == "__main__":
    sys.exit(main())
