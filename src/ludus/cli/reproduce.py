"""`ludus reproduce`: rerun published experiments and compare the results."""

import json as json_format
import sys
import textwrap
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
from ludus.core.files import make_folder, quote_path, write_text
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from ludus.reproduce.context import RunOptions
    from ludus.reproduce.experiment import Experiment
    from ludus.reproduce.papers import Paper
    from ludus.reproduce.results import ExperimentResults

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
        show_default="that of Ludus",
    ),
]


AllOption = Annotated[bool, typer.Option("--all", help="Of papers, list every item.")]

HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Of papers, write a page with all figures."),
]


def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Experiments to run; or papers, to show what came of them; none: all papers.",
            show_default=False,
        ),
    ] = None,
    is_list: Annotated[
        bool,
        typer.Option(
            "--list", help="List the experiments: source, cost of each size, stored results."
        ),
    ] = False,
    has_all: AllOption = False,
    html: HtmlOption = None,
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
    """Show what came of published tables and figures, or reproduce them and compare."""
    from ludus.reproduce.context import RunOptions
    from ludus.reproduce.experiment import find_experiment, find_experiments_folder
    from ludus.reproduce.results import read_results, store_results

    folder = find_experiments_folder(experiments)
    if is_list and ids:
        raise LudusError("--list lists all experiments; give no ids")
    _check_options(size, oracle, device, from_results, fresh or save)
    if is_list:
        _list_experiments(folder, json)
        return
    if papers := _find_papers(folder, ids or []):
        _show_papers(papers, json, has_all, html)
        return
    if has_all or html is not None:
        raise LudusError("--all and --html go with papers, not with single experiments")
    chosen = [find_experiment(identity, folder) for identity in dict.fromkeys(ids or [])]
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


def _find_papers(folder: Path, names: Sequence[str]) -> "list[Paper]":
    """Return the papers with these names, all if there are none; empty if one is no paper."""
    from ludus.reproduce.papers import list_papers

    found = _find_experiments(folder)
    if not set(names) <= {experiment.paper for experiment in found}:
        return []
    papers = list_papers(each for each in found if not names or each.paper in names)
    if not papers:
        raise LudusError(
            f"nothing is published for {', '.join(names)}; it has measurements of ours"
        )
    return papers


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


def _list_experiments(folder: Path, is_json: bool) -> None:
    """List the experiments; a broken one has the error in its row."""
    described = [_describe(experiment) for experiment in _find_experiments(folder)]
    if is_json:
        print_json(experiments=described)
        return
    headings = ("id", "what", "source", "how long", "stored")
    _print_result_table(headings, map(_format_experiment, described), text_columns=range(5))


def _describe(experiment: "Experiment") -> dict[str, Any]:
    from ludus.reproduce.results import describe_experiment

    try:
        return describe_experiment(experiment)
    except LudusError as error:
        return {"id": experiment.id, "error": str(error)}


def _find_experiments(folder: Path) -> "list[Experiment]":
    from ludus.reproduce.experiment import list_experiments

    if not (experiments := list_experiments(folder)):
        raise LudusError(f"there are no experiments in {quote_path(folder)}")
    return experiments


def _show_papers(
    papers: "Sequence[Paper]", is_json: bool, has_all: bool, page: Path | None
) -> None:
    """Print one page about the papers, or their full lists; write the HTML page if asked to."""
    from ludus.reproduce import papers as pages

    if page is not None:
        with show_progress("figures") as update:
            text = "\n".join(pages.iterate_html(papers, update))
        write_text(page, text)
    if is_json:
        print_json(
            experiments=[_describe(each) for paper in papers for each in paper.experiments],
            papers=[pages.as_json(paper) for paper in papers],
            items=[item.as_json() for paper in papers for item in paper.items],
        )
        return
    for paper in papers:
        counts, main = pages.make_count_table(paper), pages.make_main_table(paper)
        print(f"{paper.title}\n")
        _print_result_table(counts.headings, counts.rows, text_columns=(0,))
        if main.rows:
            print()
            _print_result_table(main.headings, main.rows, text_columns=(0, 1))
        for identity, error in paper.errors.items():
            print(f"{identity} is broken: {error}")
        print()
        if has_all:
            table = pages.make_item_table(paper)
            _print_result_table(table.headings, table.rows, text_columns=(0, 1, 5, 6))
        elif len(papers) == 1:
            _print_unmet(paper)
    name = papers[0].name if len(papers) == 1 else "PAPER"
    more = (
        f"`ludus reproduce {name} --all` lists all items, `--html FILE` writes a page with figures"
    )
    if len(papers) > 1:
        names = ", ".join(paper.name for paper in papers)
        more = f"`ludus reproduce PAPER` ({names}) says what differs and why; {more}"
    print(f"{more}; `--list` lists the experiments.")


def _print_unmet(paper: "Paper") -> None:
    """Print what does not agree, with each reason once below the items that it is about."""
    from ludus.reproduce.papers import EXPLANATIONS, format_unmet_item

    width = min(make_console().width, FILE_TABLE_WIDTH)
    for status, groups in paper.list_unmet():
        number = sum(len(items) for _, items in groups)
        print(f"{status}, {EXPLANATIONS[status]} ({number}):\n")
        for reason, items in groups:
            for item in items:
                print(textwrap.fill(format_unmet_item(item), width, subsequent_indent="  "))
            print(textwrap.fill(reason, width, initial_indent="    ", subsequent_indent="    "))
            print()


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
