"""`ludus train nnmm` and `ludus tune nnmm`: networks for nine men's morris (Galassi 2018)."""

import dataclasses
import shutil
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import ForceOption, JsonOption, StudyOption, TrainedFileOption
from ludus.cli.output import (
    drop_none,
    has_progress_bar,
    print_json,
    print_table,
    print_unsaved,
    show_progress,
)
from ludus.core.errors import LudusError
from ludus.core.files import add_suffix, check_output, quote_path, write_text
from ludus.core.runs import announce_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.learn.nnmm.train import EpochResult, NetworkTrainer

    EpochEvent = tuple[NetworkTrainer, EpochResult]
    from ludus.games.nine_mens_morris.batch import MoveBatch
    from ludus.learn.nnmm.config import Preset
    from ludus.learn.nnmm.splits import Split
    from ludus.learn.nnmm.train_chain import ChainTrainer
    from ludus.learn.nnmm.tuning import (
        LocalTrialRunner,
        RayTrialRunner,
        SearchConfig,
        SearchResult,
    )

SECONDS_PER_LINE = 1.0


def show_epochs(epochs: "Iterable[EpochEvent]", num_networks: int) -> "Iterator[EpochEvent]":
    """Yield the epochs and show them on standard error: a bar in a terminal, else lines."""
    return _show_epoch_bar(epochs, num_networks) if has_progress_bar() else _print_epochs(epochs)


def _print_epochs(epochs: "Iterable[EpochEvent]") -> "Iterator[EpochEvent]":
    """Print at most one line per second, and always one for the last epoch of a network."""
    begun = time.monotonic()
    shown = begun - SECONDS_PER_LINE
    for network, epoch in epochs:
        now = time.monotonic()
        if network.is_finished or now - shown >= SECONDS_PER_LINE:
            shown = now
            print(
                f"{now - begun:7.1f} s  {format_epoch(network, epoch)}", file=sys.stderr, flush=True
            )
        yield network, epoch


def format_epoch(network: "NetworkTrainer", epoch: "EpochResult") -> str:
    """Format the state of a training as one line."""
    return (
        f"{network.name}  epoch {epoch.number}  loss {epoch.loss:.4f}"
        f"  validation {epoch.accuracy:.2%}"
        f"  best {network.best_accuracy:.2%} in epoch {network.best_epoch}"
    )


def _show_epoch_bar(epochs: "Iterable[EpochEvent]", num_networks: int) -> "Iterator[EpochEvent]":
    with show_progress("preparing", num_networks) as update:
        done = 0
        for network, epoch in epochs:
            fraction = 1.0 if network.is_finished else completed_fraction(network, epoch)
            update(done + fraction, label=format_epoch(network, epoch))
            done += network.is_finished
            yield network, epoch


def completed_fraction(network: "NetworkTrainer", epoch: "EpochResult") -> float:
    """Return the completed fraction of a network's training, early stopping disregarded."""
    settings = network.config
    by_time = epoch.seconds / settings.seconds if settings.seconds else 0.0
    return min(max(epoch.number / settings.epochs, by_time), 1.0)


DataOption = Annotated[
    Path,
    typer.Option(
        "--data", metavar="FILE", help="A dataset of good moves, not expanded.", show_default=False
    ),
]
PresetOption = Annotated[
    str, typer.Option("--preset", metavar="NAME", help="Name of a configuration.")
]
PresetFileOption = Annotated[
    Path | None,
    typer.Option("--presets", metavar="FILE", help="Further configurations, in TOML."),
]
SetOption = Annotated[
    str,
    typer.Option(
        "--set", metavar="OPTIONS", help="Change the configuration: blocks=3,learning_rate=0.002."
    ),
]
EntryLimitOption = Annotated[
    int,
    typer.Option("--limit-entries", min=0, help="Use only the first N entries; 0: all."),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds-per-network", metavar="SECONDS", help="Time limit of each network."),
]
DeviceOption = Annotated[str, typer.Option("--device", metavar="NAME", help="cpu, cuda or auto.")]

ThreadsOption = Annotated[
    int, typer.Option("--threads", min=0, max=1024, help="CPU threads; 0: torch's default.")
]


def train_nnmm(
    data: DataOption,
    preset: PresetOption = "cpu",
    presets: PresetFileOption = None,
    options: SetOption = "",
    order: Annotated[
        str | None, typer.Option("--order", metavar="ORDER", help="TFR, FTR, RFT5…")
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option("--inputs", metavar="MODEL", help="rawest, rawer, raw, integer, features."),
    ] = None,
    members: Annotated[
        int | None, typer.Option(help="Ensemble size for each part of a move.")
    ] = None,
    ensemble: Annotated[
        str | None, typer.Option("--ensemble", metavar="KIND", help="seeds, bagging or boosting.")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="PART", help="Train only this network; repeatable."),
    ] = None,
    seconds: SecondsOption = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same networks.")] = None,
    limit: EntryLimitOption = 0,
    folds: Annotated[int, typer.Option(help="Cross-validate with N folds; write nothing.")] = 0,
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    log: Annotated[
        Path | None,
        typer.Option("--log", metavar="DIR", help="Curves for TensorBoard and the page."),
    ] = None,
    out: TrainedFileOption = None,
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Train networks that choose the parts of a nine men's morris move (needs torch)."""
    if out is not None:
        check_output(out, data, presets, force=force)
    from ludus.learn.common.devices import require_package, select_device

    require_package("torch", "training networks")

    changes = {"order": order, "inputs": inputs, "members": members, "ensemble": ensemble}
    plan = load_preset(preset, presets, options, changes, seconds, seed)
    entries = read_entries(data, limit)
    device_ = select_device(device, threads)
    if folds:
        _cross_validate(plan, entries, folds, part or [], device_, json)
        return
    from ludus.learn.nnmm.splits import split_entries
    from ludus.learn.nnmm.train_chain import ChainTrainer

    settings = plan.training
    parts = split_entries(entries, settings.split, settings.expansion, settings.seed)
    folder = None if out is None else add_suffix(out, ".training")
    run = ChainTrainer(plan, parts, device_, folder, part or [])
    print_unsaved(out, json)
    _run_training(run, log)
    report = _make_report(run, preset)
    if out is not None and run.is_complete:
        from ludus.learn.nnmm.weights import save_weights

        save_weights(out, run.build_weights(report), half)
        shutil.rmtree(f"{folder}", ignore_errors=True)
    _print_report({**report, "out": None if out is None else str(out)}, json)


def load_preset(
    name: str,
    file: Path | None,
    options: str,
    changes: dict[str, Any],
    seconds: float | None = None,
    seed: int | None = None,
) -> "Preset":
    """Load a preset and apply the changes of the command line."""
    from ludus.learn.nnmm.config import build_preset, load_preset_tables, read_preset_tables

    plan = build_preset(
        name, load_preset_tables() if file is None else read_preset_tables(file)
    ).with_overrides(options)
    limits = {"seconds": seconds, "seed": seed}
    training = dataclasses.replace(plan.training, **drop_none(limits))
    return dataclasses.replace(plan, training=training, **drop_none(changes))


def read_entries(file: Path, limit: int) -> "MoveBatch":
    """Read the entries of a dataset that have a move; a `limit` of 0 means all."""
    from ludus.datasets.morris.files import read_dataset

    entries = read_dataset(file)
    return entries[entries.has_move][: limit or None]


def _run_training(run: "ChainTrainer", log: Path | None) -> None:
    from ludus.learn.nnmm.train import TensorBoardLog

    if log is None:
        for _ in show_epochs(run.run(), run.num_networks):
            pass
        return
    title = f"nnmm, {run.num_networks} networks"
    with closing(TensorBoardLog(log)) as curves, announce_run("training", title, log):
        for network, epoch in show_epochs(run.run(), run.num_networks):
            curves.log_epoch(network, epoch)


def _make_report(run: "ChainTrainer", preset: str) -> dict[str, Any]:
    """Return the report, which is also stored in the weights file."""
    plan = run.preset
    return {
        "preset": preset,
        "about": plan.about,
        "order": plan.order,
        "inputs": plan.inputs,
        "members": plan.members,
        "ensemble": plan.ensemble,
        "training": dataclasses.asdict(plan.training),
        "device": str(run.device),
        "examples": [len(part) for part in run.split],
        "networks": [result.to_dict() for result in run.results.values()],
        "test": run.compute_accuracy() if run.is_complete else None,
        "seconds": sum(result.seconds for result in run.results.values()),
    }


def _print_report(report: dict[str, Any], json: bool) -> None:
    if json:
        print_json(**report)
        return
    print_table(
        ["network", "epochs", "best", "seconds", "validation", "test"],
        [
            [
                f"{each['part']} {each['member'] + 1}",
                str(each["epochs"]),
                str(each["best_epoch"]),
                f"{each['seconds']:.1f}",
                f"{each['validation']:.2%}",
                f"{each['test']:.2%}",
            ]
            for each in report["networks"]
        ],
    )
    if report["test"] is not None:
        accuracies = "  ".join(f"{name} {value:.2%}" for name, value in report["test"].items())
        print(f"in pipeline, on the test part:  {accuracies}")


def _cross_validate(
    plan: "Preset", entries: "MoveBatch", folds: int, parts: list[str], device: Any, json: bool
) -> None:
    from ludus.learn.nnmm.train_chain import CrossValidation

    run = CrossValidation(plan, entries, folds, device, parts)
    for _ in show_epochs(run.run(), run.num_networks):
        pass
    found = run.accuracies()
    if json:
        print_json(folds=folds, networks=found)
        return
    print_table(
        ["network", "mean", "deviation", "folds"],
        [
            [
                part,
                f"{each['mean']:.2%}",
                f"{each['deviation']:.2%}",
                "  ".join(f"{value:.2%}" for value in each["folds"]),
            ]
            for part, each in found.items()
        ],
    )


TUNED_PRESET_NAME = "tuned"
"""Name of the preset in the output file."""


def tune_nnmm(
    data: DataOption,
    preset: PresetOption = "quick",
    presets: PresetFileOption = None,
    options: SetOption = "",
    part: Annotated[
        str, typer.Option("--part", metavar="PART", help="The network to train.")
    ] = "TO",
    trials: Annotated[int, typer.Option(help="Configurations to try.")] = 30,
    architecture: Annotated[
        list[str] | None,
        typer.Option("--architecture", metavar="NAME", help="Try only this one; repeatable."),
    ] = None,
    seconds: SecondsOption = None,
    limit: EntryLimitOption = 0,
    seed: Annotated[int, typer.Option(min=0, max=10**6, help="Random seed of the search.")] = 0,
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster", metavar="ADDRESS", help="Use a Ray cluster; auto: the local one."
        ),
    ] = "",
    study: StudyOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the best preset, for --presets."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Search for the configuration with the best validation accuracy (needs torch and optuna)."""
    if out is not None:
        check_output(out, data, presets, study, force=force)
    from ludus.learn.common.devices import require_package
    from ludus.learn.nnmm.config import format_toml
    from ludus.learn.nnmm.splits import split_entries
    from ludus.learn.nnmm.tuning import SearchConfig

    require_package("torch", "training networks")
    base = load_preset(preset, presets, options, {}, seconds, seed)
    architectures = {"architectures": tuple(architecture)} if architecture else {}
    plan = SearchConfig(base, part, trials, seed=seed, **architectures)
    settings = base.training
    parts = split_entries(
        read_entries(data, limit), settings.split, settings.expansion, settings.seed
    )
    found = _run_search(plan, parts, device, cluster, threads, study)
    if out is not None:
        write_text(out, format_toml(found.preset, TUNED_PRESET_NAME))
    if json:
        print_json(
            part=part,
            trials=found.trials,
            accuracy=found.accuracy,
            design=found.preset.design.as_dict(),
            training=dataclasses.asdict(found.preset.training),
        )
        return
    print(format_toml(found.preset, TUNED_PRESET_NAME))
    print(f"# {part}: {found.accuracy:.2%} of the validation part, best of {found.trials} trials")


def _run_search(
    plan: "SearchConfig",
    parts: "Split",
    device: str,
    cluster: str,
    threads: int,
    study: Path | None,
) -> "SearchResult":
    from ludus.learn.nnmm.train_chain import compute_fingerprint
    from ludus.learn.nnmm.tuning import search

    if study is not None and not study.parent.is_dir():
        raise LudusError(f"there is no folder for {quote_path(study)}")
    data = compute_fingerprint(parts)
    with (
        closing(_make_workers(plan, parts, device, cluster, threads)) as workers,
        show_progress("searching", plan.trials) as update,
    ):

        def report(done: int, best: float) -> None:
            update(done, label=f"searching, best {best:.2%}")

        return search(plan, workers, study, data, report)


def _make_workers(
    plan: "SearchConfig", parts: "Split", device: str, cluster: str, threads: int
) -> "LocalTrialRunner | RayTrialRunner":
    from ludus.learn.nnmm.tuning import LocalTrialRunner, RayTrialRunner

    if cluster:
        return RayTrialRunner(cluster, plan.part, parts, device, threads or 1)
    return LocalTrialRunner(plan.part, parts, device, threads)
