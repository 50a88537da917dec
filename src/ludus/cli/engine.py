"""`ludus engine`: a player for other programs, in a text protocol on standard input and output."""

import os
import sys
from typing import Annotated

import typer

from ludus.cli.options import Rules
from ludus.cli.output import print_json, rules_as_json


def engine(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="A game, with a preset and options if you like: nine_mens_morris:lasker.",
        ),
    ] = "nine_mens_morris",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="Who plays, with options if you like: negascout:level=5.",
            show_default="negascout, playouts or perfect, as fits the game",
        ),
    ] = "",
    rules: Rules = "",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same moves.")] = 0,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print who plays and what can be set, and end.", show_default=False
        ),
    ] = False,
) -> None:
    """Play for another program: a UCI-like engine on standard input and output."""
    from ludus.core.errors import LudusError
    from ludus.protocol.engine import serve
    from ludus.protocol.table import Table

    table = Table(game, rules, player, seed)
    if json:
        print_json(
            game=table.game.id,
            rules=rules_as_json(table.game.rules),
            player=table.player.spec,
            seed=seed,
            options=[{"name": option.name, "default": option.default} for option in table.options],
        )
        table.close()
        return
    if sys.stdin is None or sys.stdout is None:
        raise LudusError("an engine needs standard input and standard output")
    if not serve(table, sys.stdin.fileno(), sys.stdout.fileno()):
        # A thread is left in compiled code or in somebody's player; nothing is left to tidy up.
        os._exit(0)
