"""Solve hypergammon on one GPU, verify it, and compare it with a sample computed on a CPU.

    PYTHONPATH=src python -m experiments.solving.backgammon_on_gpu [--men 4] [--sample FILE]

Needs numpy and a CUDA toolkit, nothing else. The library is built on the first run; `seconds` is
the time from the start of the process to the tables in main memory, without that build and
without verification. `--write-sample FILE` writes a sample on a machine with compiled modules.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

STARTED = time.time()

import numpy as np  # noqa: E402 - the clock runs first

from ludus.cuda import build_library  # noqa: E402
from ludus.oracles import CudaHypergammon  # noqa: E402

SAMPLE = Path(__file__).parent / "results" / "hypergammon_sample.npz"
SAMPLE_SIZE = 20_000
EQUITY_TOLERANCE, CHANCE_TOLERANCE = 1e-7, 5e-7


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--men", type=int, default=3)
    parser.add_argument("--sample", type=Path, default=SAMPLE)
    parser.add_argument("--write-sample", type=Path)
    arguments = parser.parse_args()
    if arguments.write_sample:
        write_sample(arguments.write_sample)
        return
    building = time.time()
    build_library("hypergammon")
    build_seconds = time.time() - building
    report, equities, chances = solve(arguments.men)
    report["seconds"] = round(time.time() - STARTED - build_seconds - report.pop("verifying"), 2)
    if arguments.men == 3 and arguments.sample.exists():
        report |= compare(arguments.sample, equities, chances)
    print(json.dumps(report))


def solve(men: int) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    clock = {}
    began = time.time()
    solver = CudaHypergammon(men)
    clock["setup"] = time.time() - began
    sweeps = {}
    for name, sweep, tolerance in (
        ("equity", solver.sweep, EQUITY_TOLERANCE),
        ("chances", solver.sweep_chances, CHANCE_TOLERANCE),
    ):
        began = time.time()
        if name == "chances":
            solver.choose()
        sweeps[name] = 1
        while (change := sweep()) > tolerance:
            sweeps[name] += 1
            if sys.stderr.isatty():
                print(f"\r{name}: {change:.1e}  ", end="", file=sys.stderr)
        clock[name] = time.time() - began
    began = time.time()
    equities, chances = solver.equities(), solver.chances()
    clock["reading"] = time.time() - began
    began = time.time()
    errors = solver.find_errors()
    verifying = time.time() - began
    report: dict[str, Any] = {
        "men": men,
        "positions": equities.size,
        "sweeps": sweeps,
        "clock": {name: round(seconds, 2) for name, seconds in clock.items()},
        "verify_seconds": round(verifying, 2),
        "largest_errors": errors,
        "verifying": verifying,
    }
    return report, equities, chances


def compare(path: Path, equities: np.ndarray, chances: np.ndarray) -> dict[str, object]:
    """Return the largest differences from the sample."""
    sample = np.load(path)
    slots = sample["slots"]
    return {
        "compared": len(slots),
        "equity_difference": float(np.abs(equities.reshape(-1)[slots] - sample["equities"]).max()),
        "chance_difference": float(
            np.abs(chances.reshape(5, -1)[:, slots] - sample["chances"]).max()
        ),
    }


def write_sample(path: Path) -> None:
    """Solve on the CPU and write some positions chosen at random."""
    from ludus.oracles import EquityRun, Extent

    found = EquityRun(Extent("hypergammon", 3), threads=2).run()
    assert found.chances is not None
    slots = np.random.default_rng(1).choice(found.equities.size, SAMPLE_SIZE, replace=False)
    np.savez_compressed(
        path,
        slots=np.sort(slots),
        equities=found.equities.reshape(-1)[np.sort(slots)],
        chances=found.chances.reshape(5, -1)[:, np.sort(slots)],
    )


if __name__ == "__main__":
    main()
