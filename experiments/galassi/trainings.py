"""Single networks trained as chapter 6 trains them, each once for a run that may be broken off."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.datasets.morris import MoveBatch, augment, read_dataset
from ludus.learn.nnmm.config import TrainingConfig, load_preset
from ludus.learn.nnmm.encoding import INPUT_MODELS
from ludus.learn.nnmm.examples import EncodedEntries, Examples
from ludus.learn.nnmm.parts import ChainStep, PartOrder
from ludus.learn.nnmm.train import NetworkTrainer
from ludus.reproduce import Context

from .data import folder

Curve = dict[str, list[float]]
"""Validation accuracy in percent, validation error, and seconds since the beginning, by epoch."""

VALIDATION_SHARE = 20
"""One part in so many decides which network is best: the last of the expanded entries."""


def trained(context: Context, name: str, part: str, entries: int) -> Curve:
    """The curve of the network for a part of the move, with the preset's settings.

    It learns from the first `entries` of the dataset, 0 for all of them, and for as many epochs as
    the size allows.
    """
    wanted = load_preset(name)
    step = next(each for each in PartOrder.parse(wanted.order).steps if each.name == part)
    settings = replace(
        limited(wanted.training_for(step), context.setting("epochs"), context.setting("batch")),
        seed=context.seed,
    )
    design = wanted.design_for(step)
    key = f"{name} {part} {entries} {design} {settings}"

    def compute() -> Curve:
        torch.set_num_threads(context.jobs)
        learned, validation = examples(folder(), wanted.inputs, step, entries)
        file = context.folder("networks") / f"{name}-{part}.safetensors"
        training = NetworkTrainer(design, settings, learned, validation, name, file, key)
        for epoch in training.epochs():
            context.progress(epoch.number, settings.epochs, f"{name}, {part}")
        history = [asdict(epoch) for epoch in training.history]
        return {
            "accuracy": [100 * epoch["accuracy"] for epoch in history],
            "error": [epoch["validation_loss"] for epoch in history],
            "seconds": [epoch["seconds"] for epoch in history],
        }

    return context.cached(key, compute)


def limited(settings: TrainingConfig, epochs: int, batch: int) -> TrainingConfig:
    """No more epochs and no larger batches than these; 0: as the settings have them.

    With few examples a large batch would leave an epoch few steps.
    """
    return replace(
        settings,
        epochs=min(epochs or settings.epochs, settings.epochs),
        batch=min(batch or settings.batch, settings.batch),
    )


@lru_cache(maxsize=1)
def examples(data: Path, inputs: str, step: ChainStep, entries: int) -> tuple[Examples, Examples]:
    """What is learned, and what decides; expanded as published and cut without shuffling."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    expanded = _expanded(data, entries)
    first = len(expanded) - len(expanded) // VALIDATION_SHARE
    parts = (
        EncodedEntries.encode(part, INPUT_MODELS[inputs])
        for part in (expanded[:first], expanded[first:])
    )
    learned, validation = (part.build_examples(step, False, device) for part in parts)
    return learned, validation


@lru_cache(maxsize=1)
def _expanded(data: Path, entries: int) -> MoveBatch:
    return augment(read_dataset(data / "dataset.txt")[: entries or None], "published")


def top(curve: Mapping[str, Any]) -> tuple[float, int]:
    """The best validation accuracy, and the epoch in which it was reached."""
    best = int(np.argmax(curve["accuracy"]))
    return curve["accuracy"][best], best + 1
