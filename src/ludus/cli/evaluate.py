"""`ludus evaluate SYSTEM`: how good a learner has become on a dataset."""

import time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ludus.cli.dataset_stats import DatasetFile
from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table, with_progress

if TYPE_CHECKING:
    from ludus.datasets.morris.entries import Entries
    from ludus.learn.nnmm.chain import Rule
    from ludus.learn.nnmm.evaluation import Evaluation
    from ludus.learn.nnmm.shares import Lines

PARTS = ("all", "training", "validation", "test")
RECIPES = ("none", "published", "symmetries")

app = typer.Typer(
    help="Test what a learner has learned.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def nnmm(
    file: DatasetFile,
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Networks that `ludus train nnmm` or `ludus nnmm` wrote.",
            show_default="those that come with the program",
        ),
    ] = "",
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="NAME",
            help="Which of the shipped networks.",
            show_default="the best of them",
        ),
    ] = "",
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Their order, such as TFR.")
    ] = "",
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="How the entries are expanded: published, symmetries, or none.",
        ),
    ] = "published",
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="PART",
            help="all, or the training, validation or test part of the author's split.",
        ),
    ] = "all",
    rule: Annotated[
        str,
        typer.Option("--rule", metavar="RULE", help="parts: one by one. joint: the whole move."),
    ] = "parts",
    symmetries: Annotated[
        int, typer.Option("--symmetries", help="Average over so many symmetries, 1 to 16.")
    ] = 1,
    breadth: Annotated[
        int, typer.Option("--breadth", help="How many moves the rule joint follows.")
    ] = 3,
    json: Json = False,
) -> None:
    """Test networks for nine men's morris: accuracy and legality, all lines of chapter 6."""
    from ludus.learn.nnmm import shipped
    from ludus.learn.nnmm.evaluation import evaluations, joined, num_batches

    _check(recipe, RECIPES, "--recipe")
    _check(part, PARTS, "--part")
    chain = shipped.chain(weights, size or shipped.BEST, order)
    entries = _entries(file, recipe, part)
    began = time.perf_counter()
    parts = evaluations(chain, entries, cast("Rule", rule), symmetries, breadth)
    found = joined(with_progress(parts, num_batches(entries), "evaluating"))
    seconds = time.perf_counter() - began
    about = {"file": str(file), "recipe": recipe, "part": part, "order": str(chain.order)}
    asked = {"rule": rule, "symmetries": symmetries, "breadth": breadth}
    _report(found, {**about, **asked, "entries": len(entries), "seconds": round(seconds, 3)}, json)


def _check(word: str, known: tuple[str, ...], option: str) -> None:
    from ludus.core.errors import BadSpec, quoted

    if word not in known:
        raise BadSpec(f"{option} {quoted(word)} must be one of {', '.join(known)}")


def _entries(file: "DatasetFile", recipe: str, part: str) -> "Entries":
    from ludus.datasets.morris import expand, read
    from ludus.learn.nnmm.splits import contiguous

    entries = read(file)
    if recipe != "none":
        entries = expand(entries, recipe)
    if part == "all":
        return entries
    found: Entries = getattr(contiguous(entries), part)
    return found


def _report(found: "Evaluation", about: dict[str, Any], is_json: bool) -> None:
    if is_json:
        legality = {judge: _as_json(lines) for judge, lines in found.legality.items()}
        print_json(**about, accuracy=_as_json(found.accuracy), legality=legality)
        return
    print(f"{about['entries']} positions, order {about['order']}, {about['seconds']:.1f} s")
    tables = {"accuracy": found.accuracy}
    tables |= {f"legal by {judge}": lines for judge, lines in found.legality.items()}
    for title, lines in tables.items():
        rows = [
            (
                name,
                "–" if share.percent is None else f"{share.percent:.4f}",
                f"{share.hits}/{share.of}",
            )
            for name, share in lines.items()
        ]
        if rows:
            print()
            print_table((title, "%", "of"), rows)


def _as_json(lines: "Lines") -> dict[str, Any]:
    return {
        name: {"percent": share.percent, "hits": share.hits, "of": share.of}
        for name, share in lines.items()
    }
