"""`ludus evaluate` and `ludus certify`: how well a learner does; that it does not lose."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ludus.cli.options import DatasetArgument, DeviceOption, ForceOption, JsonOption, OracleOption
from ludus.cli.output import print_json, print_table, show_progress
from ludus.core.errors import BadSpec, quote
from ludus.core.extras import require_package
from ludus.core.files import check_output, write_text

if TYPE_CHECKING:
    from ludus.learn.gammon.evaluation import GammonEvaluation
    from ludus.learn.move_explanation import DecodingRule
    from ludus.learn.nnmm.evaluate import ChainEvaluation, EvaluatedPart, Recipe
    from ludus.learn.scholar.visit import Prevented, VisitCounts

MAX_DIGITS = 9
"""Longest number that is read; Python refuses those of thousands of digits."""


NetworksOption = Annotated[
    str,
    typer.Option(
        "--weights",
        metavar="FILE",
        help="Networks written by `ludus train nnmm`, `import nnmm` or `join nnmm`.",
        show_default="the shipped networks",
    ),
]


def evaluate_nnmm(
    file: DatasetArgument,
    weights: NetworksOption = "",
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
    from ludus.datasets import read_dataset
    from ludus.learn.nnmm.chain import DEFAULT_SIZE, load_chain
    from ludus.learn.nnmm.evaluate import evaluate_dataset

    chain = load_chain(weights, size or DEFAULT_SIZE, order)
    entries = read_dataset(file)
    began = time.perf_counter()
    with show_progress("evaluating") as update:
        found = evaluate_dataset(
            chain,
            entries,
            cast("Recipe", recipe),
            cast("EvaluatedPart", part),
            cast("DecodingRule", rule),
            symmetries,
            breadth,
            on_progress=update,
        )
    about = {
        "file": str(file),
        "recipe": recipe,
        "part": part,
        "order": str(chain.order),
        "rule": rule,
        "symmetries": symmetries,
        "breadth": breadth,
        "entries": found.num_entries,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if json:
        print_json(**about, **found.to_dict())
    else:
        _print_evaluation(found, about)


def _print_evaluation(found: "ChainEvaluation", about: dict[str, Any]) -> None:
    print(f"{about['entries']} positions, order {about['order']}, {about['seconds']:.1f} s")
    tables = {"accuracy": found.accuracy}
    tables |= {f"legal by {judge}": lines for judge, lines in found.legality.items()}
    for title, lines in tables.items():
        rows = [
            (
                name,
                "–" if hits.percent is None else f"{hits.percent:.4f}",
                f"{hits.hits}/{hits.total}",
            )
            for name, hits in lines.items()
        ]
        if rows:
            print()
            print_table((title, "%", "of"), rows)


def evaluate_gammon(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A network that `ludus train gammon` has written, paper or comparison.",
        ),
    ] = "paper",
    test: Annotated[
        Path | None,
        typer.Option(
            "--test",
            metavar="FILE",
            help="Scored positions.",
            show_default="the 1000 test positions",
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the weights as Hinton diagrams."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Evaluate a backgammon network of 1988: agreement with the expert, and its weights."""
    from ludus.learn.gammon.data import load_test_positions, read_scored_positions
    from ludus.learn.gammon.evaluation import GammonEvaluation, draw_weights
    from ludus.learn.gammon.network import load_network

    if svg is not None:
        check_output(svg, force=force)
    network = load_network(file)
    positions = load_test_positions() if test is None else read_scored_positions(test)
    found = GammonEvaluation.of(network, positions)
    if svg is not None:
        write_text(svg, draw_weights(network).svg())
    if json:
        print_json(**found.to_dict())
    else:
        _print_gammon_evaluation(found)


def _print_gammon_evaluation(found: "GammonEvaluation") -> None:
    hits, count = found.agreement
    print(
        f"{found.network}: the expert's move in {hits} of {count} positions, {hits / count:.1%}\n"
    )
    rows = [
        (theme, f"{100 * own / of:.1f}", f"{own}/{of}") for theme, (own, of) in found.themes.items()
    ]
    print_table(("theme", "%", "of"), rows)
    print()
    units = [
        (
            "output" if len(found.units) == 1 else str(number),
            "" if unit.outgoing is None else f"{unit.outgoing:+.2f}",
            "; ".join(f"{name} {weight:+.2f}" for name, weight in unit.strongest),
        )
        for number, unit in enumerate(found.units, 1)
    ]
    print_table(("unit", "to the output", "inputs with the largest weights"), units)


ScorerOption = Annotated[
    Path | None,
    typer.Option(
        "--weights", metavar="FILE", help="Scorer.", show_default="the shipped one of --size"
    ),
]


ExceptionsOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="File of exceptions; a player uses it beside the weights, as NAME.exceptions.",
        show_default="beside the weights",
    ),
]


StartsOption = Annotated[
    Path | None,
    typer.Option(
        "--positions",
        metavar="FILE",
        help="Begin at these positions, the scholar to move.",
        show_default="the start of the game",
    ),
]


ErrorsOption = Annotated[
    str,
    typer.Option(
        "--errors",
        metavar="N",
        help="How often the opponent may give the value away; any: it may play any moves.",
    ),
]

PreventOption = Annotated[
    str,
    typer.Option(
        "--prevent",
        metavar="WHAT",
        help="errors: store a move wherever the scholar would give away a draw or a win. "
        "losses: only where it would give away the draw; with --errors any no opponent can "
        "then win against it.",
    ),
]


def certify(
    weights: ScorerOption = None,
    size: Annotated[str, typer.Option("--size", metavar="SIZE", help="A shipped scorer.")] = "full",
    out: ExceptionsOption = None,
    colour: Annotated[
        str, typer.Option("--colour", metavar="COLOUR", help="Of the scholar: white, black, both.")
    ] = "both",
    errors: ErrorsOption = "0",
    prevent: PreventOption = "errors",
    loss_aversion: Annotated[
        float | None,
        typer.Option(
            "--loss-aversion",
            help="Of the player, its option loss_aversion.",
            show_default="the player's own, 400; with --check that of the file",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Play the exceptions of --out, and find none missing.")
    ] = False,
    positions: StartsOption = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Stop before this time is over; the same command goes on later.",
            show_default="no limit",
        ),
    ] = None,
    moves: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this number of own moves.", show_default="no limit"),
    ] = None,
    device: DeviceOption = "auto",
    oracle: OracleOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Visit all positions that can arise, and store a move where the scholar would err.

    With the stored moves it cannot lose to an opponent that never gives the value away, with
    --errors any to no opponent.
    """
    require_package("torch", "visiting positions")
    from ludus.learn.scholar.certificate import COLOURS
    from ludus.learn.scholar.certificate import certify as certify_scorer
    from ludus.learn.scholar.visit import ANY_NUMBER

    certificate = certify_scorer(
        weights,
        size=size,
        out=out,
        colours=COLOURS if colour == "both" else (colour,),
        opponent_errors=ANY_NUMBER if errors == "any" else _parse_errors(errors),
        prevented=cast("Prevented", prevent),
        loss_aversion=loss_aversion,
        check=check,
        positions=positions,
        seconds=float("inf") if minutes is None else 60 * minutes,
        own_moves=moves,
        device=device,
        oracle=oracle,
        force=force,
        on_progress=_print_progress,
    )
    report = certificate.report()
    if json:
        print_json(**report)
    else:
        print_table(["", ""], [[name, str(value)] for name, value in report.items()])
    if certificate.missing:
        if not json:
            print(f"{certificate.missing} exceptions are missing in {certificate.file}")
        raise typer.Exit(1)


def _print_progress(counts: "VisitCounts") -> None:
    print(
        f"{counts.seconds:6.0f} s  move {counts.own_moves}  visited {counts.visited}  "
        f"critical {counts.critical}  exceptions {counts.exceptions}",
        file=sys.stderr,
        flush=True,
    )


def _parse_errors(text: str) -> int:
    if not text.isdecimal() or len(text) > MAX_DIGITS:
        raise BadSpec(f"--errors is a number or any, not {quote(text)}")
    return int(text)
