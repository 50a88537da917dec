"""Whether a separate network for races helps: trained here, and judged beside the others.

    python -m experiments.backgammon.race [--groups 20000] [--positions 2000]

Its targets are lookahead targets, the mean over the 21 rolls of the best reply, in the first round
by `selfplay` and then by itself; where both sides bear off they are those of exact tables.
It is judged on positions without contact in which at least one side is not yet home, by bgsage two
plies ahead. All on the CPU, in about five minutes of processor time.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from ludus.learn import fit
from ludus.learn.gammon import (
    ChancesTrainer,
    ExpertConfig,
    ExpertTraining,
    list_moves,
    load_shipped_chances,
)

from .errors import add_losses, draw_positions, judge_moves, summarize
from .kinds import BATCH, PLIES, classify
from .matches import draw_dice
from .movers import Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "race.json"
FIRST_SEED = 3_000_000
PLAYERS = ("gnubg", "sage", "expert", "selfplay")
GROUP = 4
GAMES = 500
RANDOM_RATE = 0.05


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2000, help="training steps of a round")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--weights", type=Path, help="file for the network")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    began = time.process_time()
    groups = draw_groups(arguments.groups)
    config = ExpertConfig(
        hidden=(128,), batch=2048, steps=arguments.steps, ema_decay=0.99, threads=1
    )
    trainer = ChancesTrainer(config, torch.device("cpu"))
    network = load_shipped_chances("selfplay")
    for number in range(arguments.rounds):
        labels = network.to_native().evaluate(groups.reshape(-1, 52), 1).reshape(-1, GROUP, 5)
        print(f"labels of round {number + 1}: {time.process_time() - began:.0f} s", flush=True)
        run = fit(ExpertTraining(config, (groups, labels), trainer))
        network = trainer.averaged.export(training="races")
        loss = run.history[-1]["loss/labels"]
        print(f"loss {loss:.2e}: {time.process_time() - began:.0f} s", flush=True)
    if arguments.weights:
        network.save(arguments.weights)
    seconds = time.process_time() - began
    rows, dice = draw_races(arguments.positions)
    ends = {name: make_mover(name)(rows, dice) for name in PLAYERS}
    ends["race"] = network.to_native().choose(rows, dice)
    losses = judge_moves(rows, dice, ends, PLIES)
    results = add_losses({"positions": 0, "players": {}}, losses)
    gained = losses["selfplay"] - losses["race"]
    results["gained"] = {
        "mean": float(gained.mean()),
        "margin": float(1.96 * gained.std() / len(gained) ** 0.5),
    }
    results["training_seconds"] = round(seconds)
    arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    print(summarize(results), results["gained"])


def draw_groups(count: int) -> Rows:
    """Return alternatives of decisions in races, shape (count, 4, 52), from games of `selfplay`."""
    rng = np.random.default_rng(31)
    network = load_shipped_chances("selfplay").to_native()
    start, _ = draw_positions(GAMES, FIRST_SEED)
    rows = start.copy()
    found: list[Rows] = []
    while len(found) < count:
        dice = draw_dice(rng, len(rows), is_opening=False)
        listed, offsets = list_moves(rows, dice)
        ends = network.choose(rows, dice)
        for number in np.flatnonzero(np.diff(offsets) > 1):
            if is_race(rows[number]):
                options = listed[offsets[number] : offsets[number + 1]]
                others = options[rng.permutation(len(options))[: GROUP - 1]]
                group = np.concatenate((ends[number][None], others))
                group = np.concatenate((group, group[:1].repeat(GROUP - len(group), axis=0)))
                if (group[:, 1:26] > 0).any(axis=1).all():  # no game has ended
                    found.append(group)
            if rng.random() < RANDOM_RATE:
                ends[number] = listed[rng.integers(offsets[number], offsets[number + 1])]
        over = ~(ends[:, 1:26] > 0).any(axis=1)
        rows = np.ascontiguousarray(ends[:, ::-1])
        rows[over] = start[over]
    return np.array(found[:count])


def is_race(row: Rows) -> bool:
    """Return whether the sides have passed each other, and one of them is not yet home."""
    own = np.flatnonzero(row[1:26])
    other = np.flatnonzero(row[26:51])
    is_past = own[-1] + 1 < other[0]
    return bool(is_past and (own[-1] + 1 > 6 or other[0] < 19))


def draw_races(count: int) -> tuple[Rows, Rows]:
    """Return race positions and their rolls, from games like those of `errors`."""
    found: list[tuple[Rows, Rows]] = []
    while sum(len(rows) for rows, _ in found) < count:
        rows, dice = draw_positions(BATCH, FIRST_SEED + 1 + len(found))
        chosen = [number for number, row in enumerate(rows) if classify(row) == "race"]
        found.append((rows[chosen], dice[chosen]))
    all_rows, all_dice = (np.concatenate(part)[:count] for part in zip(*found, strict=True))
    return all_rows, all_dice


if __name__ == "__main__":
    main()
