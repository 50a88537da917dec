"""Single networks trained as chapter 6 trains them, side by side, each once for a cached row."""

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.datasets import MoveBatch, augment, read_dataset
from ludus.learn import select_device
from ludus.learn.nnmm import (
    INPUT_MODELS,
    ChainStep,
    EncodedEntries,
    Examples,
    Hyperparameters,
    NetworkTrainer,
    Preset,
    load_preset,
    parse_changes,
)
from ludus.reproduce import Context

from .data import find_data_folder
from .side_by_side import MAX_STREAMS, Checkpoint, train_side_by_side
from .stored_rows import fill_cache, load_rows

Curve = dict[str, list[float]]
"""Validation accuracy in percent, validation error, and seconds since the beginning, by epoch."""

DATASET = "dataset.txt"

VALIDATION_SHARE = 20
"""The last 1 / VALIDATION_SHARE of the expanded entries selects the best network."""


@dataclass(frozen=True, slots=True)
class NetworkTask:
    """A network for a part of the move, with a preset's settings as far as the size allows."""

    context: Context
    preset: str
    part: str

    entries: int
    """It learns from the first entries of the dataset; 0 for all of them."""

    file_name: str = DATASET
    seed: int = 0

    overrides: str = ""
    """Changes of the preset, as `blocks=1,annealing=none`."""

    @property
    def settings(self) -> Preset:
        """The preset with its changes."""
        return load_preset(self.preset).with_changes(**parse_changes(self.overrides))

    @property
    def step(self) -> ChainStep:
        return next(each for each in self.settings.steps if each.name == self.part)

    @property
    def config(self) -> Hyperparameters:
        settings = self.settings.training_for(self.step)
        epochs, batch = self.context.setting("epochs"), self.context.setting("batch")
        return limit_config(settings, epochs, batch).replace(
            precision=self.context.setting("precision"),
            seed=self.context.seed + self.seed,
        )

    @property
    def key(self) -> str:
        """Everything that the curve depends on."""
        design = self.settings.design_for(self.step)
        # The words of stored rows.
        settings = repr(self.config).replace(type(self.config).__name__, "TrainingConfig", 1)
        name = f"{self.preset} {self.overrides}".rstrip()
        key = f"{name} {self.part} {self.entries} {design!r} {settings}"
        return key if self.file_name == DATASET else f"{key} {self.file_name}"

    def find_curve(self) -> Curve | None:
        """The curve, if the network is trained."""
        found: Curve | None = self.context.find_cached(self.key)
        return found

    def open_checkpoint(self, device: torch.device) -> Checkpoint:
        """Prepare the training, or resume it."""
        wanted = self.settings
        data = find_data_folder() / self.file_name
        learned, validation = make_examples(data, wanted.inputs, self.step, self.entries, device)
        stem = f"{self.preset}-{self.part}"
        if self.file_name != DATASET or self.seed:
            stem = f"{stem}-{Path(self.file_name).stem}-{self.seed}"
        if self.overrides:
            stem = f"{stem}-{zlib.crc32(self.overrides.encode()):08x}"
        file = self.context.folder("networks") / f"{stem}.safetensors"
        design = wanted.design_for(self.step)
        trainer = NetworkTrainer(design, self.config, learned, validation, self.preset)
        return Checkpoint(trainer, file, self.key)


def train_networks(
    tasks: Sequence[NetworkTask],
    device: torch.device,
    end: float = math.inf,
    max_streams: int = MAX_STREAMS,
    after_row: Callable[[NetworkTask], None] = lambda task: None,
) -> bool:
    """Train the networks that have no cached curve yet, side by side; return whether all have one.

    No epoch begins after the time `end`, by `time.monotonic`; later calls resume. Networks begin in
    the order of the tasks as far as there is room on the device.
    """
    missing = [task for task in tasks if task.find_curve() is None]
    if missing and device.type == "cuda":
        # Products of 32-bit numbers with 10 binary digits each take a third of the time.
        torch.set_float32_matmul_precision("high")
    checkpoints = [task.open_checkpoint(device) for task in missing]
    trainers = [each.trainer for each in checkpoints]
    tasks_of = {id(trainer): task for task, trainer in zip(missing, trainers, strict=True)}

    def store(trainer: NetworkTrainer) -> None:
        task = tasks_of[id(trainer)]
        task.context.cached(task.key, lambda: make_curve(trainer))
        after_row(task)

    for trainer in trainers:
        if trainer.is_finished:  # by a run that ended before it stored the curve
            store(trainer)
    for trainer, epoch in train_side_by_side(trainers, end, max_streams, checkpoints):
        task = tasks_of[id(trainer)]
        task.context.progress(epoch.number, trainer.config.epochs, f"{task.preset}, {task.part}")
        if trainer.is_finished:
            store(trainer)
    return all(task.find_curve() is not None for task in tasks)


def load_or_train_networks(context: Context, tasks: Sequence[NetworkTask]) -> list[Curve | None]:
    """Return the curves of networks; those not cached are trained side by side.

    In a size that does not train, curves are those of `networks.json`, and None where it has none.
    """
    if context.setting("trains"):
        train_networks(tasks, select_device(context.device, context.jobs))
    else:
        fill_cache(context, load_rows())
    return [task.find_curve() for task in tasks]


def make_curve(trainer: NetworkTrainer) -> Curve:
    history = [asdict(epoch) for epoch in trainer.history]
    return {
        "accuracy": [100 * epoch["accuracy"] for epoch in history],
        "error": [epoch["validation_loss"] for epoch in history],
        "seconds": [epoch["seconds"] for epoch in history],
    }


def limit_config(settings: Hyperparameters, epochs: int, batch: int) -> Hyperparameters:
    """Limit the epochs and the batch size; 0 sets no limit.

    With few examples a large batch would leave an epoch few steps.
    """
    return settings.replace(
        epochs=min(epochs or settings.epochs, settings.epochs),
        batch=min(batch or settings.batch, settings.batch),
    )


@lru_cache(maxsize=16)
def make_examples(
    data: Path, inputs: str, step: ChainStep, entries: int, device: torch.device
) -> tuple[Examples, Examples]:
    """Return training and validation examples, expanded as published and cut without shuffling.

    Networks with the same examples get the same object, so that they can be trained together.
    """
    expanded = _augment_entries(data, entries)
    first = len(expanded) - len(expanded) // VALIDATION_SHARE
    parts = (
        EncodedEntries.encode(part, INPUT_MODELS[inputs])
        for part in (expanded[:first], expanded[first:])
    )
    learned, validation = (part.build_examples(step, False, device) for part in parts)
    return learned, validation


@lru_cache(maxsize=2)
def _augment_entries(data: Path, entries: int) -> MoveBatch:
    return augment(read_dataset(data)[: entries or None], "published")


def find_best_epoch(curve: Mapping[str, Any]) -> tuple[float, int]:
    """Return the best validation accuracy, and the epoch in which it was reached."""
    best = int(np.argmax(curve["accuracy"]))
    return curve["accuracy"][best], best + 1
