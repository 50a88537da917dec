"""Processor time of a move of the strong networks, by plies of lookahead.

python -m experiments.backgammon.speed
"""

import argparse
import json
import time
from pathlib import Path

from ludus.learn.gammon import load_shipped_chances

from .errors import draw_positions

RESULTS = Path(__file__).parent / "results" / "speed.json"
POSITIONS = {0: 2000, 1: 100, 2: 5}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    rows, dice = draw_positions(max(POSITIONS.values()), seed=0)
    results = {}
    for name in ("expert", "selfplay"):
        network = load_shipped_chances(name).to_native()
        network.choose(rows, dice)  # tables of bearing off are made on first use
        for depth, count in POSITIONS.items():
            began = time.process_time()
            network.choose(rows[:count], dice[:count], depth)
            seconds = (time.process_time() - began) / count
            results[f"{name}:{depth}"] = {"milliseconds": round(1000 * seconds, 3)}
    arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    print(results)


if __name__ == "__main__":
    main()
