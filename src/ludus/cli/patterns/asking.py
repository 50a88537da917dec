"""What the commands about patterns share."""

from typing import Annotated

import typer

SettingsText = Annotated[
    str,
    typer.Option(
        "--settings",
        metavar="OPTIONS",
        help="Options of the Fuzzy player: preset=tuned, or k=3,wL=15.",
    ),
]

SeedRules = Annotated[
    str, typer.Option("--rules", metavar="RULES", help="A preset and options of the rules.")
]
