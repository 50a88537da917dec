"""`ludus choose`: one move for each position of a file."""

import time as clock
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.files import read_file, whole_file
from ludus.cli.limits import Depth, Nodes, Time
from ludus.cli.match import PlayerName
from ludus.cli.options import GameName, Json, Rules
from ludus.cli.output import print_json, with_progress
from ludus.core.errors import BadPosition, UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.games import game as named_game
from ludus.players import player as named_player


def choose(
    game: GameName,
    player: PlayerName,
    positions: Annotated[
        Path,
        typer.Option(
            "--positions", metavar="FILE", help="Positions, one a line.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write the moves here.", show_default="standard output"
        ),
    ] = None,
    notation: Annotated[
        str,
        typer.Option(
            "--notation",
            metavar="NOTATION",
            help="How moves are written: auto, game, or for Morris thesis or playok.",
        ),
    ] = "auto",
    rules: Rules = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same moves.")] = 0,
    time: Time = None,
    nodes: Nodes = None,
    depth: Depth = None,
    json: Json = False,
) -> None:
    """Write a player's move for every position of a file, one a line."""
    from typing import get_args

    from ludus.arena.choose import Notation, batch_for, choose_all, read_positions
    from ludus.core.limit import Limit

    if notation not in get_args(Notation):
        hint = suggestion(notation, get_args(Notation))
        raise UnknownName(f"there is no notation {quoted(notation)}{hint}")
    chosen = named_game(game, rules)
    limit = Limit(time, nodes, depth)
    who = named_player(player, chosen)
    try:
        asked = read_positions(read_file(positions), chosen, notation)
    except BadPosition as error:
        raise BadPosition(f"{quoted(str(positions), 200)}, {error}") from error
    who.begin(seed)
    began = clock.perf_counter()
    moves: list[str] = []
    with whole_file(out) if out is not None else nullcontext() as file:
        batch = batch_for(who)
        batches = -(-len(asked) // batch)
        for part in with_progress(choose_all(who, asked, limit, batch), batches, "choosing"):
            if file is not None:
                file.writelines(f"{move}\n" for move in part)
            else:
                moves += part
    seconds = clock.perf_counter() - began
    if json:
        where = {"moves": moves} if out is None else {"out": str(out)}
        print_json(positions=len(asked), seconds=round(seconds, 3), **where)
    elif out is None:
        for move in moves:
            print(move)
    else:
        print(f"{len(asked)} moves in {seconds:.1f} s")
