"""`ludus reproduce`: rerun published experiments and compare the results."""

import json as json_format
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    ClusterOption,
    JobsOption,
    JsonOption,
    SeedOption,
)
from ludus.cli.output import make_console, print_interruption, print_json, show_progress
from ludus.core.errors import LudusError
from ludus.core.files import make_folder, quote_path
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from ludus.reproduce.context import RunOptions
    from ludus.reproduce.experiment import Experiment
    from ludus.reproduce.results import ExperimentResults, Item

FILE_TABLE_WIDTH = 160
"""Width of a table if standard output is not a terminal."""


SizeOption = Annotated[
    str,
    typer.Option(
        "--size",
        metavar="quick|reduced|published|certain",
        help="Size of the run: quick, less than in the paper, as there, or precise.",
        show_default="set by the experiment",
    ),
]


ExperimentsOption = Annotated[
    Path | None,
    typer.Option(
        "--experiments",
        metavar="DIR",
        help="Folder of the experiments.",
        show_default="that of the checkout",
    ),
]


def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Experiments to run; none: show all published items and what came of them.",
            show_default=False,
        ),
    ] = None,
    is_list: Annotated[
        bool,
        typer.Option(
            "--list", help="List the experiments: source, cost of each size, stored results."
        ),
    ] = False,
    size: SizeOption = "",
    seed: SeedOption = 0,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Reports, figures and cached results.")
    ] = Path("reproduced"),
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    oracle: Annotated[
        Path | None,
        typer.Option(
            "--oracle",
            metavar="DIR",
            help="A folder written by `ludus solve`, for experiments that need one.",
        ),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            "--device",
            metavar="auto|cpu|cuda",
            help="Where networks are trained; auto: on a GPU if there is one.",
        ),
    ] = "auto",
    experiments: ExperimentsOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Discard cached results.")] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Store the results beside the experiment, too.")
    ] = False,
    from_results: Annotated[
        bool, typer.Option("--from-results", help="Run nothing; report what --save stored.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Reproduce published tables or figures and compare our results with them."""
    from ludus.reproduce.context import RunOptions
    from ludus.reproduce.experiment import find_experiment, find_experiments_folder
    from ludus.reproduce.results import read_results, store_results

    folder = find_experiments_folder(experiments)
    if is_list and ids:
        raise LudusError("--list lists all experiments; give no ids")
    _check_options(size, oracle, device, from_results, fresh or save)
    if not ids:
        _list_experiments(folder, json, has_items=not is_list)
        return
    chosen = [find_experiment(identity, folder) for identity in dict.fromkeys(ids)]
    options = RunOptions(size, seed, jobs, cluster, oracle, device, ignore_cache=fresh)
    done = []
    for experiment in chosen:
        results = read_results(experiment) if from_results else _run(experiment, out, options)
        if save:
            store_results(experiment, results)
        files = _write_report(results, out / experiment.id)
        done.append({**results.as_json(), "files": [str(path) for path in files]})
        if not json:
            _print_results(results, files[-1])
    if json:
        print(json_format.dumps(done[0] if len(done) == 1 else done))


def _check_options(
    size: str, oracle: Path | None, device: str, from_results: bool, is_changing: bool
) -> None:
    from ludus.learn.config import DEVICES
    from ludus.reproduce.experiment import RUN_SIZES

    if size:
        check_choice("there is no size", size, RUN_SIZES)
    check_choice("there is no device", device, DEVICES)
    if oracle is not None and not oracle.is_dir():
        raise LudusError(f"--oracle {quote_path(oracle)} is not a folder")
    if from_results and (is_changing or size):
        raise LudusError(
            "--from-results runs nothing; --size, --fresh and --save do not go with it"
        )


def _list_experiments(folder: Path, is_json: bool, has_items: bool) -> None:
    """List the experiments, or their published items; a broken one has the error in its row."""
    from ludus.reproduce.experiment import list_experiments
    from ludus.reproduce.report import ITEM_HEADINGS, format_item
    from ludus.reproduce.results import count_items, describe_experiment, list_stored_items

    experiments = list_experiments(folder)
    if not experiments:
        raise LudusError(f"there are no experiments in {quote_path(folder)}")
    described: list[dict[str, Any]] = []
    items: list[Item] = []
    for experiment in experiments:
        try:
            about = describe_experiment(experiment)
            items += list_stored_items(experiment) if has_items else ()
        except LudusError as error:
            about = {"id": experiment.id, "error": str(error)}
        described.append(about)
    if is_json:
        found = {"items": [item.as_json() for item in items]} if has_items else {}
        print_json(experiments=described, **found)
    elif has_items:
        broken = [
            (about["id"], *[""] * 4, f"broken: {about['error']}", "")
            for about in described
            if "error" in about
        ]
        rows = [format_item(item) for item in items]
        _print_result_table(ITEM_HEADINGS, rows + broken, text_columns=(0, 1, 5, 6))
        print(f"\n{count_items(items)}; `ludus reproduce --list` lists the experiments")
    else:
        headings = ("id", "what", "source", "how long", "stored")
        _print_result_table(headings, map(_format_experiment, described), text_columns=range(5))


def _format_experiment(about: dict[str, Any]) -> tuple[str, ...]:
    """Return the row of an experiment in the list."""
    if "error" in about:
        return about["id"], f"broken: {about['error']}", "", "", ""
    stored = about["stored"]
    when = "nothing" if stored is None else f"{stored['size']}, {stored['date']}"
    costs = ", ".join(f"{size} {cost}" for size, cost in about["sizes"].items())
    return about["id"], about["title"], about["source"], costs, when


def _run(experiment: "Experiment", out: Path, options: "RunOptions") -> "ExperimentResults":
    from ludus.reproduce.context import run_experiment

    make_folder(out / experiment.id)  # fail before the work if it is not writable
    try:
        with show_progress(experiment.id) as update:

            def progress(done: int, total: int, label: str) -> None:
                update(done, total, f"{experiment.id}: {label}")

            return run_experiment(experiment, out / "cells", replace(options, progress=progress))
    except KeyboardInterrupt:
        print_interruption(f"{experiment.id} is not done; run the same command to resume")
        raise


def _write_report(results: "ExperimentResults", folder: Path) -> list[Path]:
    from ludus.reproduce.report import write_report

    files, missing = write_report(results, folder)
    if missing:
        print(f"ludus: {missing}", file=sys.stderr)
    return files


def _print_result_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Collection[int] = (0,)
) -> None:
    """Print the table; if it is too wide, texts are folded and numbers are not.

    The last column is a text, too, and is left out if it is empty.
    """
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    last, rows = len(headings) - 1, list(rows)
    if not any(row[last] for row in rows):  # no row has a note
        headings, rows = headings[:last], [row[:last] for row in rows]
    for number, heading in enumerate(headings):
        is_text = number in text_columns or number == last
        table.add_column(heading, no_wrap=not is_text, justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*row)
    out = make_console()
    if not out.is_terminal:
        out.width = FILE_TABLE_WIDTH
    out.print(table)


def _print_results(results: "ExperimentResults", page: Path) -> None:
    from ludus.reproduce.report import CONCLUSION_HEADINGS, format_comparison, format_conclusion

    published = results.published
    print(f"{published.title}\n{published.source}; size {results.size}, seed {results.seed}\n")
    _print_result_table(*format_comparison(results.rows))
    for remark in results.findings.remarks:
        print(f"\n{remark}")
    if results.findings.conclusions:
        print()
        rows = [format_conclusion(conclusion) for conclusion in results.findings.conclusions]
        _print_result_table(CONCLUSION_HEADINGS, rows, text_columns=(0, 1))
    print(f"\nknown differences from the paper: {len(published.differences)}; the report: {page}")
