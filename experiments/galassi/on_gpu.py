"""Train all networks of the experiments of TRAINED on a GPU, in parts.

    python -m experiments.galassi.on_gpu --data FOLDER --minutes 8.8

--weights FOLDER keeps weights as well: of the sets that sections 6.2.4 and 7.1 need whole, and of
the retrained set, which plays the games of section 6.5. LUDUS_NNMM_WEIGHTS names them to other
experiments.

--only names experiments; variants of whole sets are trained before single networks. Run it again
until it says that all rows are done. Rows that are done are read from the file --rows, by default
networks.json beside this one, and written to it one by one, so it is all that must be kept;
unfinished networks continue from checkpoints under --out while these exist. `ludus reproduce ID
--size published` then writes the reports without training. --list shows the rows, the cost of each
and what is done.
It needs numpy, torch, safetensors, pydantic and platformdirs. The loss with legality needs legal
moves from compiled modules; where there are none, --legal names a file of them that --write-legal
has written elsewhere.
"""

import argparse
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus import LudusError
from ludus.datasets import read_dataset
from ludus.learn import select_device
from ludus.learn.nnmm import (
    ChainWeights,
    NetworkChainTrainer,
    PartOrder,
    Preset,
    load_preset,
    save_weights,
    split_entries,
)
from ludus.reproduce import Context, RunOptions, find_experiment, make_context

from . import ablation, recipes, retraining
from .data import VARIABLE, find_data_folder
from .network_training import DATASET, NetworkTask, train_networks
from .side_by_side import train_chains
from .stored_rows import ROWS_FILE, fill_cache, load_rows, save_rows
from .tuning import list_series_tasks

SINGLE = {
    "galassi-partial": list_series_tasks,
    "galassi-whole": list_series_tasks,
    "galassi-retraining": retraining.list_tasks,
    "galassi-recipes": recipes.list_tasks,
}
"""Experiments of single networks, and their networks."""

ABLATIONS = ("galassi-ablation", "galassi-changes")
"""Experiments of whole sets in many variants, of which only accuracies are kept."""

TRAINED = (*SINGLE, *ABLATIONS)

SETS = "sets"

CHAINS = ("table-6-best", "best", "author")
"""Presets of whole sets of networks whose weights are kept."""

EXPECTED_EPOCHS = 600
"""Epochs until patience ends a training: 242 to 666 of the author's networks, 266 to 1,171 here."""

EXAMPLES = {"partial": 470_702, "whole": 1_547_240, "ablation": 1_384_000}
"""Training examples, for the estimate of costs only."""


@dataclass(frozen=True)
class Runs:
    """The contexts of the experiments, and the file of their rows."""

    contexts: Mapping[str, Context]
    rows: Path

    def read_rows(self) -> None:
        """Put the rows of the file into the caches."""
        rows = load_rows(self.rows)
        for context in self.contexts.values():
            fill_cache(context, rows)

    def write_rows(self) -> None:
        """Write all rows that are done."""
        found = {
            identity: {
                key: value
                for key in list_keys(context)
                if (value := context.find_cached(key)) is not None
            }
            for identity, context in self.contexts.items()
        }
        save_rows(found, self.rows)

    def share_rows(self) -> None:
        """Copy rows that two experiments have in common: the retraining with all entries."""
        for task in self.tasks("galassi-retraining"):
            for other in self.tasks("galassi-whole"):
                curve = other.find_curve() if other.key == task.key else None
                if curve is not None:
                    fill_cache(task.context, {"galassi-retraining": {task.key: curve}})

    def tasks(self, identity: str) -> list[NetworkTask]:
        return SINGLE[identity](self.contexts[identity])

    def single_tasks(self, identities: Iterable[str]) -> list[NetworkTask]:
        """The single networks of experiments once, the most important ones first."""
        published: list[NetworkTask] = []
        others: list[NetworkTask] = []
        for identity in identities:
            rows = {row.extra.get("preset") for row in self.contexts[identity].published.rows}
            for task in self.tasks(identity):
                (published if task.preset in rows else others).append(task)
        once: dict[str, NetworkTask] = {}
        for task in (*published, *others):
            once.setdefault(task.key, task)
        return list(once.values())


def list_keys(context: Context) -> list[str]:
    """The keys of all rows of an experiment."""
    if context.published.id in ABLATIONS:
        return [
            ablation.make_key(variant, seed)
            for variant in ablation.list_variants(context)
            for seed in range(context.setting("seeds"))
        ]
    return [task.key for task in SINGLE[context.published.id](context)]


def count_parameters(preset: Preset, part: str) -> int:
    """Weights of a network, for the estimate of costs."""
    step = next(each for each in preset.steps if each.name == part)
    design = preset.design_for(step)
    inputs = preset.model.columns(len(step.parts_before)).width
    if design.architecture == "feedforward":
        widths = (inputs, *design.widths, design.outputs)
        return sum(before * after for before, after in pairwise(widths))
    if design.architecture == "dense":
        read, total = design.first, inputs * design.first
        for units in design.widths:
            total, read = total + read * units, read + units
        return total + read * design.outputs
    if design.architecture == "symmetric":
        channels = 16 * design.first
        return inputs * channels + design.blocks * 2 * channels**2 + channels * design.outputs
    inner = sum(2 * design.first * units for units in design.widths)
    return inputs * design.first + inner + design.first * design.outputs


def estimate_costs(runs: Runs) -> Iterator[tuple[str, str, float, bool]]:
    """Yield experiment, row, 10^15 operations and whether it is done, for every row."""
    for task in runs.single_tasks(SINGLE):
        preset, kind = task.settings, "partial" if task.entries else "whole"
        config = task.config
        epochs = min(EXPECTED_EPOCHS, config.epochs) if config.patience else config.epochs
        work = 6 * count_parameters(preset, task.part) * EXAMPLES[kind] * epochs / 1e15
        name = f"{task.preset} {task.part} {task.file_name} {task.overrides}".rstrip()
        yield task.context.published.id, name, work, task.find_curve() is not None
    for identity in ABLATIONS:
        context = runs.contexts[identity]
        for variant in ablation.list_variants(context):
            preset = ablation.make_preset(context, variant, 0)
            weights = sum(count_parameters(preset, step.name) for step in preset.steps)
            examples = preset.members * preset.training.epochs * EXAMPLES["ablation"]
            for seed in range(context.setting("seeds")):
                is_done = context.find_cached(ablation.make_key(variant, seed)) is not None
                name = f"{variant['name']}, seed {seed}"
                yield identity, name, 6 * weights * examples / 1e15, is_done


def print_costs(runs: Runs, rate: float) -> None:
    left = total = 0.0
    for identity, name, work, is_done in estimate_costs(runs):
        seconds = 1000 * work / rate
        total, left = total + seconds, left + (0 if is_done else seconds)
        print(f"{identity:20} {name:45} {work:8.3f} PFLOP {seconds:6.0f} s  {'done' * is_done}")
    print(f"{total:.0f} s in all at {rate:g} TFLOP/s, of which {left:.0f} s are left")


def train_ablation(
    runs: Runs,
    identity: str,
    device: torch.device,
    end: float,
    max_streams: int,
    legal_file: Path | None,
) -> bool:
    """Train the variants in turn; return whether all are done."""
    context, is_complete = runs.contexts[identity], True
    masks = None if legal_file is None else dict(np.load(legal_file))
    for variant in ablation.list_variants(context):
        if time.monotonic() >= end:
            return False
        began = time.monotonic()
        try:
            is_done = ablation.train_variant(context, variant, device, end, max_streams, masks)
        except (ImportError, LudusError) as error:
            print(f"{variant['name']} is left out: {error}", flush=True)
            is_done = False
        print(f"{variant['name']}: {time.monotonic() - began:.0f} s, done: {is_done}", flush=True)
        runs.write_rows()
        is_complete = is_complete and is_done
    return is_complete


def train_single(
    runs: Runs,
    identities: Iterable[str],
    device: torch.device,
    end: float,
    max_streams: int,
    presets: str,
) -> bool:
    """Train the single networks of these presets side by side; return whether all are done."""
    began = time.monotonic()

    def report(task: NetworkTask) -> None:
        curve = task.find_curve()
        assert curve is not None
        print(
            f"{time.monotonic() - began:.0f} s: {task.preset} {task.part} {task.file_name}: "
            f"{max(curve['accuracy']):.2f}% after {len(curve['accuracy'])} epochs",
            flush=True,
        )
        runs.share_rows()
        runs.write_rows()

    runs.share_rows()
    tasks = [task for task in runs.single_tasks(identities) if fnmatchcase(task.preset, presets)]
    files = {name: find_data_folder() / name for name in dict.fromkeys(t.file_name for t in tasks)}
    for name, file in files.items():
        if not file.is_file():
            print(f"{name} is not in the folder of the data", flush=True)
    found = [task for task in tasks if files[task.file_name].is_file()]
    try:
        is_done = train_networks(found, device, end, max_streams, report)
        return is_done and len(found) == len(tasks)
    except LudusError as error:
        print(f"a network is left out: {error}", flush=True)
        return False


def train_sets(
    folder: Path, state: Path, device: torch.device, end: float, streams: int, presets: str
) -> bool:
    """Train these sets of CHAINS and write their weights to the folder; return whether all are."""
    entries, is_done = read_dataset(find_data_folder() / DATASET), True
    for name in filter(partial(fnmatchcase, pat=presets), CHAINS):
        file = folder / f"{name}.safetensors"
        if file.exists():
            continue
        if time.monotonic() >= end:
            return False
        preset = load_preset(name).with_changes(precision="bfloat16")
        settings = preset.training
        split = split_entries(entries, settings.split, settings.expansion, settings.seed)
        chain = NetworkChainTrainer(preset, split, device)
        began = time.monotonic()
        for network, epoch in train_chains([chain], [state / name], end, streams):
            PROGRESS(epoch.number, network.config.epochs, f"{name}, {network.name}")
        print(f"{name}: {time.monotonic() - began:.0f} s, done: {chain.is_complete}", flush=True)
        if not chain.is_complete:
            is_done = False
            continue
        found = {
            "preset": name,
            "pipeline": chain.compute_accuracy(),
            "networks": [result.to_dict() for result in chain.results.values()],
        }
        print(found["pipeline"], flush=True)
        save_weights(file, chain.build_weights(found), half=True)
    return is_done


def save_retrained_set(runs: Runs, folder: Path, device: torch.device) -> bool:
    """Write the weights of the networks retrained without regular games; return whether they are.

    They must be finished, and their checkpoints on this machine.
    """
    file = folder / "retrained.safetensors"
    tasks = [
        task
        for task in runs.tasks("galassi-retraining")
        if task.file_name != DATASET and task.seed == 0
    ]
    if file.exists() or any(task.find_curve() is None for task in tasks):
        return file.exists()
    trainers = [task.open_checkpoint(device).trainer for task in tasks]
    if not all(trainer.is_finished for trainer in trainers):
        return False
    weights = ChainWeights(
        PartOrder.parse("TFR"),
        load_preset(tasks[0].preset).model,
        tuple(trainer.design.model_dump(mode="json") for trainer in trainers),
        (tuple(trainer.weights for trainer in trainers),),
        {"data": tasks[0].file_name, "validation": [each.best_accuracy for each in trainers]},
    )
    save_weights(file, weights, half=True)
    return True


class ProgressPrinter:
    """Prints a line at most every ten seconds."""

    def __init__(self) -> None:
        self._began = self._printed = time.monotonic()

    def __call__(self, done: int, total: int, label: str) -> None:
        now = time.monotonic()
        if now - self._printed >= 10:
            self._printed = now
            print(
                f"{now - self._began:.0f} s: {label}, epoch {done} of at most {total}", flush=True
            )


PROGRESS = ProgressPrinter()


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the author's data")
    parser.add_argument(
        "--out", type=Path, default=Path("reproduced"), help="cache, as in reproduce"
    )
    parser.add_argument("--rows", type=Path, default=ROWS_FILE, help="rows that are done")
    parser.add_argument("--minutes", type=float, default=8.8)
    parser.add_argument("--device", default="cuda", help="cuda, cpu or auto")
    parser.add_argument("--size", default="published", help="published or quick")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=(*TRAINED, SETS),
        default=(*TRAINED, SETS),
        metavar="ID",
        help=f"only these: {', '.join((*TRAINED, SETS))}",
    )
    parser.add_argument("--weights", type=Path, help="folder for weights of whole sets")
    parser.add_argument(
        "--presets", default="*", help="single networks and sets of these presets only: table-6.4-*"
    )
    parser.add_argument(
        "--streams", type=int, default=8, help="groups of networks that share the GPU at a time"
    )
    parser.add_argument("--list", action="store_true", help="show rows and costs; train nothing")
    parser.add_argument("--legal", type=Path, help="file of legal moves for the ablation")
    parser.add_argument("--write-legal", type=Path, help="write that file; train nothing")
    parser.add_argument("--rate", type=float, default=60, help="TFLOP/s assumed by --list")
    arguments = parser.parse_args(words)
    if arguments.only == [SETS] and arguments.weights is None:
        parser.error("--only sets needs --weights, the folder that their weights are written to")
    end = time.monotonic() + 60 * arguments.minutes
    if arguments.data is not None:
        os.environ[VARIABLE] = str(arguments.data)
    options = RunOptions(size=arguments.size, device=arguments.device, progress=PROGRESS)
    folder = Path(__file__).parents[1]
    contexts = {
        identity: make_context(find_experiment(identity, folder), arguments.out / "cells", options)
        for identity in TRAINED
    }
    runs = Runs(contexts, arguments.rows)
    runs.read_rows()
    if arguments.list:
        print_costs(runs, arguments.rate)
        return
    if arguments.write_legal is not None:
        masks: dict[str, Any] = dict(ablation.compute_training_masks(contexts[ABLATIONS[0]]))
        np.savez_compressed(arguments.write_legal, **masks)
        return
    device = select_device(arguments.device)
    only, streams, weights = arguments.only, arguments.streams, arguments.weights
    if weights is not None:
        weights.mkdir(parents=True, exist_ok=True)
    is_done = True
    for identity in (each for each in only if each in ABLATIONS):
        is_done = train_ablation(runs, identity, device, end, streams, arguments.legal) and is_done
    if single := [each for each in only if each in SINGLE]:
        is_done = train_single(runs, single, device, end, streams, arguments.presets) and is_done
        if weights is not None:
            save_retrained_set(runs, weights, device)
    if SETS in only and weights is not None:
        state, presets = arguments.out / "sets", arguments.presets
        is_done = train_sets(weights, state, device, end, streams, presets) and is_done
    runs.write_rows()
    print("all rows are done" if is_done else "not done; run the same command again", flush=True)


if __name__ == "__main__":
    main()
