"""Tables of bearing off beside those of GNU Backgammon's makebearoff, entry by entry.

makebearoff -o 10 -f one_sided.bd             # 30 minutes on a busy machine
makebearoff -t 6x6 -f two_sided.bd
python -m experiments.backgammon.bearoff_tables one_sided.bd two_sided.bd
"""

import argparse
import json
import time
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from ludus.oracles import EquityRun, Extent, roll_distributions

RESULTS = Path(__file__).parent / "results" / "bearoff_tables.json"
HEADER, MEN, WIDTH = 40, 15, 40
PLACES = ("no cube", "own cube", "centred cube", "their cube")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("one_sided", type=Path)
    parser.add_argument("two_sided", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    report = {
        "two sides": compare_two_sided(arguments.two_sided, arguments.threads),
        "one side": compare_one_sided(arguments.one_sided, arguments.threads),
    }
    arguments.results.write_text(json.dumps(report, indent=1) + "\n")


def compare_two_sided(path: Path, threads: int) -> dict[str, Any]:
    data = path.read_bytes()
    theirs = np.frombuffer(data[HEADER:], "<u2").reshape(924, 924, 4) / 32767.5 - 1
    began = time.time()
    found = EquityRun(Extent("bearoff", 6), threads=threads).run()
    seconds = time.time() - began
    assert found.cube_equities is not None
    ours = np.concatenate([found.equities[None], found.cube_equities])
    difference = np.abs(np.moveaxis(ours, 0, 2) - theirs)[1:]
    return {
        "positions": 924 * 924,
        "seconds": round(seconds, 2),
        "megabytes": round(ours.nbytes / 1e6, 1),
        "theirs, megabytes": round(len(data) / 1e6, 1),
        "largest difference": dict(zip(PLACES, difference.max(axis=(0, 1)).tolist(), strict=True)),
        "mean difference": dict(zip(PLACES, difference.mean(axis=(0, 1)).tolist(), strict=True)),
    }


def compare_one_sided(path: Path, threads: int) -> dict[str, Any]:
    data = path.read_bytes()
    points = int(data[9:11])
    count = comb(MEN + points, points)
    began, cpu = time.time(), time.process_time()
    found = roll_distributions(points, threads)
    seconds, cpu = time.time() - began, time.process_time() - cpu
    kind = np.dtype([("at", "<u4"), ("n", "u1"), ("low", "u1"), ("n1", "u1"), ("low1", "u1")])
    index = np.frombuffer(data, kind, count, HEADER)
    numbers = np.frombuffer(data[HEADER + index.nbytes :], "<u2")
    report: dict[str, Any] = {
        "placements": count,
        "seconds": round(seconds, 1),
        "seconds of processor": round(cpu, 1),
        "theirs, megabytes": round(len(data) / 1e6, 1),
    }
    sizes = 0
    for name, ours, size, low, skipped in (
        ("all off", found.all_off, "n", "low", None),
        ("first off", found.first_off, "n1", "low1", "n"),
    ):
        begins = index["at"].astype(np.int64)
        begins = begins if skipped is None else begins + index[skipped]
        theirs = np.zeros((count, ours.shape[1]), np.float32)
        for column in range(int(index[size].max())):
            rows = np.flatnonzero(index[size] > column)
            theirs[rows, index[low][rows] + column] = numbers[begins[rows] + column] / 65535
        difference = np.abs(ours - theirs)
        means = np.abs(np.einsum("ij,j->i", ours - theirs, np.arange(ours.shape[1])))
        report[name] = {
            "largest difference of a probability": float(difference.max()),
            "mean difference of a probability": float(difference.mean()),
            "largest difference of the mean": float(means.max()),
        }
        sizes += int((ours > 0.5 / 65535).sum())
    report["megabytes of 16-bit probabilities"] = round(2e-6 * sizes + 8e-6 * count, 1)
    return report


if __name__ == "__main__":
    main()
