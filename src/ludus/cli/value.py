"""`ludus value`: what perfect play makes of a position, and of every move in it."""

from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.interrupt import interruptible
from ludus.cli.options import GameName, Json, OracleFolder, Rules
from ludus.cli.output import print_json, print_table, rules_as_json
from ludus.core.game import AnyGame
from ludus.core.marks import Marks
from ludus.games import game as named_game

if TYPE_CHECKING:
    from ludus.oracle import RatedMove, Value

START = "start"


def value(
    game: GameName,
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="A position, or start for the first one.", show_default=False
        ),
    ],
    rules: Rules = "",
    oracle: OracleFolder = None,
    json: Json = False,
) -> None:
    """Tell what perfect play makes of a position, and of every move in it."""
    from ludus.oracle import oracle_for

    chosen = named_game(game, rules)
    place = chosen.start() if position.strip() == START else chosen.parse(position)
    asked = oracle_for(chosen, oracle)
    found, moves = interruptible(lambda: (asked.value(place), asked.moves(place)))
    if json:
        print_json(
            game=chosen.id,
            rules=rules_as_json(chosen.rules),
            position=str(place),
            value=found.result,
            depth=found.depth,
            moves=[
                {"move": str(each.move), "value": each.value, "depth": each.depth} for each in moves
            ],
        )
        return
    print(place.text(_marks(chosen, found, moves)), end="\n\n")
    if place.outcome() is None:
        print(f"{chosen.sides[place.mover].capitalize()} to move: {found}")
        _print_moves(found, moves)


def _marks(game: AnyGame, found: "Value", moves: "list[RatedMove]") -> Marks:
    """Where to begin: good if a move that begins there keeps the value, bad if none does."""
    good = {game.steps(each.move)[0] for each in moves if each.value == found.result}
    begun = dict.fromkeys((game.steps(each.move)[0] for each in moves), "bad")
    return Marks(points=begun | dict.fromkeys(good, "good"))


def _print_moves(found: "Value", moves: "list[RatedMove]") -> None:
    rows = [
        (
            "✓" if each.value == found.result else "✗",
            str(each.move),
            each.value,
            "" if each.depth is None else str(each.depth),
        )
        for each in moves
    ]
    print_table(("", "move", "value", "plies"), rows)
