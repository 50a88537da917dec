"""`ludus certify scholar`: prove that a scorer does not lose, with exceptions where it would."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import DeviceOption, ForceOption, JsonOption, OracleOption
from ludus.cli.output import print_json, print_table
from ludus.core.errors import BadSpec, quote

if TYPE_CHECKING:
    from ludus.learn.scholar.visit import VisitCounts

MAX_DIGITS = 9
"""Longest number that is read; Python refuses those of thousands of digits."""


WeightsOption = Annotated[
    Path | None,
    typer.Option(
        "--weights", metavar="FILE", help="Scorer.", show_default="the shipped one of --size"
    ),
]
SizeOption = Annotated[str, typer.Option("--size", metavar="SIZE", help="A shipped scorer.")]
ExceptionsOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="File of exceptions; a player uses it beside the weights, as NAME.exceptions.",
        show_default="beside the weights",
    ),
]
ColourOption = Annotated[
    str, typer.Option("--colour", metavar="COLOUR", help="Of the scholar: white, black, both.")
]
ErrorsOption = Annotated[
    str,
    typer.Option(
        "--errors", metavar="N", help="How often the opponent may give the value away, or any."
    ),
]
LossAversionOption = Annotated[
    float | None,
    typer.Option(
        "--loss-aversion",
        help="Of the player, its option loss_aversion.",
        show_default="the player's own, 400; with --check that of the file",
    ),
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Play the exceptions of --out, and find none missing.")
]
PositionsOption = Annotated[
    Path | None,
    typer.Option(
        "--positions",
        metavar="FILE",
        help="Begin at these positions, the scholar to move.",
        show_default="the start of the game",
    ),
]
MinutesOption = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        help="Stop before this time is over; the same command goes on later.",
        show_default="no limit",
    ),
]
MovesOption = Annotated[
    int | None,
    typer.Option(min=1, help="Stop after this number of own moves.", show_default="no limit"),
]


def certify(
    weights: WeightsOption = None,
    size: SizeOption = "full",
    out: ExceptionsOption = None,
    colour: ColourOption = "both",
    errors: ErrorsOption = "0",
    loss_aversion: LossAversionOption = None,
    check: CheckOption = False,
    positions: PositionsOption = None,
    minutes: MinutesOption = None,
    moves: MovesOption = None,
    device: DeviceOption = "auto",
    oracle: OracleOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Visit all positions that can arise, and store a move where the scholar would err.

    With the stored moves it cannot lose to an opponent that never gives the value away.
    """
    from ludus.core.extras import require_package

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
