"""One table for the ideas of 7.1 and 7.2: each by itself, equal budget, several seeds."""

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import torch

from ludus.datasets import read_dataset
from ludus.learn import select_device
from ludus.learn.nnmm import (
    LegalMasks,
    NetworkChainTrainer,
    PartOrder,
    Preset,
    Split,
    compute_accuracy,
    compute_legal_masks,
    compute_legality,
    load_preset,
    parse_changes,
    points_to_classes,
    split_entries,
)
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .data import find_data_folder
from .network_training import DATASET
from .side_by_side import MAX_STREAMS, train_chains
from .stored_rows import fill_cache, load_rows

NUM_PARTS = 3


def run(context: Context) -> Iterator[Finding]:
    variants = list_variants(context)
    seeds = context.setting("seeds")
    if not context.setting("trains"):
        fill_cache(context, load_rows())
    found: dict[str, list[dict[str, float]]] = {}
    for variant in variants:
        if context.setting("trains"):
            train_variant(context, variant, select_device(context.device, context.jobs))
        rows = [context.find_cached(make_key(variant, seed)) for seed in range(seeds)]
        if None not in rows:
            found[variant["name"]] = rows
    missing = [variant["name"] for variant in variants if variant["name"] not in found]
    if missing:
        yield Remark(f"Not trained yet: {'; '.join(missing)}.")
    if not found:
        return
    first = next(iter(found))
    table: list[list[Any]] = []
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


def list_variants(context: Context) -> list[dict[str, Any]]:
    """Return the variants, each with all its settings."""
    base = context.published["base"]
    return [{**base, **variant} for variant in context.published["variants"]]


def make_preset(context: Context, variant: Mapping[str, Any], seed: int) -> Preset:
    """Return the preset of a variant, with as many epochs for each network as its budget allows."""
    preset = load_preset(variant.get("preset", context.setting("preset")))
    networks = len(PartOrder.parse(variant["order"]).steps) * variant["members"]
    epochs = max(1, round(context.setting("epochs") * NUM_PARTS / networks))
    changed = preset.with_changes(epochs=epochs, patience=0, seconds=0.0, seed=seed)
    if batch := context.setting("batch"):
        changed = changed.with_changes(batch=batch)
    names = ("order", "inputs", "members", "ensemble")
    own = {name: variant[name] for name in (*names, "parts") if name in variant}
    return changed.with_changes(**own, **parse_changes(variant["overrides"]))


def make_key(variant: Mapping[str, Any], seed: int) -> str:
    """Return the cache key of the row of a variant and seed."""
    return f"{dict(variant)} {seed}"


def train_variant(
    context: Context,
    variant: Mapping[str, Any],
    device: torch.device,
    end: float = math.inf,
    max_streams: int = MAX_STREAMS,
    legal_masks: Mapping[str, LegalMasks] | None = None,
) -> bool:
    """Train the chains of all seeds side by side and cache their rows; return whether all have one.

    No epoch begins after the time `end`, by `time.monotonic`; later calls resume. `legal_masks` are
    those of `compute_training_masks`, computed where compiled modules are.
    """
    wanted = range(context.setting("seeds"))
    seeds = [each for each in wanted if context.find_cached(make_key(variant, each)) is None]
    if not seeds:
        return True
    split = read_split(context)
    slug = "".join(each if each.isalnum() else "-" for each in variant["name"])
    chains = [
        NetworkChainTrainer(
            make_preset(context, variant, context.seed + seed),
            split,
            device,
            legal_masks=legal_masks,
        )
        for seed in seeds
    ]
    folders = [context.folder("networks") / f"{slug}-{context.seed + seed}" for seed in seeds]
    for network, epoch in train_chains(chains, folders, end, max_streams):
        context.progress(epoch.number, network.config.epochs, f"{variant['name']}, {network.name}")
    if not all(chain.is_complete for chain in chains):
        return False
    for seed, chain in zip(seeds, chains, strict=True):
        context.cached(make_key(variant, seed), partial(_evaluate, chain))
    if device.type == "cuda":
        torch.cuda.empty_cache()
    return True


def compute_training_masks(context: Context) -> dict[str, LegalMasks]:
    """Compute the legal classes of the training entries by step, for the base order."""
    split = read_split(context)
    steps = PartOrder.parse(context.published["base"]["order"]).steps
    masks = compute_legal_masks(split.training, steps)
    return {step.name: mask for step, mask in zip(steps, masks, strict=True)}


def _evaluate(chain: NetworkChainTrainer) -> dict[str, float]:
    test, classes = chain.split.test, chain.predict_test()
    true = points_to_classes(test.points)
    lines = {name: each.percent for name, each in compute_accuracy(test, classes, true).items()}
    legality = compute_legality(test, classes, "rules")["whole move"].percent
    seconds = sum(result.seconds for result in chain.results.values())
    alone = {
        f"{name} alone": 100 * result.test
        for (name, _), result in chain.results.items()
        # Of five networks one may have no example in a small test part.
        if result.test is not None and math.isfinite(result.test)
    }
    return {
        "accuracy": lines["whole move"] or 0.0,
        "legality": legality or 0.0,
        "seconds": seconds,
        **{name: each for name, each in lines.items() if each is not None},
        **alone,
    }


def read_split(context: Context) -> Split:
    """Return the dataset, split and expanded as the experiment's file says."""
    kind, expansion = context.published["split"], context.published["expansion"]
    return _split(find_data_folder() / DATASET, context.setting("entries"), kind, expansion)


@lru_cache(maxsize=2)
def _split(data: Path, entries: int, kind: Any, expansion: Any) -> Split:
    return split_entries(read_dataset(data)[: entries or None], kind, expansion)


def draw(axes: Any, data: Mapping[str, list[float]]) -> None:
    names = list(data)
    for number, name in enumerate(names):
        axes.plot(data[name], [number] * len(data[name]), "o", markersize=4)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("accuracy, %")
    axes.grid(axis="y", linewidth=0.3)
