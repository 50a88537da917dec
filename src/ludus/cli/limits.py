"""How much a player may spend on a move, as options of a command."""

from typing import Annotated

import typer

Time = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="Time for each move.")
]
Nodes = Annotated[int | None, typer.Option("--nodes", help="Positions to visit for each move.")]
Depth = Annotated[int | None, typer.Option("--depth", help="Plies to look ahead.")]
