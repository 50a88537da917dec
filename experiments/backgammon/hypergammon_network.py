"""A network for hypergammon, trained on its exact values, and its exact regret.

    python -m experiments.backgammon.hypergammon_network --oracle DIR [--weights FILE]

The inputs and the loss are those of `expert`; the labels are the chances of the solved game. The
regret is that over the same positions as in `hypergammon`, which are not trained on.
"""

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np

from ludus.learn import fit
from ludus.learn.gammon import ExpertConfig, ExpertTraining, list_moves
from ludus.oracles import TableFolder

from .hypergammon import draw_positions, look_up
from .movers import Rows

RESULTS = Path(__file__).parent / "results" / "hypergammon_network.json"
TRAINING_SEED = 12
GROUP = 4


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--groups", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--weights", type=Path, help="file for the network")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    began = time.process_time()
    tables = TableFolder.open(arguments.oracle)
    groups = draw_groups(tables, arguments.groups)
    labels = label(tables, groups.reshape(-1, 52)).reshape(-1, GROUP, 5)
    print(f"{len(groups)} groups: {time.process_time() - began:.0f} s", flush=True)
    config = ExpertConfig(
        hidden=(128, 32), batch=2048, steps=arguments.steps, device="cpu", threads=1
    )
    training = ExpertTraining(config, (groups, labels))
    fit(training, on_progress=lambda each: print(f"{each.fraction:.0%}", each.metrics, flush=True))
    seconds = time.process_time() - began
    network = training.trainer.averaged.export(training="hypergammon")
    if arguments.weights:
        network.save(arguments.weights)
    rows, dice = draw_positions(arguments.positions)
    listed, offsets = list_moves(rows, dice)
    best = np.maximum.reduceat(look_up(tables, listed), offsets[:-1])
    results = {"positions": len(rows), "sizes": network.name, "seconds": round(seconds)}
    for depth in (0, 1):
        regret = best - look_up(tables, network.to_native().choose(rows, dice, depth))
        results[f"ply {depth}"] = {
            "mean": round(float(regret.mean()), 5),
            "margin": round(float(1.96 * regret.std() / len(regret) ** 0.5), 5),
        }
        print(results, flush=True)
    arguments.results.write_text(json.dumps(results, indent=1) + "\n")


def draw_groups(tables: TableFolder, count: int) -> Rows:
    """Return the best move and others of decisions in random games, shape (groups, 4, 52)."""
    rng = np.random.default_rng(TRAINING_SEED)
    rows, dice = draw_positions(count, TRAINING_SEED)
    listed, offsets = list_moves(rows, dice)
    values = look_up(tables, listed)
    is_over = np.logical_not((listed[:, 1:26] > 0).any(axis=1))
    found = []
    for begin, end in itertools.pairwise(offsets):
        if not is_over[begin:end].any():
            others = rng.integers(begin, end, GROUP - 1)
            found.append([begin + int(np.argmax(values[begin:end])), *others])
    groups: Rows = listed[np.array(found)]
    return groups


def label(tables: TableFolder, boards: Rows) -> np.ndarray:
    """Return the exact chances of the side that has just moved, shape (boards, 5)."""
    ranks = tables.extent.rank(boards[:, 51:25:-1]), tables.extent.rank(boards[:, :26])
    found = tables.chances(*ranks)
    assert found is not None
    # Those of the side to move: to win, then gammons and backgammons won and lost.
    turned = np.stack((1 - found[:, 0], *(found[:, n] for n in (3, 4, 1, 2))), axis=1)
    return np.ascontiguousarray(turned, np.float32)


if __name__ == "__main__":
    main()
