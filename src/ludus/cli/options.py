"""Arguments and options shared by several commands."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer

from ludus.core.errors import BadPosition, LudusError
from ludus.core.files import MAX_FILE_CHARACTERS, quote_path, read_text
from ludus.core.game import AnyGame, Game, P

T = TypeVar("T")


def complete_game(incomplete: str) -> list[str]:
    """Return the games, or the presets and options of a game, that continue a word."""
    from ludus.games import GAMES

    name, colon, _ = incomplete.partition(":")
    if not colon or name not in GAMES:
        return [each for each in GAMES if each.startswith(incomplete)]
    kind = GAMES[name]
    presets = [] if "," in incomplete else list(kind.presets)
    return _complete_options(incomplete, presets, next(iter(kind.presets.values())))


def complete_player(context: typer.Context, incomplete: str) -> list[str]:
    """Return the players of the game before, or the options of a player, that continue a word."""
    from ludus.games import resolve_game
    from ludus.players import PLAYERS

    name, colon, _ = incomplete.partition(":")
    if colon and name in PLAYERS:
        return _complete_options(incomplete, [], PLAYERS[name].options)
    names = [each for each in PLAYERS if each.startswith(incomplete)]
    spec = context.params.get("game")
    if not spec:
        return names
    try:
        game = type(resolve_game(spec))
    except LudusError:
        return names
    return [each for each in names if _can_play(each, game)]


def _can_play(name: str, game: type[AnyGame]) -> bool:
    from ludus.players import PLAYERS

    try:
        return PLAYERS[name].can_play(game)
    except (LudusError, ImportError):
        return False  # it needs a package that is not installed


def _complete_options(incomplete: str, words: Iterable[str], settings: Any) -> list[str]:
    """Return what continues the last part of a spec: a word, `key=` or `key=value`."""
    begun, mark, last = incomplete.rpartition("," if "," in incomplete else ":")
    found = list(words)
    if settings is not None:
        hints = get_type_hints(type(settings))
        for each in fields(settings):
            values = get_args(hints[each.name]) if get_origin(hints[each.name]) is Literal else ()
            found += [f"{each.name}={value}" for value in values] or [f"{each.name}="]
    return [f"{begun}{mark}{each}" for each in found if each.startswith(last)]


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

PositionOrGamesArgument = Annotated[
    str,
    typer.Argument(
        metavar="POSITION|FILE",
        help="A position, `start`, or a file of games; -: games on standard input.",
        show_default=False,
    ),
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
