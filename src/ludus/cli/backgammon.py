"""`ludus backgammon`: what players of backgammon ask for. Judging needs GNU Backgammon."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.files import read_file, whole_file
from ludus.cli.options import Json
from ludus.cli.output import print_json, print_table, with_progress
from ludus.core.errors import LudusError, quoted

app = typer.Typer(
    help="Judge moves and games of backgammon, and exchange them with other programs.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Plies = Annotated[
    int, typer.Option("--plies", min=0, max=2, help="How far ahead, as GNU Backgammon counts.")
]
RecordFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Games as `ludus match --record` writes them.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write here.", show_default=False)]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def hint(
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="With dice: our text, XGID or gnubg's IDs.")
    ],
    plies: Plies = 2,
    moves: Annotated[int, typer.Option("--moves", min=1, help="Show so many moves.")] = 10,
    json: Json = False,
) -> None:
    """Rank the moves of a position: equity, loss against the best move, chances."""
    from ludus.games.backgammon import Backgammon, position_id, xgid
    from ludus.protocol.gnubg import rank
    from ludus.protocol.review import mark

    here = Backgammon().parse(position)
    if here.dice is None:
        raise LudusError(f"{quoted(position)} has no dice; only a roll can be judged")
    if len(here.legal_moves()) == 1:
        raise LudusError(f"{quoted(position)} has one legal move: {here.legal_moves()[0]}")
    (ranked,) = rank([here], plies)
    best = max(each.equity for each in ranked.values())
    shown = [
        {
            "move": str(move),
            "equity": round(each.equity, 4),
            "loss": round(best - each.equity, 4),
            "mark": mark(best - each.equity),
            "win": round(each.win, 4),
            "win_gammon": round(each.win_gammon, 4),
            "lose_gammon": round(each.lose_gammon, 4),
        }
        for move, each in list(ranked.items())[:moves]
    ]
    if json:
        ids = {"position_id": position_id(here), "xgid": xgid(here)}
        print_json(**ids, plies=plies, cubeless=True, moves=shown)
        return
    print(f"{position_id(here)}  {xgid(here)}\ncubeless, {plies}-ply")
    headings = ("move", "equity", "loss", "", "wins", "gammons", "loses gammons")
    print_table(headings, [_row(each) for each in shown])


def _row(each: dict[str, Any]) -> list[str]:
    chances = [f"{each[name]:.1%}" for name in ("win", "win_gammon", "lose_gammon")]
    return [each["move"], f"{each['equity']:+.3f}", f"{each['loss']:.3f}", each["mark"], *chances]


@app.command()
def review(file: RecordFile, plies: Plies = 2, json: Json = False) -> None:
    """Judge every move of recorded games, with marks and the error a move of both sides."""
    from ludus.core.record import Record
    from ludus.games.backgammon import Backgammon
    from ludus.protocol.review import decisions, judge

    game = Backgammon()
    records = Record.parse_many(read_file(file))
    made = [(n, made) for n, record in enumerate(records, 1) for made in decisions(record, game)]
    judged = judge([each for _, each in made], plies)
    found = list(with_progress(judged, len(made), "judging"))
    moves = [
        {
            "game": number,
            "turn": each.number,
            "side": game.sides[each.position.turn],
            "roll": "{}{}".format(*each.position.dice or ()),
            "move": str(each.move),
            "best": str(each.best),
            "equity": round(each.judged.equity, 4),
            "loss": round(each.loss, 4),
            "mark": each.mark,
        }
        for (number, _), each in zip(made, found, strict=True)
    ]
    sides = {game.sides[side]: _side(found, side) for side in (0, 1)}
    if json:
        print_json(plies=plies, cubeless=True, moves=moves, sides=sides)
        return
    marked = [each for each in moves if each["mark"]]
    headings = ("game", "turn", "side", "roll", "move", "", "loss", "better")
    print_table(
        headings,
        [
            [
                str(each[key])
                for key in ("game", "turn", "side", "roll", "move", "mark", "loss", "best")
            ]
            for each in marked
        ],
    )
    for name, side in sides.items():
        if side["error_per_move"] is not None:
            print(
                f"{name}: error a move {side['error_per_move']:.4f}, plays like: {side['rating']}"
            )
    print(f"cubeless, {plies}-ply")


def _side(found: list[Any], side: int) -> dict[str, Any]:
    from ludus.protocol.review import error_per_move, rating

    error = error_per_move(found, side)
    return {
        "error_per_move": None if error is None else round(error, 5),
        "rating": None if error is None else rating(error),
    }


@app.command()
def mat(file: RecordFile, out: Out) -> None:
    """Write recorded games as a .mat file, which other backgammon programs read."""
    from ludus.core.record import Record
    from ludus.protocol.mat import mat as written

    text = written(Record.parse_many(read_file(file)))
    with whole_file(out) as target:
        target.write(text)


@app.command("import")
def import_lessons(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Positions scored by hand.")],
    out: Out,
    json: Json = False,
) -> None:
    """Check positions scored by hand, and write them as `ludus train gammon` reads them."""
    from ludus.datasets.backgammon.lines import BadLesson, read_lessons, written

    try:
        lessons = list(read_lessons(read_file(file)))
    except BadLesson as error:
        raise BadLesson(f"{quoted(str(file), 200)}, {error}") from error
    with whole_file(out) as target:
        target.write(written(lessons))
    comments = sum(len(lesson.scores) for lesson in lessons)
    if json:
        print_json(positions=len(lessons), comments=comments)
    else:
        print(f"{len(lessons)} positions with {comments} scores")
