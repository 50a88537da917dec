"""Arguments and options shared by several commands."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ludus.core.errors import BadPosition
from ludus.core.files import MAX_FILE_CHARACTERS, quote_path, read_text
from ludus.core.game import Game, P

T = TypeVar("T")


def complete_game(incomplete: str) -> list[str]:
    """Return the games, or the presets of a game, that continue a word."""
    from ludus.games import GAMES

    name, colon, _ = incomplete.partition(":")
    if colon and name in GAMES:
        words = [f"{name}:{preset}" for preset in GAMES[name].presets]
    else:
        words = list(GAMES)
    return [word for word in words if word.startswith(incomplete)]


def complete_player(incomplete: str) -> list[str]:
    """Return the players that continue a word."""
    from ludus.players import PLAYERS

    return [name for name in PLAYERS if name.startswith(incomplete)]


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, optionally with a preset and options: hexapawn, nine_mens_morris:lasker.",
        show_default=False,
        autocompletion=complete_game,
    ),
]

OptionalGameArgument = Annotated[
    str,
    typer.Argument(
        metavar="[GAME]",
        help="A game, optionally with a preset and options: nine_mens_morris:lasker.",
        autocompletion=complete_game,
    ),
]

PlayerArgument = Annotated[
    str,
    typer.Argument(
        metavar="PLAYER",
        help="A player, optionally with options: random, playouts:games=500.",
        show_default=False,
        autocompletion=complete_player,
    ),
]

DatasetArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Morris positions and moves, one per line, or Parquet; see docs/datasets.md.",
        show_default=False,
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

SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="The same seed gives the same results.")
]

AlternateOption = Annotated[
    bool,
    typer.Option("--alternate/--fixed", help="Who begins: each in turn, or the first player."),
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

DeviceOption = Annotated[str, typer.Option("--device", metavar="NAME", help="cpu, cuda or auto.")]

ThreadsOption = Annotated[
    int, typer.Option("--threads", min=0, max=1024, help="CPU threads; 0: torch's default.")
]

OutputFileOption = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="Output file.", show_default=False)
]

ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite an existing file.", show_default=False)
]

StudyOption = Annotated[
    Path | None,
    typer.Option("--study", metavar="FILE", help="Store the trials here, and resume from them."),
]


JobsOption = Annotated[
    int,
    typer.Option(min=0, max=1024, help="Number of worker processes; 0: one per core."),
]

ClusterOption = Annotated[
    str,
    typer.Option(
        "--cluster", metavar="auto|ADDRESS", help="Work on a Ray cluster; auto: this machine's."
    ),
]

# Limits of a player for each move.

TimeOption = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="Time per move.")
]
NodesOption = Annotated[int | None, typer.Option("--nodes", help="Positions to search per move.")]
DepthOption = Annotated[int | None, typer.Option("--depth", help="Search depth in plies.")]


def list_spec_files(*specs: str) -> list[Path]:
    """Return the paths that specs of players may read: each as a whole, and its option values.

    >>> list_spec_files("nnmm:weights=a.safetensors")
    [PosixPath('nnmm:weights=a.safetensors'), PosixPath('a.safetensors')]
    """
    values = (part.partition("=")[2].strip() for spec in specs for part in spec.split(","))
    return [Path(each) for each in (*specs, *values) if each]


def read_positions(path: Path, parse: Callable[[str], list[T]]) -> list[T]:
    """Return what a text of positions is parsed to; `-` is standard input. It must not be empty."""
    text = sys.stdin.read(MAX_FILE_CHARACTERS) if str(path) == "-" else read_text(path)
    try:
        found = parse(text)
    except BadPosition as error:
        raise BadPosition(f"{quote_path(path)}, {error}") from error
    if not found:
        raise BadPosition(f"{quote_path(path)} has no position")
    return found


def parse_position(game: Game[P, Any], text: str) -> P:
    """Return the position of a text; the start of the game if it is empty or `start`."""
    return game.start() if text.strip() in ("", "start") else game.parse(text)
