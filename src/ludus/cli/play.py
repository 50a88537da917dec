"""`ludus play`: play a game in the browser or in the terminal."""

import random
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import (
    JsonOption,
    OptionalGameArgument,
    PositionOption,
    RulesOption,
    parse_position,
)
from ludus.cli.output import dataclass_as_json, print_json
from ludus.core.game import AnyGame, Position
from ludus.games import game as named_game


class HumanSide(StrEnum):
    """The sides played by people."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"
    NONE = "none"

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of the sides."""
        return {"first": frozenset({0}), "second": frozenset({1}), "both": frozenset({0, 1})}.get(
            self, frozenset()
        )


DEFAULT_OPPONENT = "playouts"
"""The opponent in the terminal if --opponent is not given."""

LOOPBACK = "127.0.0.1"


def play(
    game: OptionalGameArgument = "nine_mens_morris",
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal.")] = False,
    opponent: Annotated[
        str,
        typer.Option(
            "--opponent",
            metavar="PLAYER",
            help="The player of the sides that people do not play.",
            show_default="one suited to beginners",
        ),
    ] = "",
    side: Annotated[
        HumanSide,
        typer.Option(
            "--side",
            metavar="first|second|both|none",
            help="Your side. both: two people play; none: you watch.",
        ),
    ] = HumanSide.FIRST,
    rules: RulesOption = "",
    position: PositionOption = "",
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed of the dice and the players.", show_default="a new one"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65_535,
            help="Port of the web server; 0: any free port.",
            show_default="8642, or any free port",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Address to listen on.")
    ] = LOOPBACK,
    games: Annotated[
        Path | None,
        typer.Option(
            "--games",
            metavar="FILE",
            help="File in which the page stores its games.",
            show_default="in the user's data folder",
        ),
    ] = None,
    tournament: Annotated[
        Path | None,
        typer.Option("--tournament", metavar="FILE", help="Show this tournament on the page."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option("--curves", metavar="DIR", help="Show the learning curves in DIR."),
    ] = None,
    trust_proxy: Annotated[
        str,
        typer.Option(
            "--trust-proxy",
            metavar="ADDRESS",
            help="Address of a proxy that names the clients in X-Forwarded-For.",
            show_default="none",
        ),
    ] = "",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    json: JsonOption = False,
) -> None:
    """Play a game in the browser or, with --text, in the terminal."""
    chosen = named_game(game, rules)
    start = parse_position(chosen, position)
    if text:
        _play_in_terminal(chosen, start, opponent or DEFAULT_OPPONENT, side, seed, json)
        return
    from ludus.cli.play_web import make_settings, make_start_path, serve_page

    first = make_start_path(game, rules, position, opponent, side, seed)
    settings = make_settings(host, games, tournament, curves, trust_proxy)
    serve_page(first, host, port, settings, browser, json)


def _play_in_terminal(
    chosen: AnyGame, start: Position, opponent: str, side: HumanSide, seed: int | None, json: bool
) -> None:
    from ludus.cli.terminal.screen import Screen
    from ludus.cli.terminal.session import GameHistory, TerminalSession

    if seed is None:
        seed = random.SystemRandom().getrandbits(31)
    # With --json the dialogue uses standard error; standard output has only the result.
    screen = Screen(stderr=json)
    session = TerminalSession(GameHistory(chosen, start), opponent, side.numbers, seed, screen)
    session.run()
    if json:
        outcome = session.history.position.outcome()
        print_json(
            game=session.game.id,
            rules=dataclass_as_json(session.game.rules),
            seed=seed,
            start=str(session.history.positions[0]),
            moves=[str(made.move) for made in session.history.moves],
            position=str(session.history.position),
            outcome=None if outcome is None else dataclass_as_json(outcome),
        )
