"""`ludus backgammon hint|analyse|review|mat|convert|import`.

`hint` and `analyse` need bgsage or GNU Backgammon, `review` GNU Backgammon.
"""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.help import make_group
from ludus.cli.options import ForceOption, JsonOption, OutputFileOption, RulesOption
from ludus.cli.output import print_json, print_table, track_progress
from ludus.core.errors import BadRecord, LudusError, quote
from ludus.core.files import check_output, quote_path, read_text, write_text

if TYPE_CHECKING:
    from ludus.analysis import PositionAnalysis

app = make_group(
    help="Evaluate moves and games of backgammon, and convert them for other programs."
)

PliesOption = Annotated[
    int, typer.Option("--plies", min=0, max=2, help="Search depth of GNU Backgammon.")
]
EvaluatorPliesOption = Annotated[
    int | None,
    typer.Option(
        "--plies",
        min=0,
        max=2,
        help="Search depth; 0: a network alone.",
        show_default="1 for bgsage, 2 for gnubg",
    ),
]
EvaluatorOption = Annotated[
    str,
    typer.Option(
        "--evaluator",
        metavar="NAME",
        help="bgsage or gnubg.",
        show_default="the first of these that is installed",
    ),
]
GamesArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Games as records, .mat or .sgf.")
]
RecordArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Games written by `ludus match --record`.")
]


@app.command()
def hint(
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="Our text, XGID or gnubg's IDs.")
    ],
    plies: EvaluatorPliesOption = None,
    moves: Annotated[int, typer.Option(min=1, help="Moves to show.")] = 10,
    evaluator: EvaluatorOption = "",
    rules: RulesOption = "",
    json: JsonOption = False,
) -> None:
    """Rank the moves of a position, or evaluate its cube, by the best program that is installed."""
    from ludus.analysis import Analyst, find_evaluator
    from ludus.games import game as named_game
    from ludus.games.backgammon.position_ids import detect_rules, to_position_id, to_xgid

    game = named_game("backgammon", rules or detect_rules(position))
    parsed = game.parse(position)
    program = Analyst(game, evaluator=find_evaluator(game, evaluator, plies))
    ids = {"position_id": to_position_id(parsed), "xgid": to_xgid(parsed)}
    known = {
        **ids,
        "evaluator": program.title,
        "plies": program.plies,
        "cubeless": parsed.stakes is None,
    }
    if not json:
        kind = "cubeless" if parsed.stakes is None else "cubeful"
        heading = f"{ids['position_id']}  {ids['xgid']}\n{kind}, {program.title}"
    if parsed.dice is None:
        if parsed.phase not in ("cube", "doubled"):
            raise LudusError(f"{quote(position)} has no dice; moves are ranked only after a roll")
        cube = program.analyse(parsed).cube
        if cube is None:
            raise LudusError(f"{program.title} does not evaluate the cube")
        found = cube.to_json()
        if json:
            print_json(**known, cube=found)
            return
        print(heading)
        print_table(("action", "equity"), [[k, f"{v:+.3f}"] for k, v in found["equities"].items()])
        print(f"best: {found['best']}; {_format_chances(found)}")
        return
    if len(parsed.legal_moves()) == 1:
        raise LudusError(f"{quote(position)} has one legal move: {parsed.legal_moves()[0]}")
    shown = _format_ranking(program.analyse(parsed))[:moves]
    if json:
        print_json(**known, moves=shown)
        return
    print(heading)
    headings = ("move", "equity", "loss", "", "wins", "gammons", "loses gammons", "depth")
    print_table(headings, [_format_ranked_move(each) for each in shown])


def _format_ranking(analysis: "PositionAnalysis") -> list[dict[str, Any]]:
    from ludus.analysis.evaluation import format_chances, select_mark

    best = analysis.best.evaluation
    return [
        {
            "move": str(each.move),
            "equity": round(each.evaluation.points, 4),
            "loss": round(best.points - each.evaluation.points, 4),
            "mark": select_mark(best, each.evaluation),
            "depth": each.evaluation.lookahead,
            **format_chances(each.evaluation.chances),
        }
        for each in analysis.moves
    ]


def _format_chances(found: dict[str, Any]) -> str:
    names = {"win": "wins", "win_gammon": "gammons", "lose_gammon": "loses gammons"}
    return ", ".join(f"{title} {found[name]:.1%}" for name, title in names.items())


def _format_ranked_move(each: dict[str, Any]) -> list[str]:
    chances = [
        f"{each[name]:.1%}" if name in each else "" for name in ("win", "win_gammon", "lose_gammon")
    ]
    numbers = [f"{each['equity']:+.3f}", f"{each['loss']:.3f}"]
    return [each["move"], *numbers, each["mark"], *chances, each["depth"]]


@app.command("analyse")
def analyse_games(
    file: GamesArgument,
    plies: EvaluatorPliesOption = None,
    evaluator: EvaluatorOption = "",
    luck: Annotated[bool, typer.Option("--luck/--no-luck", help="Evaluate the rolls.")] = True,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the games with comments here."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Find the errors of recorded games, and rate each side's play and luck."""
    if out is not None:
        check_output(out, file, force=force)
    from ludus.analysis import Analyst, RecordsReview, annotate, find_evaluator
    from ludus.analysis.records import list_plies, load_game, review_plies
    from ludus.protocol.backgammon_files import format_games, read_games

    records = read_games(file)
    game = load_game(records[0])
    program = Analyst(game, evaluator=find_evaluator(game, evaluator, plies))
    recorded = list_plies(records)
    found = track_progress(review_plies(recorded, program, luck), len(recorded), "evaluating")
    reviewed = RecordsReview.collect(recorded, found, program)
    if out is not None:
        first, annotated = 1, []
        for record in records:
            annotated.append(annotate(record, reviewed, first))
            first += len({each.number for each in list_plies([record])})
        write_text(out, format_games(annotated, out.suffix))
    report = reviewed.to_json(game.sides)
    if json:
        print_json(**report)
        return
    keys = ("game", "turn", "side", "roll", "move", "mark", "loss", "best")
    headings = ("game", "turn", "side", "roll", "move", "", "loss", "better")
    rows = [[str(each[key] or "") for key in keys] for each in report["decisions"] if each["mark"]]
    print_table(headings, rows)
    for name, side in report["sides"].items():
        if side["performance_rating"] is not None:
            print(
                f"{name}: performance rating {side['performance_rating']:.2f} ({side['rating']}), "
                f"{side['moves']} moves and {side['cube_decisions']} cube decisions, "
                f"error {side['total_error']:.3f}, luck {side['luck']:+.3f}"
            )
    print(f"{'cubeless' if report['cubeless'] else 'cubeful'}, {report['evaluator']}")


@app.command()
def review(file: RecordArgument, plies: PliesOption = 2, json: JsonOption = False) -> None:
    """Evaluate every move of recorded games; mark errors and print each side's error per move."""
    from ludus.analysis import RecordsReview
    from ludus.analysis.records import list_plies, review_plies
    from ludus.core.record import Record
    from ludus.games.backgammon import Backgammon
    from ludus.protocol.gnubg_player import GnubgEvaluator

    evaluator = GnubgEvaluator(plies)
    recorded = [
        dataclasses.replace(each, position=dataclasses.replace(each.position, stakes=None))
        for each in list_plies(Record.parse_many(read_text(file)))
        if each.game.classify_decision(each.position, each.move) == "move"
    ]
    reviews = review_plies(recorded, evaluator, has_luck=False)
    found = track_progress(reviews, len(recorded), "evaluating")
    reviewed = RecordsReview.collect(recorded, found, evaluator)
    names = ("game", "turn", "side", "roll", "move", "best", "equity", "loss", "mark")
    decisions = reviewed.to_json(Backgammon.sides)["decisions"]
    moves = [{name: each[name] for name in names} for each in decisions]
    sides = {}
    for number, title in enumerate(Backgammon.sides):
        summary = reviewed.summarize(number)
        error = summary.error_per_decision
        sides[title] = {
            "error_per_move": None if error is None else round(error, 5),
            "rating": summary.rating,
        }
    if json:
        print_json(plies=plies, cubeless=True, moves=moves, sides=sides)
        return
    headings = ("game", "turn", "side", "roll", "move", "", "loss", "better")
    keys = ("game", "turn", "side", "roll", "move", "mark", "loss", "best")
    rows = [[str(each[key]) for key in keys] for each in moves if each["mark"]]
    print_table(headings, rows)
    for name, side in sides.items():
        if side["error_per_move"] is not None:
            print(
                f"{name}: error a move {side['error_per_move']:.4f}, plays like: {side['rating']}"
            )
    print(f"cubeless, {plies}-ply")


@app.command()
def mat(file: RecordArgument, out: OutputFileOption, force: ForceOption = False) -> None:
    """Write recorded games as a .mat file, which other backgammon programs read."""
    check_output(out, file, force=force)
    from ludus.core.record import Record
    from ludus.protocol.mat_files import format_mat

    records = Record.parse_many(read_text(file))
    if not records:
        raise BadRecord(f"{quote_path(file)} has no games")
    write_text(out, format_mat(records))


@app.command()
def convert(
    file: GamesArgument,
    out: OutputFileOption,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Convert games between records, .mat and .sgf; the suffix of --out selects the format."""
    check_output(out, file, force=force)
    from ludus.protocol.backgammon_files import format_games, read_games

    records = read_games(file)
    write_text(out, format_games(records, out.suffix))
    if json:
        print_json(games=len(records))
    else:
        print(f"{len(records)} {'record' if len(records) == 1 else 'records'}")


@app.command("import")
def import_scored_positions(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Positions scored by hand.")],
    out: OutputFileOption,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Check positions scored by hand and convert them for `ludus train gammon`."""
    check_output(out, file, force=force)
    from ludus.datasets.backgammon.scored_positions import (
        BadScoredPosition,
        format_scored_positions,
        parse_scored_positions,
    )

    try:
        positions = list(parse_scored_positions(read_text(file)))
    except BadScoredPosition as error:
        raise BadScoredPosition(f"{quote_path(file)}, {error}") from error
    write_text(out, format_scored_positions(positions))
    comments = sum(len(each.scores) for each in positions)
    if json:
        print_json(positions=len(positions), comments=comments)
    else:
        print(f"{len(positions)} positions with {comments} scores")
