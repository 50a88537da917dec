"""`ludus backgammon hint|analyse|review|mat|convert|import` and `ludus train gammon`.

`hint` and `analyse` need bgsage or GNU Backgammon, `review` GNU Backgammon.
"""

import dataclasses
import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.help import make_group
from ludus.cli.options import (
    ForceOption,
    JsonOption,
    OutputFileOption,
    RulesOption,
    TrainedFileOption,
)
from ludus.cli.output import drop_none, print_json, print_table, print_unsaved, track_progress
from ludus.cli.training_log import LogOption, open_training_log
from ludus.core.errors import BadRecord, BadSpec, LudusError, quote
from ludus.core.files import check_output, quote_path, read_text, write_text

if TYPE_CHECKING:
    from ludus.analysis import PositionAnalysis
    from ludus.learn.gammon.network import GammonNetwork
    from ludus.learn.gammon.train import GammonTrainer, GammonTrainingConfig

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


def gammon(
    hidden: Annotated[
        str, typer.Option("--hidden", metavar="N,N…", help="Sizes of the hidden layers; 0: none.")
    ] = "24,24",
    coding: Annotated[
        str,
        typer.Option(
            "--coding",
            metavar="NAME",
            help="Input encoding: features (459 units), raw (393), tool (410), exact (651), "
            "unary or unary_features.",
        ),
    ] = "features",
    cycles: Annotated[int, typer.Option(help="Passes over the positions.")] = 20,
    positions: Annotated[int, typer.Option(help="Use only the first N positions; 0: all.")] = 0,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Add moves with random scores.")
    ] = True,
    error: Annotated[
        str,
        typer.Option(
            "--error",
            metavar="SIGNAL",
            help="Error signal. score: each move by itself; comparison: all moves of a position.",
        ),
    ] = "score",
    rate: Annotated[float | None, typer.Option(help="Learning rate of the first cycle.")] = None,
    last_rate: Annotated[
        float | None, typer.Option(help="Learning rate of the last cycle.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Training positions.", show_default="shipped"),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option("--test", metavar="FILE", help="Test positions.", show_default="shipped"),
    ] = None,
    games: Annotated[
        int, typer.Option(min=0, max=10_000_000, help="Final games against tool.")
    ] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same network.")] = 0,
    out: TrainedFileOption = None,
    log: LogOption = None,
    json: JsonOption = False,
) -> None:
    """Train the backgammon network of Tesauro and Sejnowski 1988 on an expert's scores."""
    from ludus.learn.gammon import network
    from ludus.learn.gammon.encoding import find_encoding
    from ludus.learn.gammon.examples import ScoredMoves
    from ludus.learn.gammon.train import GammonTrainingConfig, play_native_games

    if error not in ("score", "comparison"):
        raise BadSpec(f"error {quote(error)} must be score or comparison")
    settings = GammonTrainingConfig(
        hidden=_parse_hidden_sizes(hidden),
        coding=coding,
        cycles=cycles,
        positions=positions,
        noise=noise,
        seed=seed,
        **drop_none({"error": error, "rate": rate, "last_rate": last_rate}),
    )
    encoding = find_encoding(coding)
    scored = (
        network.read_scored_positions(data) if data else list(network.load_training_positions())
    )
    train_set = ScoredMoves.from_positions(scored[: positions or None], encoding)
    test_set = ScoredMoves.from_positions(
        network.read_scored_positions(test) if test else network.load_test_positions(), encoding
    )
    print_unsaved(out, json)
    training = _start_or_resume(train_set, settings, out, data)
    curve = []
    steps = track_progress(training.run(), settings.cycles - training.num_cycles_done, "learning")
    with open_training_log(log, f"gammon {hidden}") as curves:
        for cycle in steps:
            if out is not None:
                cycle.network.save(out, _format_notes(settings, data, cycle.number))
            training_share, test_share = (
                each.compute_accuracy(cycle.network.scores(each.encoded_moves))
                for each in (train_set, test_set)
            )
            row = {"cycle": cycle.number, "training": training_share, "test": test_share}
            curve.append(row)
            values = {"accuracy/training": training_share, "accuracy/test": test_share}
            curves.add(cycle.number, {**values, "error": cycle.error}, settings.cycles)
            if not json:
                shown = f"training {training_share:.3f}  test {test_share:.3f}"
                print(f"cycle {cycle.number:3}  {shown}")
    _print_report(
        training.network,
        curve,
        play_native_games(training.network, "tool", games, seed) if games else None,
        json,
    )


def _print_report(
    network: "GammonNetwork", curve: list[dict[str, Any]], result: Any, json: bool
) -> None:
    score = None if result is None else round(result.win_rate, 4)
    if json:
        print_json(
            network=network.name,
            curve=curve,
            games=0 if result is None else result.games,
            against_tool=score,
        )
        return
    won = "" if result is None else f" wins {score:.1%} of {result.games} games against tool"
    print(f"{network.name}{won or ' is trained'}")


def _parse_hidden_sizes(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        raise BadSpec(f"hidden layers {quote(text)} must be numbers as in 24,12")
    sizes = tuple(int(part) for part in parts)
    return () if sizes == (0,) else sizes


def _format_notes(settings: "GammonTrainingConfig", data: Path | None, cycle: int) -> str:
    """Format the settings that determine the network, and the number of cycles done."""
    config = {**dataclasses.asdict(settings), "data": str(data or "")}
    return json_format.dumps({"cycle": cycle, **config}, sort_keys=True)


def _start_or_resume(
    train_set: Any, settings: "GammonTrainingConfig", out: Path | None, data: Path | None
) -> "GammonTrainer":
    """Start a training, or resume an interrupted one with the same settings."""
    import numpy as np

    from ludus.learn.gammon.encoding import find_encoding
    from ludus.learn.gammon.network import GammonNetwork
    from ludus.learn.gammon.train import GammonTrainer

    if out is None or not out.exists():
        rng = np.random.default_rng(settings.seed)
        network = GammonNetwork.initialise(find_encoding(settings.coding), settings.hidden, rng)
        return GammonTrainer(train_set, network, settings)
    network, notes = GammonNetwork.load_with_notes(out)
    done = next(
        (n for n in range(settings.cycles + 1) if notes == _format_notes(settings, data, n)), None
    )
    if done is None:
        raise LudusError(f"{quote_path(out)} was trained with other settings; name a new file")
    return GammonTrainer(train_set, network, settings, done)
