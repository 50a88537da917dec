"""Time of a training step of each learner, also beside another version of Ludus.

python benchmarks/training_steps.py gammon-expert [--steps 20] [--device cuda] [--compare PYTHON]

PYTHON is the interpreter of another version, which this file runs with in turn: the ratio is the
median of all rounds, with an interval of 95%. Data are random or shipped; none are generated.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ludus.learn.gammon

gammon: Any = ludus.learn.gammon
"""The names of two versions."""

IS_FORMER = not hasattr(gammon, "GammonTraining")
"""Whether this is the version in which each learner had a loop of its own."""

WARMUP_STEPS = 2
NUM_GROUPS = 5000
ON_CPU = {"hidden": (64, 32), "batch": 256, "games": 64, "replay": 10_000}
"""Options in place of the defaults, which need a GPU."""


def train_gammon(device: str, steps: int) -> Any:
    """Yield after each cycle over the shipped positions."""
    options = {"hidden": (24, 24), "cycles": steps, "seed": 1}
    scored, encoding = gammon.load_training_positions(), gammon.find_encoding("features")
    examples = gammon.ScoredMoves.from_positions(scored, encoding)
    if not IS_FORMER:
        return run(gammon.GammonTraining(gammon.GammonConfig(**options), examples), steps)
    rng = np.random.default_rng(1)
    network = gammon.GammonNetwork.initialise(encoding, (24, 24), rng)
    settings = gammon.GammonTrainingConfig(**options)
    return gammon.GammonTrainer(examples, network, settings).run()


def train_gammon_expert(device: str, steps: int) -> Any:
    """Yield after every hundred steps on random labels."""
    rng = np.random.default_rng(1)
    start = np.zeros(52, np.int8)
    for point, men in {24: 2, 13: 5, 8: 3, 6: 5}.items():
        start[point] = start[51 - point] = men
    groups = np.tile(start, (NUM_GROUPS, 4, 1))
    labels = rng.random((NUM_GROUPS, 4, 5), np.float32)
    if IS_FORMER:
        return gammon.train_on_labels(make_former(device, label_steps=100 * steps), groups, labels)
    options = ON_CPU if device == "cpu" else {}
    config = gammon.ExpertConfig(
        **{name: each for name, each in options.items() if name != "replay"},
        steps=100 * steps,
        device=device,
        threads=1,
    )
    return run(gammon.ExpertTraining(config, (groups, labels)), steps)


def train_gammon_selfplay(device: str, steps: int) -> Any:
    """Yield after each round: half of them of TD(lambda), half of lookahead."""
    rounds: dict[str, Any] = {"td_rounds": steps // 2, "lookahead_rounds": steps - steps // 2}
    options = {**rounds, "lookahead_boards": 256} if device == "cpu" else rounds
    if IS_FORMER:
        return gammon.SelfplayTraining(make_former(device, **options)).run()
    options |= ON_CPU if device == "cpu" else {}
    config = gammon.SelfplayConfig(**options, device=device, threads=1)
    return run(gammon.SelfplayTraining(config), steps)


def make_former(device: str, **options: Any) -> Any:
    import torch

    torch.set_num_threads(1)
    options |= ON_CPU if device == "cpu" else {}
    chosen = torch.device(device)
    settings = gammon.ChancesTrainingConfig(**options)
    return gammon.ChancesTrainer(settings, gammon.open_afterstates(chosen, 1), chosen)


def run(training: Any, steps: int) -> Iterator[None]:
    from ludus.learn import Clock

    for _ in range(steps):
        training.step(Clock())
        yield
    if training.config.model_dump().get("device") == "cuda":
        training.metrics()  # waits for the device


LEARNERS: dict[str, Callable[[str, int], Any]] = {
    "gammon": train_gammon,
    "gammon-expert": train_gammon_expert,
    "gammon-selfplay": train_gammon_selfplay,
}
"""Functions of a device and a number of steps that yield after each step."""


def measure(learner: str, device: str, steps: int) -> float:
    """Return the seconds of a step: of processor time, with a GPU by the clock."""
    clock = time.perf_counter if device == "cuda" else time.process_time
    training = LEARNERS[learner](device, WARMUP_STEPS + steps)
    for _ in range(WARMUP_STEPS):
        next(training)
    began = clock()
    for _ in training:
        pass
    return (clock() - began) / steps


def measure_elsewhere(python: str, arguments: argparse.Namespace) -> float:
    """Return the seconds of a step in a process of this interpreter."""
    line = [python, __file__, arguments.learner, "--steps", str(arguments.steps)]
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        [*line, "--device", arguments.device], env=environment, check=True, capture_output=True
    )
    return float(json.loads(done.stdout)["seconds"])


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("learner", choices=LEARNERS)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--compare", metavar="PYTHON", help="interpreter of another version")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args(words)
    if arguments.compare is None:
        seconds = measure(arguments.learner, arguments.device, arguments.steps)
        print(json.dumps({"learner": arguments.learner, "seconds": seconds}))
        return
    pythons = (sys.executable, arguments.compare)
    times = [
        [measure_elsewhere(each, arguments) for each in pythons] for _ in range(arguments.rounds)
    ]
    ratios = sorted(ours / theirs for ours, theirs in times)
    # The order statistics that hold the median in 95% of samples, by the normal approximation.
    reach = 0.98 * len(ratios) ** 0.5
    low, high = int(max(len(ratios) / 2 - reach, 0)), int(len(ratios) / 2 + reach)
    report = {
        "learner": arguments.learner,
        "seconds": statistics.median(ours for ours, _ in times),
        "of the other": statistics.median(theirs for _, theirs in times),
        "ratio": round(statistics.median(ratios), 4),
        "interval": [round(ratios[low], 4), round(ratios[min(high, len(ratios) - 1)], 4)],
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
