"""`ludus train menace|her|qlearning|deepq`: the learners that take lessons."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ludus.cli.options import GameName, Json, Rules
from ludus.cli.output import print_json, with_progress
from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.spec import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.learn.keeping import KeptLearner
    from ludus.learn.lessons import Lesson
    from ludus.learn.schooling import Schooling

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", help="Keep what was learned here; go on with what is there."
    ),
]
Games = Annotated[int, typer.Option("--games", min=1, max=10_000_000, help="Games in all.")]
Against = Annotated[
    str,
    typer.Option("--against", metavar="WHOM", help="The opponent: perfect, random or mixed."),
]
Start = Annotated[
    str,
    typer.Option("--start", metavar="WHERE", help="Where games begin: boards or everywhere."),
]
Set = Annotated[
    str, typer.Option("--set", metavar="OPTIONS", help="The learner's options: alpha=0.1,gamma=1.")
]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same lessons.")]


def menace(
    game: GameName = "noughts_and_crosses",
    games: Games = 200,
    rules: Rules = "",
    against: Against = "perfect",
    start: Start = "boards",
    options: Set = "",
    seed: Seed = 0,
    out: Out = None,
    json: Json = False,
) -> None:
    """Teach MENACE, whose matchboxes hold beads for the moves."""
    _train("menace", game, rules, options, _schooling(games, seed, against, start), out, json)


def her(
    game: GameName = "hexapawn",
    games: Games = 100,
    rules: Rules = "",
    against: Against = "perfect",
    start: Start = "boards",
    options: Set = "",
    seed: Seed = 0,
    out: Out = None,
    json: Json = False,
) -> None:
    """Teach HER, MENACE's sister for hexapawn."""
    _train("her", game, rules, options, _schooling(games, seed, against, start), out, json)


def qlearning(
    game: GameName = "noughts_and_crosses",
    games: Games = 200,
    rules: Rules = "",
    against: Against = "perfect",
    start: Start = "boards",
    options: Set = "",
    seed: Seed = 0,
    out: Out = None,
    json: Json = False,
) -> None:
    """Teach a table what moves are worth, by Q-learning."""
    _train("qlearning", game, rules, options, _schooling(games, seed, against, start), out, json)


def deepq(
    game: GameName = "noughts_and_crosses",
    games: Games = 200,
    rules: Rules = "",
    against: Against = "perfect",
    start: Start = "boards",
    options: Set = "",
    seed: Seed = 0,
    out: Out = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Write the network, all playing needs."),
    ] = None,
    json: Json = False,
) -> None:
    """Teach a network what moves are worth, by deep Q-learning (needs torch)."""
    plan = _schooling(games, seed, against, start)
    learner = _train("deepq", game, rules, options, plan, out, json)
    if weights is not None:
        learner.save_weights(weights)


def _schooling(games: int, seed: int, against: str, start: str) -> "Schooling":
    from ludus.learn import schooling

    for kind, text, known in (
        ("opponent", against, get_args(schooling.Against)),
        ("start", start, get_args(schooling.From)),
    ):
        if text not in known:
            raise UnknownName(f"there is no {kind} {quoted(text)}{suggestion(text, known)}")
    return schooling.Schooling(games, seed, against, start)  # type: ignore[arg-type]


def _train(
    system: str,
    game: str,
    rules: str,
    options: str,
    schooling: "Schooling",
    out: Path | None,
    json: bool,
) -> Any:
    """Give a learner its lessons and tell how they went; the learner."""
    from ludus.games import game as named_game
    from ludus.learn import learner as named_learner

    spec = f"{system}:{options}" if options else system
    learner: Any = named_learner(spec, named_game(game, rules))
    done = _resume(learner, schooling, out)
    marks: list[int] = []
    seconds = 0.0
    blocks = _blocks(learner, schooling, done, out)
    for lesson in with_progress(blocks, schooling.games - done, "learning"):
        marks.append(lesson.played.regret)
        seconds += lesson.seconds
    report = {
        "system": system,
        "game": learner.game.id,
        "rules": dataclasses.asdict(learner.game.rules),
        "options": dataclasses.asdict(learner.settings),
        **dataclasses.asdict(schooling),
        "resumed_after": done,
        "cumulative_regret": sum(marks),
        "mean_regret": sum(marks) / len(marks) if marks else None,
        "seconds_a_game": seconds / len(marks) if marks else None,
        "learned": learner.summary(),
        "out": None if out is None else str(out),
    }
    if json:
        print_json(**report)
    else:
        _print(report, len(marks))
    return learner


def _blocks(
    learner: "KeptLearner", schooling: "Schooling", done: int, out: Path | None
) -> "Iterator[Lesson]":
    """The lessons one by one; what was learned is kept after each block."""
    for block in schooling.blocks(learner, done):
        yield from block
        done += len(block)
        if out is not None:
            learner.save(out, {**dataclasses.asdict(schooling), "games": done})


def _resume(learner: "KeptLearner", schooling: "Schooling", out: Path | None) -> int:
    """Load what the same schooling has left in a file; how many games that were."""
    from ludus.learn.schooling import BLOCK

    if out is None or not out.exists():
        return 0
    before, name = learner.load(out), quoted(str(out), 200)
    for key, value in dataclasses.asdict(schooling).items():
        if key != "games" and before.get(key) != value:
            raise LudusError(f"{name} was learned with another {key}; choose another file")
    games = before.get("games")
    if not isinstance(games, int) or not 0 <= games <= schooling.games:
        raise LudusError(f"{name} has had {quoted(str(games))} games, not up to {schooling.games}")
    if games < schooling.games and games % BLOCK:
        raise LudusError(f"{name} has had {games} games; only whole blocks of {BLOCK} go on")
    return games


def _print(report: dict[str, Any], games: int) -> None:
    if not games:
        print("nothing was left to learn")
    else:
        print(
            f"cumulative regret {report['cumulative_regret']} in {games} games, "
            f"{report['mean_regret']:.4f} a game, {1000 * report['seconds_a_game']:.2f} ms a game"
        )
    print(f"{report['system']} has {report['learned']}")
    if report["out"]:
        print(f"kept in {report['out']}")
