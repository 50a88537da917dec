"""Solve a whole game on one GPU, count the values, and derive every value twice.

    PYTHONPATH=src python -m experiments.solving.on_gpu standard [--no-verify] > standard.json

Needs numpy and a CUDA toolkit, nothing else: it also runs where Ludus is not installed. The
library is built on the first run; `seconds` is the time from the start of the process to the
last count, without that build.
"""

import json
import sys
import time

STARTED = time.time()

from ludus.cuda import build_library  # noqa: E402
from ludus.games.nine_mens_morris import (  # noqa: E402 - the clock runs first
    DRAW,
    PRESETS,
    RESULT_NAMES,
    Rules,
    classify,
)
from ludus.oracles import (  # noqa: E402
    CudaSolver,
    TableReferences,
    all_sectors,
    sides_to_move,
    start_sector,
    subspace_of,
)


def main() -> None:
    preset = sys.argv[1]
    verify = "--no-verify" not in sys.argv
    building = time.time()
    build_library("solver")
    build_seconds = time.time() - building
    report = solve(PRESETS[preset], verify)
    seconds = time.time() - STARTED - build_seconds
    print(json.dumps({"preset": preset, "seconds": round(seconds, 2), **report}))


def solve(rules: Rules, verify: bool) -> dict[str, object]:
    """Solve, count and verify sector by sector; tables are freed when no longer needed."""
    solver = CudaSolver(rules)
    sectors = all_sectors(rules)
    needs = TableReferences(rules, sectors)
    wrong, slots, clock = 0, 0, {"solve": 0.0, "verify": 0.0, "count": 0.0}
    rows = []
    root = DRAW
    for sector in sectors:
        began = time.time()
        solver.solve(sector)
        clock["solve"] += time.time() - began
        began = time.time()
        wrong += solver.verify(sector) if verify else 0
        clock["verify"] += time.time() - began
        began = time.time()
        for x_to_move in sides_to_move(rules, sector):
            names = subspace_of(sector, x_to_move)._asdict()
            rows.append({**names, **solver.tally(sector, x_to_move)})
            num_rows, num_cols = solver.shape(sector)
            slots += num_rows * num_cols
        clock["count"] += time.time() - began
        if sector == start_sector(rules):
            values = solver.values(sector, x_to_move=True)
            assert values is not None
            root = int(values[0])
        needs.release(sector, solver.drop)
        if sys.stderr.isatty():
            print(f"\r{slots / 1e9:.1f} billion slots", end="", file=sys.stderr)
    return {
        "root": RESULT_NAMES[classify(root)],
        "root_depth": None if root == DRAW else root,
        "slots": slots,
        "wrong": wrong if verify else None,
        "clock": {name: round(seconds, 2) for name, seconds in clock.items()},
        "subspaces": rows,
    }


if __name__ == "__main__":
    main()
