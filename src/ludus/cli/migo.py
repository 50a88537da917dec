"""`ludus migo learn|show|explain`: strategies as logic programs (Muggleton and Hocquette 2019)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.help import make_group
from ludus.cli.options import ForceOption, JsonOption, RulesOption
from ludus.cli.output import print_json, track_progress
from ludus.cli.training_log import LogOption, open_training_log
from ludus.core.errors import LudusError, UnknownName, quote
from ludus.core.files import check_output, write_text
from ludus.core.spec import apply_options, check_choice, parse_options

if TYPE_CHECKING:
    from ludus.learn.migo.games import TargetGame
    from ludus.learn.migo.program import SavedProgram
    from ludus.learn.migo.train import MigoLearnerOptions

MODES = ("improved", "faithful")
FORMS = ("prolog", "english", "diagram", "runnable")

app = make_group(help="Learn strategies as logic programs, print them, and explain their moves.")

SubjectArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, connect_three, or a Python file with start, move, won and drawn.",
        show_default=False,
    ),
]
ModeOption = Annotated[
    str, typer.Option("--mode", metavar="MODE", help="faithful (as published) or improved.")
]
ProgramOption = Annotated[
    Path | None,
    typer.Option("--program", metavar="FILE", help="A program written by `ludus migo learn`."),
]


@app.command()
def learn(
    game: SubjectArgument,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of games.")] = 200,
    mode: ModeOption = "improved",
    options: Annotated[
        str,
        typer.Option("--set", metavar="OPTIONS", help="Learner options: learning=separated,…"),
    ] = "",
    self_play: Annotated[
        bool, typer.Option("--self-play", help="Learn by self-play; no regret is measured.")
    ] = False,
    rules: RulesOption = "",
    seed: Annotated[int, typer.Option(help="Random seed of the games.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the program here.")
    ] = None,
    log: LogOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Learn rules from games against a perfect opponent, or by self-play."""
    if out is not None:
        check_output(out, Path(game), force=force)
    from ludus.learn.migo.games import find_target_game
    from ludus.learn.migo.program import SavedProgram

    chosen = find_target_game(game, rules)
    is_self_play = self_play or chosen.game is None
    settings = _make_settings(mode, options, is_self_play)
    if is_self_play:
        program, regrets = _learn_by_self_play(chosen, settings, games, seed, log), None
    else:
        program, regrets = _learn_against_opponent(chosen, settings, games, seed, log)
    saved = SavedProgram(program, chosen.name)
    if out is not None:
        write_text(out, str(saved))
    if json:
        print_json(
            game=chosen.name, games=games, seed=seed, regret=regrets, program=_format_clauses(saved)
        )
        return
    if out is None:
        print(saved, end="")
    if regrets is not None:
        typer.echo(f"cumulative regret {sum(regrets)} in {games} games", err=out is None)


def _make_settings(mode: str, options: str, is_self_play: bool) -> "MigoLearnerOptions":
    from ludus.learn.migo.train import MigoLearnerOptions

    check_choice("there is no mode", mode, MODES)
    words, values = parse_options(options)
    if words:
        raise UnknownName(f"{quote(words[0])} in --set is not key=value")
    if is_self_play:
        values.setdefault("selfplay", "yes")
    return apply_options(MigoLearnerOptions(), {"mode": mode, **values}, "migo")


def _learn_by_self_play(
    chosen: "TargetGame", settings: "MigoLearnerOptions", games: int, seed: int, log: Path | None
) -> Any:
    from random import Random

    from ludus.learn.migo.program import load_program
    from ludus.learn.migo.train import StrategyLearner

    learner, source = StrategyLearner(chosen.graph, settings, chosen.game), Random(seed)
    if settings.program:
        learner.transfer(load_program(Path(settings.program)).program)
    with open_training_log(log, f"migo {chosen.name}") as curves:
        for number in track_progress(range(1, games + 1), games, "learning"):
            start = chosen.graph.state_id(source.choice(chosen.start_states))
            practice = learner.play_self(start, source)
            if practice is not None:
                learner.learn(*practice)
            curves.add_mean(number, {"games with an example": float(practice is not None)}, games)
    return learner.program


def _learn_against_opponent(
    chosen: "TargetGame", settings: "MigoLearnerOptions", games: int, seed: int, log: Path | None
) -> tuple[Any, list[int]]:
    from ludus.learn.common.learner import PerfectOpponent, train_episodes
    from ludus.learn.migo.train import MigoLearner

    assert chosen.game is not None, "an opponent needs a game of Ludus"
    learner = MigoLearner(chosen.game, settings, "migo")
    episodes = train_episodes(
        learner, chosen.start_states, PerfectOpponent(chosen.game), games, seed
    )
    regrets: list[int] = []
    with open_training_log(log, f"migo {chosen.name}") as curves:
        for each in track_progress(episodes, games, "learning"):
            regrets.append(each.episode.regret)
            curves.add_mean(len(regrets), {"regret a game": each.episode.regret}, games)
    return learner.program, regrets


@app.command()
def show(
    game: SubjectArgument,
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="prolog, english, diagram or runnable.")
    ] = "prolog",
    mode: ModeOption = "improved",
    program: ProgramOption = None,
    rules: RulesOption = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Output file.")] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Print a program as Prolog, in English, as a call diagram, or ready to run in Prolog."""
    if out is not None:
        check_output(out, program, Path(game), force=force)
    from ludus.learn.migo.games import find_target_game

    check_choice("there is no form", form, FORMS)
    chosen = find_target_game(game, rules)
    saved = _load_program(chosen, mode, program)
    text = _format_program(saved, form, chosen)
    if out is not None:
        write_text(out, text)
    if json:
        print_json(game=chosen.name, program=_format_clauses(saved), **{"as": form, "text": text})
    elif out is None:
        print(text, end="")


def _format_program(saved: "SavedProgram", form: str, chosen: "TargetGame") -> str:
    if form == "english":
        from ludus.learn.migo.explain import explain_program

        return "".join(f"{each}\n" for each in explain_program(saved.program))
    if form == "diagram":
        from ludus.learn.migo.explain import draw_call_diagram

        return draw_call_diagram(saved.program)
    if form == "runnable":
        from ludus.learn.migo.program import format_prolog

        if chosen.game is None:
            raise LudusError(f"the rules of {chosen.name} are not written in Prolog here")
        return format_prolog(saved.program, chosen.game)
    return str(saved)


@app.command()
def explain(
    game: SubjectArgument,
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="A position.", show_default=False)
    ],
    mode: ModeOption = "improved",
    program: ProgramOption = None,
    rules: RulesOption = "",
    json: JsonOption = False,
) -> None:
    """Explain which rule chooses the move in a position, with the lines of play behind it."""
    from ludus.cli.output import run_interruptible
    from ludus.learn.migo.explain import Explainer
    from ludus.learn.migo.games import find_target_game
    from ludus.learn.migo.inference import Reasoner, Strategy

    chosen = find_target_game(game, rules)
    saved = _load_program(chosen, mode, program)
    state = chosen.parse(position)
    if not chosen.graph.moves(chosen.graph.state_id(state)):
        raise LudusError(f"the game is over in {state}")
    explainer = Explainer(Strategy(Reasoner(chosen.graph), saved.program))
    found = run_interruptible(lambda: explainer.explain(state))
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


def _load_program(chosen: "TargetGame", mode: str, file: Path | None) -> "SavedProgram":
    from ludus.learn.migo.program import load_program, load_shipped_program

    check_choice("there is no mode", mode, MODES)
    return load_program(file) if file is not None else load_shipped_program(chosen.name, mode)


def _format_clauses(saved: "SavedProgram") -> list[str]:
    return [str(clause) for clause in saved.program.clauses]
