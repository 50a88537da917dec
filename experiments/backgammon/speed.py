"""Processor time of a move, of positions in batches; the strong networks by plies of lookahead.

python -m experiments.backgammon.speed [--players expert,selfplay]
"""

import argparse
import json
import os
import time
from pathlib import Path

from .errors import draw_positions
from .movers import make_mover

RESULTS = Path(__file__).parent / "results" / "speed.json"
STRONG = ("expert", "selfplay")
OTHERS = ("paper", "pubeval", "gnubg", "sage")
POSITIONS = {0: 2000, 1: 100, 2: 5}
FEW = 10
"""Moves that are not timed: tables of bearing off are made and programs started on first use."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", default=",".join(STRONG + OTHERS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    path: Path = arguments.results
    results = json.loads(path.read_text()) if path.exists() else {}
    rows, dice = draw_positions(max(POSITIONS.values()), seed=0)
    for name in arguments.players.split(","):
        for depth in POSITIONS if name in STRONG else (0,):
            count = POSITIONS[depth]
            mover = make_mover(f"{name}:{depth}")
            mover(rows[:FEW] if depth == 0 else rows[:1], dice[:FEW] if depth == 0 else dice[:1])
            began = read_seconds()
            mover(rows[:count], dice[:count])
            seconds = (read_seconds() - began) / count
            results[f"{name}:{depth}"] = {"milliseconds": round(1000 * seconds, 3)}
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(results)


def read_seconds() -> float:
    """Return the processor time of this process and of the programs that it has started."""
    total = time.process_time()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


if __name__ == "__main__":
    main()
