"""`ludus games` and `ludus players`: what there is."""

import dataclasses
from typing import Annotated, Any

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table, rules_as_json
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import PLAYERS


def games(json: Json = False) -> None:
    """List the games, their presets and the options of their rules."""
    kinds = [GAMES[name] for name in GAMES]
    if json:
        print_json(
            games=[
                {
                    "id": kind.id,
                    "title": kind.title,
                    "sides": kind.sides,
                    "presets": {name: rules_as_json(rules) for name, rules in kind.presets.items()},
                }
                for kind in kinds
            ]
        )
        return
    rows = [
        (kind.id, ", ".join(kind.presets), _written(next(iter(kind.presets.values()))))
        for kind in kinds
    ]
    print_table(("game", "presets", "options"), rows)


def players(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="Only who plays this game.", show_default=False)
    ] = "",
    json: Json = False,
) -> None:
    """List the players and their options."""
    wanted = named_game(game).id if game else None
    kinds = {
        name: kind
        for name in PLAYERS
        for kind in [PLAYERS[name]]
        if wanted is None or kind.games is None or wanted in kind.games
    }
    if json:
        print_json(
            players=[
                {
                    "name": name,
                    "title": kind.title,
                    "options": rules_as_json(kind.options),
                    "games": sorted(GAMES if kind.games is None else kind.games),
                }
                for name, kind in kinds.items()
            ]
        )
        return
    rows = [(name, kind.title, _written(kind.options)) for name, kind in kinds.items()]
    print_table(("player", "what it does", "options"), rows)


def _written(options: Any) -> str:
    """Options with their values, as a spec has them."""
    if options is None:
        return ""
    values = ((field.name, getattr(options, field.name)) for field in dataclasses.fields(options))
    return ", ".join(f"{name}={_word(value)}" for name, value in values)


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
