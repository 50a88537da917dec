"""Train both strong networks on one GPU: by self-play, and on the labels of bgsage.

    PYTHONPATH=src python -m experiments.backgammon.on_gpu --out DIR

Needs numpy, torch, safetensors, bgsage and a CUDA toolkit. After TD(lambda) the games of the
self-play network give the positions that bgsage labels in other processes; both networks are then
trained at the same time.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

from ludus.arena import LocalPool
from ludus.learn.gammon import (
    ChancesTrainer,
    ChancesTrainingConfig,
    LibraryAfterstates,
    Predictor,
    SelfplayTraining,
    TrainingProgress,
    compute_equity,
    label_in_parallel,
    open_afterstates,
    save_model,
    train_on_labels,
)

NUM_TEST_GROUPS = 50_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("/dev/shm/gammon"))
    parser.add_argument("--library", type=Path, help="built library, for tests on a CPU")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--groups", type=int, default=3_600_000)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--expert", action="store_true")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.work.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    (train_expert if arguments.expert else train_both)(arguments)


def make_trainer(arguments: argparse.Namespace) -> ChancesTrainer:
    device = torch.device(arguments.device)
    settings = ChancesTrainingConfig(**arguments.options)
    library = arguments.library
    afterstates = LibraryAfterstates(library, 1) if library else open_afterstates(device)
    return ChancesTrainer(settings, afterstates, device)


class Log:
    def __init__(self, path: Path) -> None:
        self._file = path.open("a")
        self._began = time.monotonic()
        self._next = 0.0

    def write(self, **fields: object) -> None:
        line = json.dumps({"clock": round(time.monotonic() - self._began, 1), **fields})
        print(line, file=self._file, flush=True)
        print(line, flush=True)

    def progress(self, each: TrainingProgress) -> None:
        if time.monotonic() - self._began >= self._next:
            self._next = time.monotonic() - self._began + 5
            self.write(
                part=each.part,
                done=each.done,
                steps=each.steps,
                games=each.games,
                loss=round(each.loss, 6),
            )


def train_both(arguments: argparse.Namespace) -> None:
    log = Log(arguments.out / "selfplay.log")
    trainer = make_trainer(arguments)
    log.write(event="ready", inputs=trainer.afterstates.num_inputs)
    training = SelfplayTraining(trainer)
    expert = None
    threads = trainer.afterstates.threads
    for each in training.run():
        if each.part == "lookahead" and expert is None:
            save(arguments.out / "td.safetensors", trainer, "TD(lambda)", each)
            groups = training.draw_groups(arguments.groups + NUM_TEST_GROUPS)
            np.save(arguments.work / "groups.npy", groups)
            log.write(event="groups", count=len(groups), games=training.num_games)
            expert = subprocess.Popen(
                [sys.executable, "-m", __spec__.name, "--expert", *sys.argv[1:]]
            )
            trainer.afterstates.threads = max(1, threads - arguments.processes)
        if (arguments.work / "labels.npy").exists():
            trainer.afterstates.threads = threads
        log.progress(each)
        if each.part == "lookahead" and each.done % 400 == 0:
            save(arguments.out / "selfplay.safetensors", trainer, "self-play", each)
    log.progress(each)
    save(arguments.out / "selfplay.safetensors", trainer, "self-play", each)
    log.write(event="saved")
    if expert is not None:
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
    trainer = make_trainer(arguments)
    training = groups[NUM_TEST_GROUPS:], labels[NUM_TEST_GROUPS:]
    for each in train_on_labels(trainer, *training):
        log.progress(each)
    save(arguments.out / "expert.safetensors", trainer, "labels of bgsage", each)
    log.write(event="test", **test_choices(trainer, groups, labels))


def save(path: Path, trainer: ChancesTrainer, source: str, progress: TrainingProgress) -> None:
    about = {"source": source, "steps": progress.steps, "games": progress.games}
    save_model(path, trainer.averaged, about)


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
