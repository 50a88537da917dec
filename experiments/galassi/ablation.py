"""One table for the ideas of 7.1 and 7.2: each by itself, equal budget, several seeds."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from ludus.datasets import read_dataset
from ludus.learn import select_device
from ludus.learn.nnmm import (
    Chain,
    ChainTrainer,
    PartOrder,
    Preset,
    Split,
    compute_accuracy,
    compute_legality,
    load_preset,
    points_to_classes,
    save_weights,
    split_entries,
)
from ludus.reproduce import Context, Figure, Finding, Measurement, Table

from .data import find_data_folder

NUM_PARTS = 3


def run(context: Context) -> Iterator[Finding]:
    variants = [
        {**context.published["base"], **variant} for variant in context.published["variants"]
    ]
    seeds = context.setting("seeds")
    found: dict[str, list[dict[str, float]]] = {}
    for variant in variants:
        name = variant["name"]
        found[name] = []
        for seed in range(seeds):
            context.progress(seed, seeds, name)

            def compute(variant: Mapping[str, Any] = variant, seed: int = seed) -> dict[str, float]:
                return _train_variant(context, variant, context.seed + seed)

            found[name].append(context.cached(f"{variant} {seed}", compute))
    first = next(iter(found))
    table = []
    for name, runs in found.items():
        seconds = sum(each["seconds"] for each in runs) / len(runs)
        accuracy = Measurement.mean(
            f"{name}: accuracy", [each["accuracy"] for each in runs], f"{seconds:.0f} s", "%"
        )
        legality = Measurement.mean(
            f"{name}: legality", [each["legality"] for each in runs], unit="%"
        )
        yield accuracy
        yield legality
        base = sum(each["accuracy"] for each in found[first]) / len(found[first])
        table.append(
            [
                name,
                round(accuracy.value, 2),
                round(accuracy.value - base, 2),
                round(legality.value, 2),
                round(seconds, 1),
            ]
        )
    yield Table(
        "Ideas by themselves",
        ("what is changed", "accuracy, %", "difference", "legality, %", "seconds"),
        table,
        f"Means of {seeds} trainings with equal numbers of examples presented.",
    )
    yield Figure(
        "Accuracy of the ideas",
        draw,
        {name: [each["accuracy"] for each in runs] for name, runs in found.items()},
        "Whole moves in pipeline on the test part, one dot for each training.",
    )


def make_preset(context: Context, variant: Mapping[str, Any], seed: int) -> Preset:
    """The preset of a variant, with as many epochs for each network as its budget allows."""
    preset = load_preset(context.setting("preset"))
    networks = len(PartOrder.parse(variant["order"]).steps) * variant["members"]
    epochs = max(1, round(context.setting("epochs") * NUM_PARTS / networks))
    training = replace(
        preset.training,
        epochs=epochs,
        batch=context.setting("batch"),
        patience=0,
        seconds=0.0,
        seed=seed,
    )
    changed = replace(
        preset,
        order=variant["order"],
        inputs=variant["inputs"],
        members=variant["members"],
        ensemble=variant["ensemble"],
        training=training,
    )
    return changed.with_overrides(variant["overrides"]) if variant["overrides"] else changed


def _train_variant(context: Context, variant: Mapping[str, Any], seed: int) -> dict[str, float]:
    device = select_device(context.device, context.jobs)
    preset = make_preset(context, variant, seed)
    split = _split(context)
    slug = "".join(each if each.isalnum() else "-" for each in variant["name"])
    folder = context.folder("networks") / f"{slug}-{seed}"
    trainer = ChainTrainer(preset, split, device, folder)
    began = time.monotonic()
    for network, epoch in trainer.run():
        context.progress(epoch.number, network.config.epochs, f"{variant['name']}, {network.name}")
    seconds = time.monotonic() - began
    file = context.folder("networks") / f"{slug}-{seed}.safetensors"
    save_weights(file, trainer.build_weights({}))
    classes = Chain.load(file).predict(split.test).classes
    true = points_to_classes(split.test.points)
    accuracy = compute_accuracy(split.test, classes, true)["whole move"].percent
    legality = compute_legality(split.test, classes, "rules")["whole move"].percent
    if device.type == "cuda":
        torch.cuda.empty_cache()
    return {"accuracy": accuracy or 0.0, "legality": legality or 0.0, "seconds": seconds}


def _split(context: Context) -> Split:
    entries = read_dataset(find_data_folder() / "dataset.txt")
    return split_entries(entries[: context.setting("entries") or None], "entries", "symmetries")


def draw(axes: Any, data: Mapping[str, list[float]]) -> None:
    names = list(data)
    for number, name in enumerate(names):
        axes.plot(data[name], [number] * len(data[name]), "o", markersize=4)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("accuracy, %")
    axes.grid(axis="y", linewidth=0.3)
