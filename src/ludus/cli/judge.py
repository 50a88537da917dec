"""`ludus judge`: compare the moves of games played elsewhere with the best ones."""

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.analyse import EvaluatorOption, PliesOption
from ludus.cli.options import ForceOption, JsonOption, OracleOption, complete_game
from ludus.cli.output import get_table_width, print_json, track_progress
from ludus.core.errors import BadSpec
from ludus.core.files import check_output, quote_path, write_bytes, write_text
from ludus.core.parquet import import_pyarrow, is_parquet

PLOT_PIXELS = 1520
"""Width of the picture as .png."""


def judge(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Games: OpenSpiel, Kaggle replays, PlayOK, Sanmill, .mat, .sgf, records.",
            show_default=False,
        ),
    ],
    game: Annotated[
        str,
        typer.Option(
            "--game",
            metavar="GAME",
            help="The game of files that do not name it.",
            autocompletion=complete_game,
        ),
    ] = "",
    oracle: OracleOption = None,
    evaluator: EvaluatorOption = "",
    plies: PliesOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.parquet", help="Write a row for each move here."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the result as .svg or .png."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Compare the moves of games played elsewhere with perfect play.

    Prints for each player and phase what the moves give away, the critical positions that were
    kept, illegal moves, and the first errors.
    """
    from ludus.arena.judge import judge as judge_games

    for each in filter(None, (out, plot)):
        check_output(each, *files, force=force)
    if out is not None:
        if not is_parquet(out):
            raise BadSpec(f"{quote_path(out)} does not end in .parquet")
        import_pyarrow()
    if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
        raise BadSpec(f"{quote_path(plot)} does not end in .svg or .png")
    found = judge_games(
        files,
        game=game,
        oracle=oracle,
        evaluator=evaluator,
        plies=plies,
        track=lambda games, total: track_progress(games, total, "comparing"),
    )
    if out is not None:
        found.write_parquet(out)
    if plot is not None:
        if plot.suffix.lower() == ".svg":
            write_text(plot, found.draw().svg())
        else:
            from ludus.render.raster import render_png

            write_bytes(plot, render_png(found.draw(), PLOT_PIXELS))
    if json:
        print_json(game=found.game.id, **found.to_json())
    else:
        print(found.format(get_table_width()))
