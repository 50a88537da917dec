"""What is given away where bearing off is estimated: chances by one side's rolls, cube by Janowski.

    python -m experiments.backgammon.bearoff_errors                     # at most 9 men a side, 20 s
    python -m experiments.backgammon.bearoff_errors --exact exact.npz   # 15, from bearoff_on_gpu

The positions are those from games in the sample of `bearoff_on_gpu`, before a roll, the cube in the
middle. Errors are points of the present cube, for money.
"""

import argparse
import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.games.backgammon import Chances, CubeEquities, evaluate_cube
from ludus.oracles import roll_distributions

from .bearoff_on_gpu import (
    MEN,
    NUM_FROM_GAMES,
    POINTS,
    SAMPLE,
    approximate,
    describe,
    look_up_cubes,
)

RESULTS = Path(__file__).parent / "results" / "bearoff_errors.json"
SOLVED_MEN = 9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--exact", type=Path, help="equities of the sample from bearoff_on_gpu")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    sample = dict(np.load(arguments.exact or SAMPLE))
    own, other = (sample[name][-NUM_FROM_GAMES:] for name in ("own", "other"))
    if arguments.exact is None:
        men = SOLVED_MEN
        few = comb(men + POINTS, POINTS)
        own, other = (side[(own < few) & (other < few)] for side in (own, other))
        exact = look_up_cubes(men, own, other)
    else:
        men, exact = MEN, sample["equities"][-NUM_FROM_GAMES:]
    found = roll_distributions()
    rolls = np.stack([found.all_off, found.first_off]).astype(np.float64)
    estimated = approximate(rolls, own, other)
    report = {
        "positions": len(own),
        "men": men,
        "one-sided": describe(estimated - exact[:, 0]),
        "cube": compare_cubes(estimated, exact),
    }
    arguments.results.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report))


def compare_cubes(estimated: np.ndarray, exact: np.ndarray) -> dict[str, Any]:
    """Return what Janowski's doubles and takes from estimated chances give away."""
    game = ludus.game("backgammon:money,jacoby=no,resign=no")
    position = game.parse("6:1,off:14 6:1,off:14 0 cube 1")  # only the cube matters
    doubles, takes, errors = [], [], []
    for equity, (_, _, centred, theirs) in zip(estimated, exact, strict=True):
        right = CubeEquities(float(centred), 2 * float(theirs))
        ours = evaluate_cube(position, Chances((1 + equity) / 2))
        answered = right.double_take if ours.is_take else right.double_drop
        played = min(right.double_take, right.double_drop) if ours.is_double else right.no_double
        doubles.append(right.best - played)
        takes.append(answered - min(right.double_take, right.double_drop))
        errors.append(ours.no_double - right.no_double)
    return {
        "doubles give away": float(np.mean(doubles)),
        "takes give away": float(np.mean(takes)),
        "wrong doubles": float(np.mean(np.array(doubles) > 1e-3)),
        "wrong takes": float(np.mean(np.array(takes) > 1e-3)),
        "equity of not doubling": describe(np.array(errors)),
    }


if __name__ == "__main__":
    main()
