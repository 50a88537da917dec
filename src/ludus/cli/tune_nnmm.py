"""`ludus tune nnmm`: search for the networks and trainings that answer best."""

import dataclasses
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.files import whole_file
from ludus.cli.options import Json
from ludus.cli.output import console, print_json
from ludus.cli.train_nnmm import (
    Data,
    Device,
    Limit,
    PresetName,
    Presets,
    Set,
    Threads,
    configured,
    need_torch,
    read_entries,
)
from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.learn.nnmm.splits import Split
    from ludus.learn.nnmm.tuning import Found, Report, Search
    from ludus.learn.nnmm.tuning_workers import RayTrials, ThisProcess

NAME = "tuned"
"""What the preset is called in the file that is written."""


def nnmm(
    data: Data,
    preset: PresetName = "quick",
    presets: Presets = None,
    options: Set = "",
    part: Annotated[
        str, typer.Option("--part", metavar="PART", help="The network that is trained.")
    ] = "TO",
    trials: Annotated[int, typer.Option("--trials", help="Configurations to try.")] = 30,
    architecture: Annotated[
        list[str] | None,
        typer.Option("--architecture", metavar="NAME", help="Only these; may be repeated."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds-per-network", metavar="SECONDS", help="Stop each after so long."),
    ] = None,
    limit: Limit = 0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=10**6, help="The same seed, the same search.")
    ] = 0,
    device: Device = "auto",
    threads: Threads = 0,
    cluster: Annotated[
        str,
        typer.Option("--cluster", metavar="ADDRESS", help="Use a Ray cluster; auto: this one's."),
    ] = "",
    study: Annotated[
        Path | None,
        typer.Option(
            "--study", metavar="FILE", help="Keep the trials here, and go on if it has some."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the best one, to train with --presets."),
    ] = None,
    json: Json = False,
) -> None:
    """Search for the configuration with the best validation accuracy (needs torch and optuna)."""
    need_torch()
    from ludus.learn.nnmm.preset import as_toml
    from ludus.learn.nnmm.splits import split
    from ludus.learn.nnmm.tuning import Search

    base = configured(preset, presets, options, {}, seconds, seed)
    architectures = {"architectures": tuple(architecture)} if architecture else {}
    plan = Search(base, part, trials, seed=seed, **architectures)
    settings = base.training
    parts = split(read_entries(data, limit), settings.split, settings.expansion, settings.seed)
    found = _searched(plan, parts, device, cluster, threads, study)
    if out is not None:
        with whole_file(out) as file:
            file.write(as_toml(found.preset, NAME))
    if json:
        print_json(
            part=part,
            trials=found.trials,
            accuracy=found.accuracy,
            design=found.preset.design.as_dict(),
            training=dataclasses.asdict(found.preset.training),
        )
        return
    print(as_toml(found.preset, NAME))
    print(f"# {part}: {found.accuracy:.2%} of the validation part, best of {found.trials} trials")


def _searched(
    plan: "Search", parts: "Split", device: str, cluster: str, threads: int, study: Path | None
) -> "Found":
    from ludus.learn.nnmm.chain_training import fingerprint
    from ludus.learn.nnmm.tuning import search

    if study is not None and not study.parent.is_dir():
        raise LudusError(f"there is no folder for {quoted(str(study), 200)}")
    data = fingerprint(parts)
    with closing(_workers(plan, parts, device, cluster, threads)) as workers, _bar(plan) as report:
        return search(plan, workers, study, data, report)


@contextmanager
def _bar(plan: "Search") -> "Iterator[Report]":
    """A bar on standard error while somebody can see it."""
    if not sys.stderr.isatty():
        yield lambda done, best: None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task("searching", total=plan.trials)

        def report(done: int, best: float) -> None:
            bars.update(task, completed=done, description=f"searching, best {best:.2%}")

        yield report


def _workers(
    plan: "Search", parts: "Split", device: str, cluster: str, threads: int
) -> "ThisProcess | RayTrials":
    from ludus.learn.nnmm.tuning_workers import RayTrials, ThisProcess

    if cluster:
        return RayTrials(cluster, plan.part, parts, device, threads or 1)
    return ThisProcess(plan.part, parts, device, threads)
