"""`ludus rollout`: play out the moves of a backgammon position, or its cube actions."""

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import GameArgument, JsonOption, PositionArgument, RulesOption, SeedOption
from ludus.cli.output import game_as_json, print_interruption, print_json, show_progress
from ludus.core.errors import BadSpec
from ludus.games import detect_game

MovesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--move",
        metavar="MOVE",
        help="A move to roll out; may be repeated.",
        show_default="the five best ones by the network",
    ),
]


def rollout(
    game: GameArgument,
    position: PositionArgument,
    rules: RulesOption = "",
    moves: MovesOption = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each move, in rounds of 36.")] = 1296,
    network: Annotated[
        str,
        typer.Option(
            "--network", metavar="NAME|FILE", help="expert, selfplay, or a file of `ludus train`."
        ),
    ] = "expert",
    plies: Annotated[
        int, typer.Option(min=0, max=2, help="Lookahead by which moves are chosen.")
    ] = 0,
    horizon: Annotated[
        int, typer.Option(min=0, help="Rolls after which games are estimated; 0: none.")
    ] = 0,
    cube: Annotated[
        bool, typer.Option("--cube/--no-cube", help="Use the cube, where the rules have one.")
    ] = True,
    luck: Annotated[
        bool, typer.Option("--luck/--no-luck", help="Leave the luck of the dice in the results.")
    ] = False,
    max_error: Annotated[
        float, typer.Option(min=0.0, help="Stop when no standard error is above this.")
    ] = 0.0,
    separation: Annotated[
        float,
        typer.Option(
            min=0.0, help="Give up moves this many standard errors behind the best one; 0: never."
        ),
    ] = 4.0,
    seed: SeedOption = 0,
    jobs: Annotated[
        int, typer.Option(min=0, max=256, help="Number of threads; 0: one per core.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Keep the games here, and go on from them."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play out the moves of a backgammon position, or its cube actions, to the end of the game."""
    from ludus.learn.gammon.rollout import rollout as roll_out

    chosen = detect_game(game, position, rules)
    if chosen.id != "backgammon":
        raise BadSpec(f"there are rollouts of backgammon alone, not of {chosen.id}")
    here = chosen.parse(position)
    try:
        with show_progress("rolling out") as update:
            found = roll_out(
                chosen,
                here,
                network=network,
                moves=moves,
                out=out,
                on_progress=update,
                threads=jobs,
                games=games,
                plies=plies,
                horizon=horizon,
                is_cubeful=cube,
                is_luck_removed=not luck,
                seed=seed,
                max_error=max_error,
                separation=separation,
            )
    except KeyboardInterrupt:
        if out is not None:
            print_interruption(f"interrupted; the same command goes on from {out}")
        raise
    if json:
        print_json(**{**game_as_json(chosen), **found.to_json()})
    else:
        print(f"{here.text()}\n\n{found}")
