"""Single networks trained as chapter 6 trains them, each once for a run that may be broken off."""

from collections.abc import Mapping
from dataclasses import asdict, replace
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
    NetworkTrainer,
    PartOrder,
    TrainingConfig,
    load_preset,
)
from ludus.reproduce import Context

from .data import find_data_folder

Curve = dict[str, list[float]]
"""Validation accuracy in percent, validation error, and seconds since the beginning, by epoch."""

DATASET = "dataset.txt"

VALIDATION_SHARE = 20
"""The last 1 / VALIDATION_SHARE of the expanded entries selects the best network."""


def train_cached_network(
    context: Context,
    name: str,
    part: str,
    entries: int,
    file_name: str = DATASET,
    seed: int = 0,
) -> Curve:
    """The curve of the network for a part of the move, with the preset's settings.

    It learns from the first `entries` of the dataset, 0 for all of them, and for as many epochs as
    the size allows.
    """
    wanted = load_preset(name)
    step = next(each for each in PartOrder.parse(wanted.order).steps if each.name == part)
    settings = replace(
        limit_config(
            wanted.training_for(step), context.setting("epochs"), context.setting("batch")
        ),
        seed=context.seed + seed,
    )
    design = wanted.design_for(step)
    key = f"{name} {part} {entries} {design} {settings}"
    if file_name != DATASET:
        key = f"{key} {file_name}"

    def compute() -> Curve:
        device = select_device(context.device, context.jobs)
        data = find_data_folder() / file_name
        learned, validation = make_examples(data, wanted.inputs, step, entries, device)
        is_first = file_name == DATASET and seed == 0
        stem = f"{name}-{part}" if is_first else f"{name}-{part}-{Path(file_name).stem}-{seed}"
        file = context.folder("networks") / f"{stem}.safetensors"
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


def limit_config(settings: TrainingConfig, epochs: int, batch: int) -> TrainingConfig:
    """No more epochs and no larger batches than these; 0: as the settings have them.

    With few examples a large batch would leave an epoch few steps.
    """
    return replace(
        settings,
        epochs=min(epochs or settings.epochs, settings.epochs),
        batch=min(batch or settings.batch, settings.batch),
    )


@lru_cache(maxsize=1)
def make_examples(
    data: Path, inputs: str, step: ChainStep, entries: int, device: torch.device
) -> tuple[Examples, Examples]:
    """What is learned, and what decides; expanded as published and cut without shuffling."""
    expanded = _augment_entries(data, entries)
    first = len(expanded) - len(expanded) // VALIDATION_SHARE
    parts = (
        EncodedEntries.encode(part, INPUT_MODELS[inputs])
        for part in (expanded[:first], expanded[first:])
    )
    learned, validation = (part.build_examples(step, False, device) for part in parts)
    return learned, validation


@lru_cache(maxsize=1)
def _augment_entries(data: Path, entries: int) -> MoveBatch:
    return augment(read_dataset(data)[: entries or None], "published")


def find_best_epoch(curve: Mapping[str, Any]) -> tuple[float, int]:
    """The best validation accuracy, and the epoch in which it was reached."""
    best = int(np.argmax(curve["accuracy"]))
    return curve["accuracy"][best], best + 1
