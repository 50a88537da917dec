"""`ludus reproduce`: a published table or figure beside ours."""

import json as json_format
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Json
from ludus.cli.output import console, print_json, print_table
from ludus.cli.tournament import Jobs
from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from ludus.reproduce.context import Progress
    from ludus.reproduce.experiment import Experiment
    from ludus.reproduce.results import Results

WIDE = 160
"""Columns of a table that goes into a file or another program."""


def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Experiments; none: list them.", show_default=False),
    ] = None,
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="quick|published|certain",
            help="As large as a glance, as the paper, or as certainty needs.",
            show_default="what the experiment says",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same figures.")] = 0,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Reports, figures, and what a run remembers."),
    ] = Path("reproduced"),
    jobs: Jobs = 0,
    oracle: Annotated[
        Path | None,
        typer.Option(
            "--oracle",
            metavar="DIR",
            help="A folder that `ludus solve` has written, for experiments that need one.",
        ),
    ] = None,
    experiments: Annotated[
        Path | None,
        typer.Option(
            "--experiments",
            metavar="DIR",
            help="The folder of experiments.",
            show_default="that of the checkout",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what an earlier run has computed.")
    ] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the results beside the experiment, too.")
    ] = False,
    from_results: Annotated[
        bool, typer.Option("--from-results", help="Run nothing; report what --save has kept.")
    ] = False,
    json: Json = False,
) -> None:
    """Run a published table or figure again and set ours beside it."""
    from ludus.reproduce.experiment import experiments_folder, listed, named

    folder = experiments_folder(experiments)
    if not ids:
        _list(listed(folder), json)
        return
    _check(size, oracle, from_results, fresh or save)
    chosen = [named(identity, folder) for identity in dict.fromkeys(ids)]
    done = []
    for experiment in chosen:
        results = _results(experiment, size, seed, out, jobs, oracle, fresh, from_results)
        if save:
            from ludus.reproduce.cells import write_whole

            write_whole(experiment.results, results.text())
        files = _report(results, out / experiment.id)
        done.append({**results.as_json(), "files": [str(path) for path in files]})
        if not json:
            _print(results, files[-1])
    if json:
        print(json_format.dumps(done[0] if len(done) == 1 else done))


def _check(size: str, oracle: Path | None, from_results: bool, is_changing: bool) -> None:
    from ludus.core.spec import suggestion
    from ludus.reproduce.published import SIZES

    if size and size not in SIZES:
        raise LudusError(f"there is no size {quoted(size)}{suggestion(size, SIZES)}")
    if oracle is not None and not oracle.is_dir():
        raise LudusError(f"--oracle {quoted(str(oracle), 200)} is not a folder")
    if from_results and (is_changing or size):
        raise LudusError(
            "--from-results runs nothing; --size, --fresh and --save do not go with it"
        )


def _list(experiments: list["Experiment"], is_json: bool) -> None:
    """Every experiment; one whose file is broken says so in its line."""
    rows: list[tuple[str, ...]] = []
    objects: list[dict[str, Any]] = []
    for experiment in experiments:
        try:
            published = experiment.published()
        except LudusError as error:
            rows.append((experiment.id, f"broken: {error}", "", ""))
            objects.append({"id": experiment.id, "error": str(error)})
            continue
        costs = {size: settings["cost"] for size, settings in published.sizes.items()}
        shown = ", ".join(f"{size} {cost}" for size, cost in costs.items())
        rows.append((published.id, published.title, published.source, shown))
        about = {"title": published.title, "source": published.source, "sizes": costs}
        objects.append({"id": published.id, **about, "default_size": published.default_size})
    if is_json:
        print_json(experiments=objects)
    elif rows:
        print_table(("id", "what", "source", "how long"), rows)
    else:
        print("there are no experiments in this folder")


def _results(
    experiment: "Experiment",
    size: str,
    seed: int,
    out: Path,
    jobs: int,
    oracle: Path | None,
    fresh: bool,
    from_results: bool,
) -> "Results":
    if from_results:
        from ludus.reproduce.results import read_results

        return read_results(experiment)
    from ludus.reproduce.cells import make_folder
    from ludus.reproduce.running import run_experiment

    make_folder(out / experiment.id)  # better an error now than after the work
    try:
        with _bar(experiment.id) as progress:
            return run_experiment(
                experiment,
                out / "cells",
                size=size,
                seed=seed,
                jobs=jobs,
                oracle=oracle,
                is_fresh=fresh,
                progress=progress,
            )
    except KeyboardInterrupt:
        print(f"ludus: {experiment.id} is not done; the same command goes on", file=sys.stderr)
        raise


@contextmanager
def _bar(identity: str) -> Iterator["Progress"]:
    """A bar on standard error while somebody can see it."""
    if not sys.stderr.isatty():
        yield lambda done, total, label: None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task(identity, total=None)

        def show(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total, description=f"{identity}: {label}")

        yield show


def _report(results: "Results", folder: Path) -> list[Path]:
    from ludus.reproduce.report import write_report

    files, missing = write_report(results, folder)
    if missing:
        print(f"ludus: {missing}", file=sys.stderr)
    return files


def _print_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The table; where it is too wide the texts are folded, and the numbers never."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    last = len(headings) - 1
    if not any(row[last] for row in rows):  # nobody has a note
        headings, rows = headings[:last], [row[:last] for row in rows]
    for number, heading in enumerate(headings):
        is_text = number in (0, last)
        table.add_column(heading, no_wrap=not is_text, justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*row)
    out = console()
    if not out.is_terminal:
        out.width = WIDE
    out.print(table)


def _print(results: "Results", page: Path) -> None:
    from ludus.reproduce.texts import HEADINGS, cells_of

    published = results.published
    print(f"{published.title}\n{published.source}; size {results.size}, seed {results.seed}\n")
    _print_rows(HEADINGS, [cells_of(row) for row in results.rows])
    for remark in results.findings.remarks:
        print(f"\n{remark}")
    print(f"\nknown differences from the paper: {len(published.differences)}; the report: {page}")
