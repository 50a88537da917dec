"""Time of a training step of each learner, also beside another version of Ludus.

python benchmarks/training_steps.py [LEARNER…] [--steps 20] [--device cuda] [--compare TREE]

TREE is a built checkout of another version. Both versions train in processes that wait for each
other, so their steps alternate: the ratio is the median of all rounds, with an interval of 95%.
Data are random or shipped; none are generated.
"""

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

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


def train_scholar(device: str, steps: int) -> Any:
    """Yield after every ten steps of a scorer, full on a GPU, by the tree's own benchmark."""
    import torch

    benchmark: Any = import_module("scholar_training")
    size, optimizer = ("full", "muon") if device == "cuda" else ("tiny", "adam")
    options = {"buffer_size": benchmark.BUFFER_SIZE, "optimizer": optimizer}
    if IS_FORMER:
        former: Any = import_module("ludus.learn.scholar.train")
        config = dataclasses.replace(former.load_scorer_preset(size, 0), **options)
        training = benchmark.RandomTraining(None, config, torch.device(device))
    else:
        config = benchmark.load_preset("scorer", size, seed=0, **options)
        training = benchmark.RandomTrainer(config, torch.device(device))
    for _ in range(steps):
        benchmark.run_steps(training, 10)
        yield


def train_nnmm(device: str, steps: int) -> Any:
    """Yield after each epoch of a residual network, by the tree's own benchmark."""
    import torch

    benchmark: Any = import_module("nnmm_training")
    plan: Any = benchmark.load_preset("thesis")
    options = {"epochs": steps, "seconds": 0, "patience": 0}
    if device == "cpu":
        options |= {"first": 16, "units": 16, "blocks": 2}
    if IS_FORMER:
        plan = plan.with_overrides(",".join(f"{name}={each}" for name, each in options.items()))
    else:
        plan = plan.with_changes(**options)
    count = 200_000 if device == "cuda" else 20_000
    examples = [
        benchmark.make_random_examples(plan, each, torch.device(device)) for each in (count, 1000)
    ]
    trainer = benchmark.NetworkTrainer(plan.design_for(plan.steps[0]), plan.training, *examples)
    return trainer.epochs()


LEARNERS: dict[str, Callable[[str, int], Any]] = {
    "gammon": train_gammon,
    "gammon-expert": train_gammon_expert,
    "gammon-selfplay": train_gammon_selfplay,
    "nnmm": train_nnmm,
    "scholar": train_scholar,
}
"""Functions of a device and a number of steps that yield after each step."""


class Process(NamedTuple):
    """A version that trains when it is asked to."""

    program: "subprocess.Popen[str]"

    def ask(self, line: str) -> float:
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        print(line, file=self.program.stdin, flush=True)
        return float(self.program.stdout.readline() or "nan")


def start(tree: Path, device: str) -> Process:
    """Start this file with the interpreter of a checkout, if it has one, and its modules."""
    python = tree / ".venv" / "bin" / "python"
    folders = [str(tree / "src"), str(tree / "benchmarks")]
    # Without the folder of this file (-P), so that the tree's own benchmarks are imported.
    program = subprocess.Popen(
        [str(python) if python.exists() else sys.executable, "-P", __file__, "--serve", device],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Process(program)


def serve(device: str) -> None:
    """Answer each line on standard input, `LEARNER STEPS` or `STEPS`, with the seconds it took."""
    import torch

    torch.set_num_threads(1)  # threads that wait for each other take processor time
    training: Any = None
    for line in sys.stdin:
        *learner, steps = line.split()
        if learner:
            training = LEARNERS[learner[0]](device, int(steps))
            print(measure(training, device, WARMUP_STEPS), flush=True)
        else:
            print(measure(training, device, int(steps)), flush=True)


def measure(training: Iterator[Any], device: str, steps: int) -> float:
    """Return the seconds of steps: of processor time, with a GPU by the clock."""
    clock = time.perf_counter if device == "cuda" else time.process_time
    began = clock()
    for _ in islice(training, steps):
        pass
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    return clock() - began


def compare(learner: str, processes: tuple[Process, Process], steps: int, rounds: int) -> Any:
    """Return the times of both versions, their ratio, and its interval."""
    for each in processes:
        each.ask(f"{learner} {WARMUP_STEPS + rounds * steps}")
    times = []
    for number in range(rounds):
        in_order = processes if number % 2 == 0 else processes[::-1]
        found = [each.ask(str(steps)) / steps for each in in_order]
        times.append(found if number % 2 == 0 else found[::-1])
    ratios = sorted(ours / theirs for ours, theirs in times)
    # The order statistics that hold the median in 95% of samples, by the normal approximation.
    reach = 0.98 * len(ratios) ** 0.5
    low, high = int(max(len(ratios) / 2 - reach, 0)), int(len(ratios) / 2 + reach)
    return {
        "learner": learner,
        "seconds": statistics.median(ours for ours, _ in times),
        "of the other": statistics.median(theirs for _, theirs in times),
        "ratio": round(statistics.median(ratios), 4),
        "interval": [round(ratios[low], 4), round(ratios[min(high, len(ratios) - 1)], 4)],
    }


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("learners", nargs="*", metavar="LEARNER", help=", ".join(LEARNERS))
    parser.add_argument("--steps", type=int, default=2, help="in a round")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--compare", type=Path, metavar="TREE", help="checkout of another version")
    parser.add_argument("--serve", metavar="DEVICE", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.serve is not None:
        serve(arguments.serve)
        return
    with ExitStack() as stack:
        here = Path(__file__).resolve().parents[1]
        other = (arguments.compare or here).resolve()
        pair = start(here, arguments.device), start(other, arguments.device)
        for each in pair:
            stack.enter_context(each.program)
            stack.callback(each.program.kill)
        for learner in arguments.learners or LEARNERS:
            print(json.dumps(compare(learner, pair, arguments.steps, arguments.rounds)), flush=True)


if __name__ == "__main__":
    main()
