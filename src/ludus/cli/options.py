"""Arguments and options shared by several commands, and groups of commands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.core.game import Game, P

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, optionally with a preset and options: hexapawn, nine_mens_morris:lasker.",
        show_default=False,
    ),
]

OptionalGameArgument = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]",
        help="A game, optionally with a preset and options: nine_mens_morris:lasker.",
    ),
]

PositionArgument = Annotated[
    str, typer.Argument(metavar="POSITION", help="A position, or `start`.", show_default=False)
]

RulesOption = Annotated[
    str,
    typer.Option("--rules", metavar="RULES", help="Preset and options of the rules: lasker,men=9."),
]

PositionOption = Annotated[
    str,
    typer.Option("--position", metavar="TEXT", help="Start from this position."),
]

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object.", show_default=False)
]

OracleOption = Annotated[
    Path | None,
    typer.Option(
        "--oracle",
        metavar="DIR",
        help="A folder written by `ludus solve`.",
        show_default="LUDUS_ORACLE, the user's data folder, or a quick solution in memory",
    ),
]

OutputFileOption = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="Output file.", show_default=False)
]

TrainedFileOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Output file; resumes an interrupted training."),
]

StudyOption = Annotated[
    Path | None,
    typer.Option("--study", metavar="FILE", help="Store the trials here, and resume from them."),
]


# Limits of a player for each move.

TimeOption = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="Time per move.")
]
NodesOption = Annotated[int | None, typer.Option("--nodes", help="Positions to search per move.")]
DepthOption = Annotated[int | None, typer.Option("--depth", help="Search depth in plies.")]


def parse_position(game: Game[P, Any], text: str) -> P:
    """Return the position of a text; the start of the game if it is empty or `start`."""
    return game.start() if text.strip() in ("", "start") else game.parse(text)


def make_group(help: str, **settings: Any) -> typer.Typer:  # noqa: A002 - typer's name
    """Return a group of commands that prints its help if no command is given."""
    group = typer.Typer(
        help=help, context_settings={"help_option_names": ["-h", "--help"]}, **settings
    )

    @group.callback(invoke_without_command=True)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return group
