"""Solve all bear-offs of 15 men against 15 men on one GPU, with the cube, and read some positions.

    PYTHONPATH=src python -m experiments.backgammon.bearoff_on_gpu --out exact.npz
    python -m experiments.backgammon.bearoff_on_gpu --write-sample     # the positions, on a CPU

Needs numpy and a CUDA toolkit, nothing else. The table has 54,264 squared positions of 16 bytes,
47 GB in the GPU's memory. The positions of the sample are from games, and drawn evenly from the
table; they include some that a CPU has solved, with 8 men a side, which have to agree.
"""

import argparse
import json
import time
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cuda import build_library
from ludus.oracles import CudaBearoff

SAMPLE = Path(__file__).parent / "results" / "bearoff_sample.npz"
MEN, POINTS, WIDTH = 15, 6, 32
SOLVED_MEN = 8
NUM_EVEN, NUM_SOLVED, NUM_FROM_GAMES = 10_000, 4_000, 10_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=Path, default=SAMPLE)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--write-sample", action="store_true")
    parser.add_argument("--men", type=int, default=MEN)
    arguments = parser.parse_args()
    if arguments.write_sample:
        write_sample(arguments.sample)
        return
    started = time.time()
    build_library("bearoff")
    print(f"built in {time.time() - started:.1f} s", flush=True)
    print(json.dumps(solve(arguments.men, arguments.sample, arguments.out)), flush=True)


def solve(men: int, sample_path: Path, out: Path | None) -> dict[str, Any]:
    """Solve, compare with the sample, and write its exact equities."""
    clock = {}
    began = time.time()
    solver = CudaBearoff(men, POINTS)
    clock["moves and memory"] = time.time() - began
    began = time.time()
    solver.solve()
    clock["solving"] = time.time() - began
    report: dict[str, Any] = {
        "men": men,
        "positions": solver.size**2,
        "gigabytes": round(16e-9 * solver.size**2, 2),
        "moves": solver.num_moves,
    }
    print(report, clock, flush=True)
    rolls = solver.roll_distributions(men, POINTS, WIDTH)
    if men == MEN:
        sample = dict(np.load(sample_path))
        found = solver.read(sample["own"], sample["other"])
        solved = sample["equities"]
        report["compared with the CPU"] = len(solved)
        report["largest difference"] = float(np.abs(found[: len(solved)] - solved).max())
        kinds = np.split(np.arange(len(found)), [len(solved), len(solved) + NUM_EVEN])
        for name, chosen in zip(("8 men", "evenly", "games"), kinds, strict=True):
            error = approximate(rolls, sample["own"], sample["other"])[chosen] - found[chosen, 0]
            report[f"one-sided, {name}"] = describe(error)
        if out is not None:
            np.savez_compressed(out, own=sample["own"], other=sample["other"], equities=found)
    rng = np.random.default_rng(5)
    own, other = rng.integers(1, solver.size, (2, 4_000_000), dtype=np.uint32)
    error = approximate(rolls, own, other) - solver.read(own, other)[:, 0]
    report["one-sided, 4 million evenly"] = describe(error)
    worst = np.argsort(-np.abs(error))[:10]
    report["worst"] = np.stack([own[worst], other[worst]], axis=1).tolist()
    report["clock"] = {name: round(seconds, 2) for name, seconds in clock.items()}
    return report


def approximate(rolls: np.ndarray, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return cubeless equities of sides that each play for the fewest rolls."""
    (own_all, other_all), (own_first, other_first) = ((each[own], each[other]) for each in rolls)

    def survival(numbers: np.ndarray) -> np.ndarray:  # more than n rolls
        return 1 - np.cumsum(numbers, axis=1)

    others_left, others_first_left = survival(other_all), survival(other_first)
    win = (own_all * (others_left + other_all)).sum(axis=1)
    win_gammon = (own_all * (others_first_left + other_first)).sum(axis=1)
    # The mover has rolled n times when the other side ends with its n-th roll.
    lose_gammon = (other_all * survival(own_first)).sum(axis=1)
    equities: np.ndarray = 2 * win - 1 + win_gammon - lose_gammon
    return equities


def describe(error: np.ndarray) -> dict[str, float]:
    return {
        "mean": float(error.mean()),
        "root mean square": float(np.sqrt((error**2).mean())),
        "largest": float(np.abs(error).max()),
    }


def look_up_cubes(men: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return exact equities of positions with few men, solved on the CPU; shape (positions, 4)."""
    from ludus.oracles import EquityRun, Extent

    found = EquityRun(Extent("bearoff", men), threads=2).run()
    assert found.cube_equities is not None
    return np.stack([found.equities[own, other], *found.cube_equities[:, own, other]], axis=1)


def write_sample(path: Path) -> None:
    """Write the positions, and the equities of those that a CPU can solve."""
    from ludus.oracles import Extent

    from .errors import draw_positions

    rng = np.random.default_rng(3)
    size, few = comb(MEN + POINTS, POINTS), comb(SOLVED_MEN + POINTS, POINTS)
    own, other = rng.integers(1, few, (2, NUM_SOLVED), dtype=np.uint32)  # the same ranks
    solved = look_up_cubes(SOLVED_MEN, own, other)
    even = rng.integers(1, size, (2, NUM_EVEN), dtype=np.uint32)
    kept: list[np.ndarray] = []
    seed = 2_100_000
    while sum(each.shape[1] for each in kept) < NUM_FROM_GAMES:
        rows, _ = draw_positions(2000, seed)
        sides = np.stack([rows[:, :26], rows[:, 51:25:-1]])
        rows_in = ~sides[:, :, 7:].any(axis=(0, 2))
        ranks = [Extent("bearoff", MEN).rank(side[rows_in]) for side in sides]
        kept.append(np.stack(ranks))
        seed += 1
        print(sum(each.shape[1] for each in kept), flush=True)
    games = np.concatenate(kept, axis=1)[:, :NUM_FROM_GAMES]
    parts = np.concatenate([np.stack([own, other]), even, games], axis=1).astype(np.uint32)
    np.savez_compressed(path, own=parts[0], other=parts[1], equities=solved.astype(np.float32))


if __name__ == "__main__":
    main()
