"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, with a preset and options if you like: hexapawn, nine_mens_morris:lasker.",
        show_default=False,
    ),
]

Rules = Annotated[
    str,
    typer.Option(
        "--rules", metavar="RULES", help="A preset and options of the rules: lasker,men=9."
    ),
]

StartText = Annotated[
    str,
    typer.Option("--position", metavar="TEXT", help="Begin here, not at the start of the game."),
]

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, for programs.", show_default=False)
]

OracleFolder = Annotated[
    Path | None,
    typer.Option(
        "--oracle",
        metavar="DIR",
        help="A folder that `ludus solve` has written.",
        show_default="LUDUS_ORACLE, the user's data folder, or what is solved in no time",
    ),
]
