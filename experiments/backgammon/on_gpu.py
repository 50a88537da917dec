"""Train both strong networks on one GPU: by self-play, and on the labels of bgsage.

    PYTHONPATH=src python -m experiments.backgammon.on_gpu --out DIR

Needs Ludus with torch, bgsage and a CUDA toolkit. After TD(lambda) the games of the
self-play network give the positions that bgsage labels in other processes; both networks are then
trained at the same time.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.arena import LocalPool
from ludus.learn import Training, fit
from ludus.learn.gammon import (
    ChancesTrainer,
    ExpertConfig,
    ExpertTraining,
    LibraryAfterstates,
    Predictor,
    SelfplayConfig,
    SelfplayTraining,
    compute_equity,
    draw_groups,
    label_in_parallel,
)

NUM_TEST_GROUPS = 50_000

ROUNDS_AT_ONCE = 200
"""Rounds of lookahead between two files of the network."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("/dev/shm/gammon"))
    parser.add_argument("--library", type=Path, help="built library, for tests on a CPU")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--groups", type=int, default=3_600_000)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument(
        "--options", type=json.loads, default={}, help='{"selfplay": {…}, "expert": {…}}'
    )
    parser.add_argument("--expert", action="store_true")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.work.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    (train_expert if arguments.expert else train_both)(arguments)


def make_trainer(
    arguments: argparse.Namespace, config: SelfplayConfig | ExpertConfig
) -> ChancesTrainer:
    library = arguments.library
    afterstates = LibraryAfterstates(library, 1) if library else None
    return ChancesTrainer(config, torch.device(arguments.device), afterstates)


class Log:
    def __init__(self, path: Path) -> None:
        self._file = path.open("a")
        self._began = time.monotonic()

    def write(self, **fields: object) -> None:
        line = json.dumps({"clock": round(time.monotonic() - self._began, 1), **fields})
        print(line, file=self._file, flush=True)
        print(line, flush=True)

    def run(self, training: Training[Any], steps: float = math.inf) -> None:
        """Train for this number of steps, or to the end, and write the curves."""
        fit(training, steps=steps, on_progress=lambda each: self.write(**vars(each)))


def train_both(arguments: argparse.Namespace) -> None:
    log = Log(arguments.out / "selfplay.log")
    config = SelfplayConfig(**arguments.options.get("selfplay", {}))
    trainer = make_trainer(arguments, config)
    log.write(event="ready", inputs=trainer.afterstates.num_inputs)
    training = SelfplayTraining(config, trainer)
    log.run(training, config.td_rounds)
    training.export().save(arguments.out / "td.safetensors")
    batches = training.selfplay.batches
    count = arguments.groups + NUM_TEST_GROUPS
    groups = draw_groups(batches, trainer.predictor(), trainer.generator, count)
    np.save(arguments.work / "groups.npy", groups)
    log.write(event="groups", count=len(groups))
    expert = subprocess.Popen([sys.executable, "-m", __spec__.name, "--expert", *sys.argv[1:]])
    threads = trainer.afterstates.threads
    trainer.afterstates.threads = max(1, threads - arguments.processes)
    while not training.run.is_finished:
        log.run(training, ROUNDS_AT_ONCE)
        training.export().save(arguments.out / "selfplay.safetensors")
        if (arguments.work / "labels.npy").exists():
            trainer.afterstates.threads = threads
    log.write(event="saved")
    expert.wait()
    groups, labels = (np.load(arguments.work / f"{name}.npy") for name in ("groups", "labels"))
    log.write(event="test", **test_choices(trainer, groups, labels))


def train_expert(arguments: argparse.Namespace) -> None:
    log = Log(arguments.out / "expert.log")
    groups = np.load(arguments.work / "groups.npy")
    boards = groups.reshape(-1, groups.shape[-1])
    with LocalPool(arguments.processes) as pool:
        labels = np.concatenate(list(label_in_parallel(boards, pool)))
    labels = labels.reshape(*groups.shape[:2], -1)
    np.save(arguments.work / "labels.tmp.npy", labels)
    (arguments.work / "labels.tmp.npy").rename(arguments.work / "labels.npy")
    log.write(event="labelled", boards=labels.size // 5)
    config = ExpertConfig(**arguments.options.get("expert", {}))
    trainer = make_trainer(arguments, config)
    training = ExpertTraining(config, (groups[NUM_TEST_GROUPS:], labels[NUM_TEST_GROUPS:]), trainer)
    log.run(training)
    training.export().save(arguments.out / "expert.safetensors")
    log.write(event="test", **test_choices(trainer, groups, labels))


def test_choices(
    trainer: ChancesTrainer, groups: np.ndarray, labels: np.ndarray
) -> dict[str, float]:
    """Compare with the expert on groups that were not trained on."""
    boards = torch.from_numpy(groups[:NUM_TEST_GROUPS].reshape(-1, 52)).to(trainer.device)
    predictor = Predictor(trainer.averaged, trainer.afterstates)
    ours = compute_equity(predictor.predict(boards)).cpu().reshape(-1, groups.shape[1])
    theirs = compute_equity(torch.from_numpy(labels[:NUM_TEST_GROUPS]))
    chosen = theirs.gather(1, ours.argmax(dim=1, keepdim=True))[:, 0]
    return {
        "equity_error": float(((ours - theirs) ** 2).mean().sqrt()),
        "loss_per_choice": float((theirs.max(dim=1).values - chosen).mean()),
    }


if __name__ == "__main__":
    main()
