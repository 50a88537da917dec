"""Training runs of the strong networks that can be interrupted and resumed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.core.errors import quote
from ludus.core.executors import TaskExecutor
from ludus.core.files import make_folder
from ludus.learn.common.checkpoint import resume_checkpoint, save_checkpoint
from ludus.learn.common.weights import BadWeights, read_npz, write_npz
from ludus.learn.gammon.afterstates import ROW, Rows
from ludus.learn.gammon.chances_model import (
    NUM_CHANCES,
    ChancesModel,
    Predictor,
    is_over,
    list_layers,
    set_layers,
)
from ludus.learn.gammon.chances_network import ChancesNetwork
from ludus.learn.gammon.chances_training import (
    ChancesTrainer,
    SelfplayTraining,
    TrainingProgress,
    train_on_labels,
)
from ludus.learn.gammon.expert_labels import label_in_parallel
from ludus.learn.gammon.selfplay import GROUP, GameBatch

MODEL_PART = "model"
GROUPS_PER_FILE = 50_000


class TrainingState:
    """The file of an unfinished run: weights, optimizer state, and how much is done."""

    def __init__(self, file: Path, trainer: ChancesTrainer, way: str) -> None:
        self._file, self._trainer = file, trainer
        self._identity = {"way": way, "settings": asdict(trainer.settings)}

    def save(self, **done: int) -> None:
        about = {**self._identity, "steps": self._trainer.optimizer.steps, "done": done}
        save_checkpoint(self._file, about, self._trainer.optimizer.state_parts(MODEL_PART))

    def load(self) -> dict[str, int]:
        """Restore the trainer if there is a file; return how much was done."""
        if not self._file.exists():
            return {}
        with resume_checkpoint(self._file, self._identity) as (about, parts):
            self._trainer.optimizer.restore(parts, MODEL_PART)
            self._trainer.optimizer.steps = int(about["steps"])
            return {str(part): int(count) for part, count in about["done"].items()}

    def remove(self) -> None:
        self._file.unlink(missing_ok=True)


def run_selfplay(
    trainer: ChancesTrainer,
    state: TrainingState,
    save_every: int,
    executor: TaskExecutor | None = None,
) -> Iterator[TrainingProgress]:
    """Train by self-play, resuming an interrupted run; yield progress after every round.

    With an executor its workers compute the lookahead targets.
    """
    training = SelfplayTraining(trainer, state.load(), executor)
    for number, progress in enumerate(training.run(), 1):
        yield progress
        if number % save_every == 0:
            state.save(**training.done)
    state.save(**training.done)


def run_labels(
    trainer: ChancesTrainer,
    state: TrainingState,
    groups: Rows,
    labels: NDArray[np.float32],
    save_every: int,
) -> Iterator[TrainingProgress]:
    """Train on an expert's labels, resuming an interrupted run; yield progress now and then."""
    done = state.load().get("labels", 0)
    for number, progress in enumerate(train_on_labels(trainer, groups, labels, done), 1):
        yield progress
        if number % save_every == 0:
            state.save(labels=progress.done)
    state.save(labels=trainer.settings.label_steps)


def export_network(model: ChancesModel, **description: Any) -> ChancesNetwork:
    """Return a model's weights as the network that plays."""
    return ChancesNetwork(tuple(list_layers(model)), description)


def load_model(network: ChancesNetwork, device: torch.device) -> ChancesModel:
    """Return a network that plays as a model."""
    sizes = [len(biases) for _, biases in network.layers]
    model = ChancesModel(len(network.layers[0][0]), tuple(sizes[:-1])).to(device)
    set_layers(model, network.layers)
    return model


class LabelledGroups:
    """A folder of alternatives with an expert's labels, 50,000 decisions a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, number: int) -> Path:
        return self.folder / f"groups-{number:05}.npz"

    def extend(
        self,
        count: int,
        network: ChancesNetwork,
        trainer: ChancesTrainer,
        executor: TaskExecutor,
        plies: int,
    ) -> Iterator[int]:
        """Label groups of games of a network with itself until there are enough.

        Yield the number of groups after every file.
        """
        make_folder(self.folder)
        predictor = Predictor(load_model(network, trainer.device), trainer.afterstates)
        for number in range((count + GROUPS_PER_FILE - 1) // GROUPS_PER_FILE):
            size = min(GROUPS_PER_FILE, count - number * GROUPS_PER_FILE)
            if not self._file(number).exists():
                groups = _draw_groups(trainer, predictor, size, number)
                found = label_in_parallel(groups.reshape(-1, ROW), executor, plies)
                labels = np.concatenate(list(found)).reshape(size, GROUP, NUM_CHANCES)
                write_npz(self._file(number), {"groups": groups, "labels": labels})
            yield number * GROUPS_PER_FILE + size

    def read(self, count: int) -> tuple[Rows, NDArray[np.float32]]:
        """Return groups (n, 4, 52) and labels (n, 4, 5)."""
        files = [self._file(n) for n in range((count + GROUPS_PER_FILE - 1) // GROUPS_PER_FILE)]
        parts = [read_npz(file, _parse_groups) for file in files]
        groups, labels = (np.concatenate(part)[:count] for part in zip(*parts, strict=True))
        return groups, labels


def _parse_groups(arrays: dict[str, NDArray[Any]]) -> tuple[Rows, NDArray[np.float32]]:
    groups, labels = arrays["groups"], arrays["labels"]
    fits = groups.shape[1:] == (GROUP, ROW) and labels.shape == (len(groups), GROUP, NUM_CHANCES)
    if not fits or groups.dtype != np.int8 or not np.isfinite(labels).all():
        raise BadWeights(f"it has no groups and labels but {quote(str(groups.shape))}")
    return groups, labels.astype(np.float32)


def _draw_groups(trainer: ChancesTrainer, predictor: Predictor, count: int, number: int) -> Rows:
    """Play games, and return alternatives of decisions, shape (groups, 4, 52)."""
    settings = trainer.settings
    with ThreadPoolExecutor(1) as executor:
        batch = GameBatch(
            settings.games,
            trainer.afterstates,
            executor,
            (settings.seed, number),
            settings.random_rate,
            settings.opening_plies,
        )
        found: list[Rows] = []
        # A few moves of many games are much alike, so every game is played for a while.
        step = max(1, settings.games * 60 // count)
        while sum(map(len, found)) < count:
            groups = batch.play(predictor, trainer.device, with_groups=True).groups
            assert groups is not None
            over = is_over(groups.flatten(0, 1)).reshape(-1, GROUP)
            found.append(groups[~over.any(dim=1)][::step].cpu().numpy())
    return np.concatenate(found)[:count]
