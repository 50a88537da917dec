"""`ludus migo learn|show|explain`: strategies that are learned as programs one can read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.files import whole_file
from ludus.cli.options import Json, Rules
from ludus.cli.output import print_json, with_progress
from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.spec import parse_options, suggestion, with_options

if TYPE_CHECKING:
    from ludus.learn.migo.settings import Settings
    from ludus.learn.migo.subjects import Subject
    from ludus.learn.migo.text import Saved

MODES = ("improved", "faithful")
FORMS = ("prolog", "english", "diagram", "runnable")

app = typer.Typer(
    help="Learn strategies as logic programs, print them, and explain their moves.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

SubjectName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, connect_three, or a Python file with start, move, won and drawn.",
        show_default=False,
    ),
]
Mode = Annotated[
    str, typer.Option("--mode", metavar="MODE", help="As published, or better: faithful, improved.")
]
ProgramFile = Annotated[
    Path | None,
    typer.Option(
        "--program", metavar="FILE", help="A program that `ludus migo learn` has written."
    ),
]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def learn(
    game: SubjectName,
    games: Annotated[int, typer.Option("--games", min=1, max=1_000_000, help="Games.")] = 200,
    mode: Mode = "improved",
    options: Annotated[
        str,
        typer.Option("--set", metavar="OPTIONS", help="Single switches: learning=separated,…"),
    ] = "",
    self_play: Annotated[
        bool, typer.Option("--self-play", help="Without an opponent, and so without marks.")
    ] = False,
    rules: Rules = "",
    seed: Annotated[int, typer.Option("--seed", help="The same seed, the same games.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Keep the program here.")
    ] = None,
    json: Json = False,
) -> None:
    """Play games and learn rules from them: against perfect play, or against oneself."""
    from ludus.learn.migo.subjects import subject
    from ludus.learn.migo.text import Saved

    chosen = subject(game, rules)
    is_alone = self_play or chosen.game is None
    settings = _settings(mode, options, is_alone)
    if is_alone:
        program, regrets = _learn_alone(chosen, settings, games, seed), None
    else:
        program, regrets = _take_lessons(chosen, settings, games, seed)
    saved = Saved(program, chosen.name)
    if out is not None:
        with whole_file(out) as file:
            file.write(str(saved))
    if json:
        print_json(game=chosen.name, games=games, seed=seed, regret=regrets, program=_lines(saved))
        return
    if out is None:
        print(saved, end="")
    if regrets is not None:
        typer.echo(f"cumulative regret {sum(regrets)} in {games} games", err=out is None)


def _settings(mode: str, options: str, is_alone: bool) -> "Settings":
    from ludus.learn.migo.settings import Settings

    _check("mode", mode, MODES)
    words, values = parse_options(options)
    if words:
        raise UnknownName(f"{quoted(words[0])} in --set is not key=value")
    if is_alone:
        values.setdefault("selfplay", "yes")
    return with_options(Settings(), {"mode": mode, **values}, "migo")


def _learn_alone(chosen: "Subject", settings: "Settings", games: int, seed: int) -> Any:
    from random import Random

    from ludus.learn.migo.pupil import Pupil
    from ludus.learn.migo.text import load_program

    pupil, source = Pupil(chosen.world, settings, chosen.game), Random(seed)
    if settings.program:
        pupil.transfer(load_program(Path(settings.program)).program)
    for _ in with_progress(range(games), games, "learning"):
        start = chosen.world.number(source.choice(chosen.starts))
        practice = pupil.play_itself(start, source)
        if practice is not None:
            pupil.learn(*practice)
    return pupil.program


def _take_lessons(
    chosen: "Subject", settings: "Settings", games: int, seed: int
) -> tuple[Any, list[int]]:
    from ludus.learn.lessons import Opponent, take_lessons
    from ludus.learn.migo.learner import Migo

    assert chosen.game is not None, "lessons are for games of Ludus"
    learner = Migo(chosen.game, settings, "migo")
    lessons = take_lessons(learner, chosen.starts, Opponent(chosen.game), games, seed)
    regrets = [each.played.regret for each in with_progress(lessons, games, "learning")]
    return learner.program, regrets


@app.command()
def show(
    game: SubjectName,
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="prolog, english, diagram or runnable.")
    ] = "prolog",
    mode: Mode = "improved",
    program: ProgramFile = None,
    rules: Rules = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it here.")
    ] = None,
    json: Json = False,
) -> None:
    """Print a program: as Prolog, in English, as a picture of calls, or ready to run in Prolog."""
    from ludus.learn.migo.subjects import subject

    _check("form", form, FORMS)
    chosen = subject(game, rules)
    saved = _program(chosen, mode, program)
    text = _written(saved, form, chosen)
    if out is not None:
        with whole_file(out) as file:
            file.write(text)
    if json:
        print_json(game=chosen.name, program=_lines(saved), **{"as": form, "text": text})
    elif out is None:
        print(text, end="")


def _written(saved: "Saved", form: str, chosen: "Subject") -> str:
    if form == "english":
        from ludus.learn.migo.english import explain_program

        return "".join(f"{each}\n" for each in explain_program(saved.program))
    if form == "diagram":
        from ludus.learn.migo.diagram import diagram

        return diagram(saved.program)
    if form == "runnable":
        from ludus.learn.migo.runnable import runnable

        if chosen.game is None:
            raise LudusError(f"the rules of {chosen.name} are not written in Prolog here")
        return runnable(saved.program, chosen.game)
    return str(saved)


@app.command()
def explain(
    game: SubjectName,
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="A position.", show_default=False)
    ],
    mode: Mode = "improved",
    program: ProgramFile = None,
    rules: Rules = "",
    json: Json = False,
) -> None:
    """Say which rule chooses the move in a position, and show the lines it rests on."""
    from ludus.cli.interrupt import interruptible
    from ludus.learn.migo.explain import Explainer
    from ludus.learn.migo.reasoner import Reasoner
    from ludus.learn.migo.strategy import Strategy
    from ludus.learn.migo.subjects import subject

    chosen = subject(game, rules)
    saved = _program(chosen, mode, program)
    state = chosen.parse(position)
    if not chosen.world.moves(chosen.world.number(state)):
        raise LudusError(f"the game is over in {state}")
    explainer = Explainer(Strategy(Reasoner(chosen.world), saved.program))
    found = interruptible(lambda: explainer.explain(state))
    if json:
        print_json(
            game=chosen.name,
            position=str(state),
            move=found.move,
            rule=found.rule,
            sentence=found.sentence,
            lines=found.lines,
        )
        return
    if chosen.game is not None:
        print(state.text(), end="\n\n")
    print(f"{found.move}: {found.rule or 'no rule'}")
    print(found.sentence)
    for line in found.lines:
        print(f"  {line}")


def _program(chosen: "Subject", mode: str, file: Path | None) -> "Saved":
    from ludus.learn.migo.shipped import shipped
    from ludus.learn.migo.text import load_program

    _check("mode", mode, MODES)
    return load_program(file) if file is not None else shipped(chosen.name, mode)


def _lines(saved: "Saved") -> list[str]:
    return [str(clause) for clause in saved.program.clauses]


def _check(kind: str, text: str, known: tuple[str, ...]) -> None:
    if text not in known:
        raise UnknownName(f"there is no {kind} {quoted(text)}{suggestion(text, known)}")
