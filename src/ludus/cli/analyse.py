"""`ludus analyse`: evaluate the moves of a position, or find the mistakes of recorded games."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import (
    ForceOption,
    GameArgument,
    JsonOption,
    OracleOption,
    PositionOrGamesArgument,
    RulesOption,
    complete_player,
)
from ludus.cli.output import (
    dataclass_as_json,
    game_as_json,
    get_table_width,
    print_json,
    run_interruptible,
    track_progress,
)
from ludus.core.errors import BadRecord
from ludus.core.files import MAX_FILE_CHARACTERS, check_output, quote_path, write_text
from ludus.core.game import AnyGame
from ludus.core.player import check_decision
from ludus.games import detect_game

if TYPE_CHECKING:
    from ludus.analysis import Analyst
    from ludus.core.record import Record

EvaluatorOption = Annotated[
    str,
    typer.Option(
        "--evaluator",
        metavar="PLAYER",
        help="Evaluate unsolved positions by this player: gnubg, gammon:net=expert, scholar.",
        show_default="the best one of the game that is installed",
        autocompletion=complete_player,
    ),
]

PliesOption = Annotated[
    int | None,
    typer.Option(
        "--plies",
        min=0,
        max=2,
        help="Search depth of bgsage, gnubg and gammon; 0: a network alone.",
        show_default="the evaluator's own",
    ),
]


def analyse(
    game: GameArgument,
    what: PositionOrGamesArgument,
    rules: RulesOption = "",
    evaluator: EvaluatorOption = "",
    plies: PliesOption = None,
    oracle: OracleOption = None,
    moves: Annotated[int | None, typer.Option(min=1, help="Moves of a position to show.")] = None,
    luck: Annotated[
        bool, typer.Option("--luck/--no-luck", help="Measure the luck of the dice.")
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the games with comments here."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Evaluate the moves of a position, or find the mistakes of recorded games.

    Games are records, as `ludus match --record` writes them, and in backgammon .mat or .sgf.
    """
    from ludus.analysis import Analyst, find_evaluator
    from ludus.oracles import oracle as find_oracle

    chosen = detect_game(game, what, rules)
    is_file = what == "-" or os.path.isfile(what) or Path(what).suffix in chosen.record_suffixes
    records = read_games_of(Path(what), chosen) if is_file else []
    if records:
        from ludus.analysis.records import load_game

        chosen = load_game(records[0])
    if out is not None:
        check_output(out, *([Path(what)] if is_file else []), force=force)
        if not is_file:
            raise typer.BadParameter("--out is for games, not for a position")
    tables = None if oracle is None else find_oracle(chosen, oracle)
    analyst = Analyst(chosen, tables, find_evaluator(chosen, evaluator, plies, tables))
    if is_file:
        _analyse_games(records, analyst, luck, out, json)
    else:
        _analyse_position(chosen, what, analyst, moves, json)


def _analyse_position(
    game: AnyGame, text: str, analyst: "Analyst", max_moves: int | None, json: bool
) -> None:
    position = game.start() if text.strip() == "start" else game.parse(text)
    check_decision(position)
    found = run_interruptible(lambda: replace(analyst.analyse(position), position=position))
    if not json:
        print(found.format(get_table_width(), max_moves))
        return
    report = found.to_json()
    print_json(
        **game_as_json(game),
        position=str(position),
        notations=game.position_texts(position),
        evaluator=analyst.title,
        plies=analyst.plies,
        cubeless=game.stakes(position) is None,
        **{**report, "moves": report["moves"][:max_moves]},
    )


def read_games_of(file: Path, game: AnyGame) -> "list[Record]":
    """Read games of one kind; those that do not name it are taken for it."""
    from ludus.games.game_files import parse_games, read_games

    if str(file) == "-":
        records = parse_games(sys.stdin.read(MAX_FILE_CHARACTERS))
    else:
        records = read_games(file)
    if not records:
        raise BadRecord(f"{quote_path(file)} has no games")
    known = {"Game": game.id, "Rules": game.format_rules(game.rules)}
    records = [replace(each, headers={**known, **each.headers}) for each in records]
    for number, each in enumerate(records, 1):
        if (name := each.headers["Game"]) != game.id:
            raise BadRecord(f"{quote_path(file)}: game {number} is {name}, not {game.id}")
    return records


def _analyse_games(
    records: "list[Record]", analyst: "Analyst", luck: bool, out: Path | None, json: bool
) -> None:
    from ludus.analysis import RecordsReview, annotate_all
    from ludus.analysis.records import list_plies, review_plies
    from ludus.games.game_files import format_games

    plies = list_plies(records)
    found = track_progress(review_plies(plies, analyst, luck), len(plies), "evaluating")
    reviewed = RecordsReview.collect(plies, found, analyst)
    if out is not None:
        write_text(out, format_games(annotate_all(records, reviewed), out.suffix))
    game = analyst.game
    if json:
        print_json(
            game=game.id,
            rules=dataclass_as_json(game.rules),
            games=len(records),
            **reviewed.to_json(game.sides),
        )
    else:
        print(reviewed.format_table(get_table_width()))
