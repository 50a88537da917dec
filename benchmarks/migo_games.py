"""MIGO: processor time of a game that is played and learned from.

python benchmarks/migo_games.py [--json]
"""

import json
import sys

from ludus.games import game
from ludus.learn import PerfectOpponent, train_learner
from ludus.learn.migo import MigoLearner, MigoOptions

WANTED = {"noughts_and_crosses": 10.0, "hexapawn": 10.0, "hexapawn:size=4": 100.0}
"""Milliseconds a game that we allow ourselves; Muggleton and Hocquette's files have 64, 2, 5200."""

GAMES = 200
RUNS = 5


def main() -> int:
    found = {
        f"{spec}, {mode}": measure_milliseconds(spec, mode)
        for spec in WANTED
        for mode in ("faithful", "improved")
    }
    if "--json" in sys.argv[1:]:
        print(json.dumps({"milliseconds": found}))
    else:
        print("MIGO, milliseconds a game, played and learned from")
        for name, taken in found.items():
            print(f"  {name:<32}{taken:10.2f}   wanted < {WANTED[name.partition(',')[0]]:g}")
    return 0 if all(taken < WANTED[name.partition(",")[0]] for name, taken in found.items()) else 1


def measure_milliseconds(spec: str, mode: str) -> float:
    """Return the mean over several runs, each with a new learner."""
    played = game(spec)
    opponent, total = PerfectOpponent(played), 0.0
    for seed in range(RUNS):
        learner = MigoLearner(played, MigoOptions(mode=mode))  # type: ignore[arg-type]
        total += sum(train_learner(learner, GAMES, seed, opponent=opponent).seconds)
    return 1000 * total / (RUNS * GAMES)


if __name__ == "__main__":
    sys.exit(main())
