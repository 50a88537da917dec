"""`ludus backgammon hint|analyse|review|mat|convert|import`.

`hint` and `analyse` need bgsage or GNU Backgammon, `review` GNU Backgammon.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.help import make_group
from ludus.cli.options import ForceOption, JsonOption, OutputFileOption, RulesOption
from ludus.cli.output import print_json, print_table, track_progress
from ludus.core.errors import BadRecord
from ludus.core.files import check_output, quote_path, read_text, write_text
from ludus.core.record import Record

app = make_group(
    help="Evaluate moves and games of backgammon, and convert them for other programs."
)

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
    from ludus.analysis import hint as find_hint

    found = find_hint(position, rules=rules, evaluator=evaluator, plies=plies).to_json(moves)
    if json:
        print_json(**found)
        return
    kind = "cubeless" if found["cubeless"] else "cubeful"
    print(f"{found['position_id']}  {found['xgid']}\n{kind}, {found['evaluator']}")
    if "cube" in found:
        equities = found["cube"]["equities"].items()
        print_table(("action", "equity"), [[action, f"{each:+.3f}"] for action, each in equities])
        print(f"best: {found['cube']['best']}; {_format_chances(found['cube'])}")
        return
    headings = ("move", "equity", "loss", "", "wins", "gammons", "loses gammons", "depth")
    print_table(headings, [_format_ranked_move(each) for each in found["moves"]])


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
    from ludus.analysis import Analyst, RecordsReview, annotate_all, find_evaluator
    from ludus.analysis.records import list_plies, load_game, review_plies
    from ludus.protocol.backgammon_files import format_games, read_games

    records = read_games(file)
    game = load_game(records[0])
    program = Analyst(game, evaluator=find_evaluator(game, evaluator, plies))
    recorded = list_plies(records)
    found = track_progress(review_plies(recorded, program, luck), len(recorded), "evaluating")
    reviewed = RecordsReview.collect(recorded, found, program)
    if out is not None:
        write_text(out, format_games(annotate_all(records, reviewed), out.suffix))
    report = reviewed.to_json(game.sides)
    if json:
        print_json(**report)
        return
    _print_errors(report["decisions"])
    for name, side in report["sides"].items():
        if side["performance_rating"] is not None:
            print(
                f"{name}: performance rating {side['performance_rating']:.2f} ({side['rating']}), "
                f"{side['moves']} moves and {side['cube_decisions']} cube decisions, "
                f"error {side['total_error']:.3f}, luck {side['luck']:+.3f}"
            )
    print(f"{'cubeless' if report['cubeless'] else 'cubeful'}, {report['evaluator']}")


def _print_errors(decisions: list[dict[str, Any]]) -> None:
    headings = ("game", "turn", "side", "roll", "move", "", "loss", "better")
    keys = ("game", "turn", "side", "roll", "move", "mark", "loss", "best")
    rows = [[str(each[key] or "") for key in keys] for each in decisions if each["mark"]]
    print_table(headings, rows)


@app.command()
def review(
    file: RecordArgument,
    plies: Annotated[
        int, typer.Option("--plies", min=0, max=2, help="Search depth of GNU Backgammon.")
    ] = 2,
    json: JsonOption = False,
) -> None:
    """Evaluate every move of recorded games; mark errors and print each side's error per move."""
    from ludus.analysis import RecordsReview
    from ludus.analysis.records import list_checker_plays, review_plies
    from ludus.games.backgammon import Backgammon
    from ludus.protocol.gnubg import GnubgEvaluator

    evaluator = GnubgEvaluator(plies)
    recorded = list_checker_plays(Record.parse_many(read_text(file)))
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
    _print_errors(moves)
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
