"""`ludus perft`: count move sequences, the usual check that rules are right."""

import time
from typing import Annotated, Any

import typer

from ludus.cli.interrupt import interruptible
from ludus.cli.options import GameName, Json, Rules, StartText
from ludus.cli.output import print_json, rules_as_json
from ludus.core.game import AnyGame
from ludus.games import game as named_game

MAX_DEPTH = 100


def perft(
    game: GameName,
    depth: Annotated[
        int, typer.Argument(min=0, max=MAX_DEPTH, help="Plies; a roll of the dice is one too.")
    ],
    rules: Rules = "",
    position: StartText = "",
    engine: Annotated[
        str,
        typer.Option(
            "--engine", metavar="ENGINE", help="native or python: who works out the moves."
        ),
    ] = "native",
    divide: Annotated[
        bool, typer.Option("--divide", help="Count behind each first move as well.")
    ] = False,
    json: Json = False,
) -> None:
    """Count the move sequences of a length: the usual check that rules are right."""
    chosen = named_game(game, rules, engine)
    start = chosen.parse(position) if position else chosen.start()
    began = time.perf_counter()
    shares = interruptible(lambda: _shares(chosen, start, depth)) if divide and depth else {}
    nodes = sum(shares.values()) or interruptible(lambda: chosen.perft(start, depth))
    seconds = time.perf_counter() - began
    if json:
        print_json(
            game=chosen.id,
            rules=rules_as_json(chosen.rules),
            position=str(start),
            depth=depth,
            engine=engine,
            nodes=nodes,
            seconds=round(seconds, 6),
            **({"divide": shares} if divide else {}),
        )
        return
    for move, count in shares.items():
        print(f"{move}: {count}")
    print(f"{nodes} nodes in {seconds:.2f} s")


def _shares(game: AnyGame, position: Any, depth: int) -> dict[str, int]:
    """The count behind every legal move, by how the move is written."""
    return {
        str(move): game.perft(position.play(move), depth - 1) for move in position.legal_moves()
    }
