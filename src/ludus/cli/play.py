"""`ludus play`: a game in the terminal."""

import random
from enum import StrEnum
from typing import Annotated

import typer

from ludus.cli.options import Json, Rules, StartText
from ludus.cli.output import print_json, rules_as_json
from ludus.games import game as named_game


class Side(StrEnum):
    """Which sides a person plays."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"
    NONE = "none"


PEOPLE = {Side.FIRST: {0}, Side.SECOND: {1}, Side.BOTH: {0, 1}, Side.NONE: set[int]()}


def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="A game, with a preset and options if you like: nine_mens_morris:lasker.",
        ),
    ] = "nine_mens_morris",
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent", metavar="PLAYER", help="Who plays the sides that no person plays."
        ),
    ] = "playouts",
    side: Annotated[
        Side, typer.Option(help="Yours. With both, two people play; with none, you watch.")
    ] = Side.FIRST,
    rules: Rules = "",
    position: StartText = "",
    seed: Annotated[
        int | None,
        typer.Option(help="For the same dice and players' choices.", show_default="a new one"),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Play in the terminal, as this version always does.")
    ] = False,
    json: Json = False,
) -> None:
    """Play a game in the terminal, against a player or a person."""
    from ludus.cli.terminal.line import Line
    from ludus.cli.terminal.screen import Screen
    from ludus.cli.terminal.table import Table

    chosen = named_game(game, rules)
    start = chosen.parse(position) if position else chosen.start()
    if seed is None:
        seed = random.SystemRandom().getrandbits(31)
    # With --json people talk on standard error, and standard output is left to the result.
    screen = Screen(stderr=json)
    table = Table(Line(chosen, start), opponent, PEOPLE[side], seed, screen)
    table.run()
    if json:
        outcome = table.line.position.outcome()
        print_json(
            game=table.game.id,
            rules=rules_as_json(table.game.rules),
            seed=seed,
            start=str(table.line.positions[0]),
            moves=[str(made.move) for made in table.line.moves],
            position=str(table.line.position),
            outcome=None if outcome is None else rules_as_json(outcome),
        )
