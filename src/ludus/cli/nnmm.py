"""`ludus evaluate nnmm`, `ludus import nnmm` and `ludus join nnmm` (Galassi 2018)."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ludus.cli.help import make_group
from ludus.cli.options import DatasetArgument, ForceOption, JsonOption, OutputFileOption
from ludus.cli.output import print_json, print_table, track_progress
from ludus.core.files import check_output
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.batch import MoveBatch
    from ludus.learn.common.move_explanation import DecodingRule
    from ludus.learn.nnmm.chain import VotingOptions
    from ludus.learn.nnmm.evaluate import Evaluation, ProportionTable

SPLIT_PARTS = ("all", "training", "validation", "test")
EXPANSION_RECIPES = ("none", "published", "symmetries")

evaluate_app = make_group(help="Evaluate a trained learner on a dataset.")


@evaluate_app.command()
def nnmm(
    file: DatasetArgument,
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Networks written by `ludus train nnmm` or `ludus nnmm`.",
            show_default="the shipped networks",
        ),
    ] = "",
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="NAME",
            help="Name of the shipped networks.",
            show_default="the best of them",
        ),
    ] = "",
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Order, such as TFR.")
    ] = "",
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="Expansion of the entries: published, symmetries, or none.",
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
        typer.Option("--rule", metavar="RULE", help="parts: greedy decoding. joint: beam search."),
    ] = "parts",
    symmetries: Annotated[int, typer.Option(help="Symmetries to average over, 1 to 16.")] = 1,
    breadth: Annotated[int, typer.Option(help="Beam width of the rule joint.")] = 3,
    json: JsonOption = False,
) -> None:
    """Evaluate Morris networks: accuracy and legality as in chapter 6 of Galassi 2016."""
    from ludus.learn.nnmm.chain import DEFAULT_SIZE, load_chain
    from ludus.learn.nnmm.evaluate import combine_evaluations, count_batches, evaluate_batches

    check_choice("there is no recipe", recipe, EXPANSION_RECIPES)
    check_choice("there is no part", part, SPLIT_PARTS)
    chain = load_chain(weights, size or DEFAULT_SIZE, order)
    entries = _select_entries(file, recipe, part)
    began = time.perf_counter()
    parts = evaluate_batches(chain, entries, cast("DecodingRule", rule), symmetries, breadth)
    found = combine_evaluations(track_progress(parts, count_batches(entries), "evaluating"))
    seconds = time.perf_counter() - began
    about = {"file": str(file), "recipe": recipe, "part": part, "order": str(chain.order)}
    options = {"rule": rule, "symmetries": symmetries, "breadth": breadth}
    _print_evaluation(
        found, {**about, **options, "entries": len(entries), "seconds": round(seconds, 3)}, json
    )


def _select_entries(file: "DatasetArgument", recipe: str, part: str) -> "MoveBatch":
    from ludus.datasets import augment, read_dataset
    from ludus.learn.nnmm.splits import split_contiguously

    entries = read_dataset(file)
    if recipe != "none":
        entries = augment(entries, recipe)
    if part == "all":
        return entries
    found: MoveBatch = getattr(split_contiguously(entries), part)
    return found


def _print_evaluation(found: "Evaluation", about: dict[str, Any], is_json: bool) -> None:
    if is_json:
        legality = {judge: _lines_as_json(lines) for judge, lines in found.legality.items()}
        print_json(**about, accuracy=_lines_as_json(found.accuracy), legality=legality)
        return
    print(f"{about['entries']} positions, order {about['order']}, {about['seconds']:.1f} s")
    tables = {"accuracy": found.accuracy}
    tables |= {f"legal by {judge}": lines for judge, lines in found.legality.items()}
    for title, lines in tables.items():
        rows = [
            (
                name,
                "–" if proportion.percent is None else f"{proportion.percent:.4f}",
                f"{proportion.hits}/{proportion.total}",
            )
            for name, proportion in lines.items()
        ]
        if rows:
            print()
            print_table((title, "%", "of"), rows)


def _lines_as_json(lines: "ProportionTable") -> dict[str, Any]:
    return {
        name: {"percent": proportion.percent, "hits": proportion.hits, "of": proportion.total}
        for name, proportion in lines.items()
    }


nnmm_app = make_group(
    help="Networks for nine men's morris: import those of Galassi 2018, join several sets."
)


@nnmm_app.command("import")
def import_networks(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of Galassi's npz files: TEST-rawest-TFR_TO.npz and so on.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Networks of this order.")
    ] = "TFR",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Convert the networks published with Galassi 2018 to a weights file for players."""
    check_output(out, force=force)
    from ludus.learn.nnmm.weights import import_galassi_networks, save_weights

    weights = import_galassi_networks(folder, order)
    save_weights(out, weights)
    names = [step.name for step in weights.order.steps]
    if json:
        print_json(
            out=str(out),
            order=order,
            inputs=weights.model.name,
            networks=names,
            bytes=out.stat().st_size,
        )
    else:
        print(f"networks for {', '.join(names)}, inputs {weights.model.name}, are in {out}")


@nnmm_app.command()
def join(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Sets of networks written by `ludus train nnmm` or `ludus import nnmm`.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="NUMBERS",
            help="Weights of the sets: 0.4,0.6.",
            show_default="equal weights",
        ),
    ] = "",
    symmetries: Annotated[
        str,
        typer.Option(
            "--symmetries",
            metavar="NUMBERS",
            help="Number of symmetries that each set averages over, 1 to 16: 1,16.",
            show_default="one",
        ),
    ] = "",
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Join several sets of networks in one file; their weighted mean chooses the move."""
    check_output(out, *files, force=force)
    from ludus.learn.nnmm.chain import Committee, save_committee
    from ludus.learn.nnmm.weights import load_weights

    voting = _parse_set_options(len(files), {"share": shares, "symmetries": symmetries})
    committee = Committee.combine(*map(load_weights, files), voting=voting)
    save_committee(out, committee, half)
    rows = [
        {"inputs": weights.model.name, "members": len(weights.members)}
        | {"share": way.share, "symmetries": way.symmetries, "file": str(file)}
        for file, weights, way in zip(files, committee.sets, committee.voting, strict=True)
    ]
    if json:
        print_json(out=str(out), order=str(committee.order), sets=rows, bytes=out.stat().st_size)
    else:
        print_table(tuple(rows[0]), [tuple(map(str, each.values())) for each in rows])
        print(f"written to {out}")


def _parse_set_options(sets: int, lists: dict[str, str]) -> "list[VotingOptions]":
    """Return the voting options of each set; a list has one number per set or is empty."""
    from ludus.core.errors import BadSpec, check_length, quote
    from ludus.core.spec import apply_options
    from ludus.learn.nnmm.chain import VotingOptions

    options: list[dict[str, str]] = [{} for _ in range(sets)]
    for name, text in lists.items():
        numbers = check_length(text, BadSpec).split(",") if text else []
        if text and len(numbers) != sets:
            raise BadSpec(f"{quote(text)} has {len(numbers)} numbers for {sets} sets of networks")
        for each, number in zip(options, numbers, strict=False):
            each[name] = number.strip()
    return [apply_options(VotingOptions(), each, "nnmm join") for each in options]
