"""`ludus train nnmm`: teach the networks of Neural Nine Men's Morris."""

import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table
from ludus.cli.training_progress import told
from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from ludus.datasets.morris.entries import Entries
    from ludus.learn.nnmm.chain_training import ChainTraining
    from ludus.learn.nnmm.preset import Preset

Data = Annotated[
    Path,
    typer.Option(
        "--data", metavar="FILE", help="A good-move dataset, not expanded.", show_default=False
    ),
]
PresetName = Annotated[
    str, typer.Option("--preset", metavar="NAME", help="A configuration by name.")
]
Presets = Annotated[
    Path | None,
    typer.Option("--presets", metavar="FILE", help="Further configurations, in TOML."),
]
Set = Annotated[
    str,
    typer.Option(
        "--set", metavar="OPTIONS", help="Change the configuration: blocks=3,learning_rate=0.002."
    ),
]
Limit = Annotated[
    int,
    typer.Option("--limit-entries", min=0, help="Use so many entries of the data; 0: all."),
]
Device = Annotated[str, typer.Option("--device", metavar="NAME", help="cpu, cuda or auto.")]

Threads = Annotated[
    int, typer.Option("--threads", min=0, max=1024, help="Of the CPU; 0: as torch likes.")
]


def nnmm(
    data: Data,
    preset: PresetName = "cpu",
    presets: Presets = None,
    options: Set = "",
    order: Annotated[
        str | None, typer.Option("--order", metavar="ORDER", help="TFR, FTR, RFT5…")
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option("--inputs", metavar="MODEL", help="rawest, rawer, raw, integer, features."),
    ] = None,
    members: Annotated[
        int | None, typer.Option("--members", help="Networks of an ensemble, for each part.")
    ] = None,
    ensemble: Annotated[
        str | None,
        typer.Option("--ensemble", metavar="KIND", help="seeds, bagging or boosting."),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="PART", help="Train this network alone; may be repeated."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds-per-network", metavar="SECONDS", help="Stop each after so long."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="The same seed gives the same networks.")
    ] = None,
    limit: Limit = 0,
    folds: Annotated[
        int, typer.Option("--folds", help="Cross-validate with so many folds; keep nothing.")
    ] = 0,
    device: Device = "auto",
    threads: Threads = 0,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="DIR", help="Write curves for TensorBoard.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the networks; go on with what was begun there."
        ),
    ] = None,
    half: Annotated[
        bool, typer.Option("--half", help="Write half precision: half the size.")
    ] = False,
    json: Json = False,
) -> None:
    """Teach networks to choose moves of nine men's morris part by part (needs torch)."""
    need_torch()
    from ludus.learn.devices import device_named

    changes = {"order": order, "inputs": inputs, "members": members, "ensemble": ensemble}
    plan = configured(preset, presets, options, changes, seconds, seed)
    entries = read_entries(data, limit)
    place = device_named(device, threads)
    if folds:
        _cross_validate(plan, entries, folds, part or [], place, json)
        return
    from ludus.learn.nnmm.chain_training import ChainTraining
    from ludus.learn.nnmm.splits import split

    settings = plan.training
    parts = split(entries, settings.split, settings.expansion, settings.seed)
    folder = None if out is None else out.with_name(f"{out.name}.training")
    run = ChainTraining(plan, parts, place, folder, part or [])
    _check_out(out, folder)
    _train(run, log)
    report = _report(run, preset)
    if out is not None and run.is_whole:
        from ludus.learn.nnmm.weights import save

        save(out, run.chain(report), half)
        shutil.rmtree(f"{folder}", ignore_errors=True)
    _tell({**report, "out": None if out is None else str(out)}, json)


def need_torch() -> None:
    """Say in one line what is missing."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise LudusError("training networks needs torch: pip install 'ludus[learn]'") from None


def configured(
    name: str,
    file: Path | None,
    options: str,
    changes: dict[str, Any],
    seconds: float | None = None,
    seed: int | None = None,
) -> "Preset":
    """A configuration with what the command line changes in it."""
    from ludus.learn.nnmm.presets import from_tables, read_tables, tables

    plan = from_tables(name, tables() if file is None else read_tables(file)).with_texts(options)
    given = {key: value for key, value in changes.items() if value is not None}
    training = plan.training
    if seconds is not None:
        training = dataclasses.replace(training, seconds=seconds)
    if seed is not None:
        training = dataclasses.replace(training, seed=seed)
    return dataclasses.replace(plan, training=training, **given)


def read_entries(file: Path, limit: int) -> "Entries":
    """The entries of a dataset that have a move."""
    from ludus.datasets.morris.files import read

    entries = read(file)
    return entries[entries.has_move][: limit or None]


def _check_out(out: Path | None, folder: Path | None) -> None:
    """Find out before the training whether its result can be written."""
    if out is None or folder is None:
        return
    if out.exists() or out.is_symlink():
        raise LudusError(f"{quoted(str(out), 200)} is there already; name another file")


def _train(run: "ChainTraining", log: Path | None) -> None:
    from ludus.learn.nnmm.logs import Log

    curves = None if log is None else Log(log)
    try:
        for network, epoch in told(run.run(), run.num_networks):
            if curves is not None:
                curves.note(network, epoch)
    finally:
        if curves is not None:
            curves.close()


def _report(run: "ChainTraining", preset: str) -> dict[str, Any]:
    """Facts about the networks, which also go into their file."""
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
        "networks": [result.facts() for result in run.results.values()],
        "test": run.accuracy() if run.is_whole else None,
        "seconds": sum(result.seconds for result in run.results.values()),
    }


def _tell(report: dict[str, Any], json: bool) -> None:
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
        shares = "  ".join(f"{name} {share:.2%}" for name, share in report["test"].items())
        print(f"in pipeline, on the test part:  {shares}")


def _cross_validate(
    plan: "Preset", entries: "Entries", folds: int, parts: list[str], device: Any, json: bool
) -> None:
    from ludus.learn.nnmm.folds import CrossValidation

    run = CrossValidation(plan, entries, folds, device, parts)
    for _ in told(run.run(), run.num_networks):
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
                "  ".join(f"{share:.2%}" for share in each["folds"]),
            ]
            for part, each in found.items()
        ],
    )
