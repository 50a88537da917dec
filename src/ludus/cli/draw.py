"""`ludus draw`: a picture of a position or a game, or an animation of a game."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.analyse import read_games_of
from ludus.cli.options import (
    ForceOption,
    GameArgument,
    JsonOption,
    OutputFileOption,
    PositionOrGamesArgument,
    RulesOption,
)
from ludus.cli.output import print_json
from ludus.core.errors import BadRecord
from ludus.core.files import check_output, quote_path
from ludus.games import detect_game

if TYPE_CHECKING:
    from ludus.core.record import Record
    from ludus.render.theme import Theme


def draw(
    game: GameArgument,
    what: PositionOrGamesArgument,
    out: OutputFileOption,
    rules: RulesOption = "",
    number: Annotated[
        int, typer.Option("--game", min=1, help="Number of the game in its file.")
    ] = 1,
    moves: Annotated[
        int | None,
        typer.Option(min=0, help="Moves and rolls of the game to draw.", show_default="all"),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(min=100, max=4000, help="Pixels.", show_default="1200, of a .gif 600"),
    ] = None,
    dark: Annotated[
        bool, typer.Option("--dark", help="Draw a dark board.", show_default=False)
    ] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Draw a position or a game as .png or .svg, or all moves of a game as .gif.

    .png and .gif need `pip install 'ludus-games[pictures]'`.
    """
    from ludus.games import save_card

    chosen = detect_game(game, what, rules)
    is_file = what == "-" or os.path.isfile(what) or Path(what).suffix in chosen.record_suffixes
    check_output(out, *([Path(what)] if is_file and what != "-" else []), force=force)
    theme: Theme = "dark" if dark else "light"
    if is_file:
        from ludus.analysis.records import load_game

        record = _select_game(read_games_of(Path(what), chosen), what, number, moves)
        save_card(load_game(record), record, out, theme, width)
    elif moves is not None:
        raise typer.BadParameter("--moves is for games, not for a position")
    else:
        position = chosen.start() if what.strip() == "start" else chosen.parse(what)
        save_card(chosen, position, out, theme, width)
    if json:
        print_json(file=str(out), bytes=out.stat().st_size)
    else:
        print(f"{quote_path(out)}, {out.stat().st_size:,} bytes")


def _select_game(
    records: "list[Record]", file: str, number: int, max_moves: int | None
) -> "Record":
    """Return a game of a file, up to a move."""
    if number > len(records):
        raise BadRecord(f"{quote_path(Path(file))} has {len(records)} games, not {number}")
    record = records[number - 1]
    if max_moves is None:
        return record
    line = replace(record.line, moves=record.line.moves[:max_moves])
    return replace(record, line=line, first_ply=record.first_ply if line.moves else 0)
