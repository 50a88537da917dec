"""`ludus play`: a game on the page in the browser, or in the terminal."""

import random
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.options import Json, Rules, StartText
from ludus.cli.output import print_json, rules_as_json
from ludus.core.game import AnyGame
from ludus.games import game as named_game


class Side(StrEnum):
    """Which sides a person plays."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"
    NONE = "none"


PEOPLE = {Side.FIRST: {0}, Side.SECOND: {1}, Side.BOTH: {0, 1}, Side.NONE: set[int]()}

OPPONENT = "playouts"
"""Who plays in the terminal if nobody is named."""

LOOPBACK = "127.0.0.1"


def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="A game, with a preset and options if you like: nine_mens_morris:lasker.",
        ),
    ] = "nine_mens_morris",
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal.")] = False,
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent",
            metavar="PLAYER",
            help="Who plays the sides that no person plays.",
            show_default="one that a newcomer can play with",
        ),
    ] = "",
    side: Annotated[
        Side, typer.Option(help="Yours. With both, two people play; with none, you watch.")
    ] = Side.FIRST,
    rules: Rules = "",
    position: StartText = "",
    seed: Annotated[
        int | None,
        typer.Option(help="For the same dice and players' choices.", show_default="a new one"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65_535,
            help="Where the page is; 0 takes any free port.",
            show_default="8642, or any that is free",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="NAME", help="Whom the page is for; by default this machine alone."
        ),
    ] = LOOPBACK,
    games: Annotated[
        Path | None,
        typer.Option(
            "--games",
            metavar="FILE",
            help="Where the page keeps its games.",
            show_default="in the user's data folder",
        ),
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option("--tournament", metavar="FILE", help="Show this tournament on the page."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option("--curves", metavar="DIR", help="Show the curves of a training in DIR."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser where there is one.")
    ] = True,
    json: Json = False,
) -> None:
    """Play on a page in the browser or, with --text, in the terminal."""
    chosen = named_game(game, rules)
    start = chosen.parse(position) if position else chosen.start()
    if text:
        _in_terminal(chosen, start, opponent or OPPONENT, side, seed, json)
        return
    from ludus.cli.page import first_address, open_page, settings_for

    first = first_address(game, rules, position, opponent, side, seed)
    settings = settings_for(host, games, tournament, curves)
    open_page(first, host, port, settings, browser, json)


def _in_terminal(
    chosen: AnyGame, start: Any, opponent: str, side: Side, seed: int | None, json: bool
) -> None:
    from ludus.cli.terminal.line import Line
    from ludus.cli.terminal.screen import Screen
    from ludus.cli.terminal.table import Table

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
