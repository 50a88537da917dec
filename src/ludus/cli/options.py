"""Arguments and options shared by several commands."""

from pathlib import Path
from typing import Annotated

import typer

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, optionally with a preset and options: hexapawn, nine_mens_morris:lasker.",
        show_default=False,
    ),
]

RulesOption = Annotated[
    str,
    typer.Option("--rules", metavar="RULES", help="Preset and options of the rules: lasker,men=9."),
]

PositionOption = Annotated[
    str,
    typer.Option("--position", metavar="TEXT", help="Start from this position."),
]

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object.", show_default=False)
]

OracleOption = Annotated[
    Path | None,
    typer.Option(
        "--oracle",
        metavar="DIR",
        help="A folder written by `ludus solve`.",
        show_default="LUDUS_ORACLE, the user's data folder, or a quick solution in memory",
    ),
]


# Limits of a player for each move.

TimeOption = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="Time per move.")
]
NodesOption = Annotated[int | None, typer.Option("--nodes", help="Positions to search per move.")]
DepthOption = Annotated[int | None, typer.Option("--depth", help="Search depth in plies.")]
