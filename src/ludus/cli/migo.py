"""`ludus show migo` and `ludus explain migo`: logic programs (Muggleton and Hocquette 2019)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import ForceOption, JsonOption, RulesOption
from ludus.cli.output import print_json
from ludus.core.errors import LudusError
from ludus.core.files import check_output, write_text
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from ludus.learn.migo.games import TargetGame
    from ludus.learn.migo.program import SavedProgram

MODES = ("improved", "faithful")
FORMS = ("prolog", "english", "diagram", "runnable")

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
    typer.Option("--program", metavar="FILE", help="A program written by `ludus train migo`."),
]


def show_migo(
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

        return "".join(f"{sentence}\n" for sentence in explain_program(saved.program))
    if form == "diagram":
        from ludus.learn.migo.explain import draw_call_diagram

        return draw_call_diagram(saved.program)
    if form == "runnable":
        from ludus.learn.migo.program import format_prolog

        if chosen.game is None:
            raise LudusError(f"the rules of {chosen.name} are not written in Prolog here")
        return format_prolog(saved.program, chosen.game)
    return str(saved)


def explain_migo(
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
    explanation = run_interruptible(lambda: explainer.explain(state))
    if json:
        print_json(
            game=chosen.name,
            position=str(state),
            move=explanation.move,
            rule=explanation.rule,
            sentence=explanation.sentence,
            lines=explanation.lines,
        )
        return
    if chosen.game is not None:
        print(state.text(), end="\n\n")
    print(f"{explanation.move}: {explanation.rule or 'no rule'}")
    print(explanation.sentence)
    for line in explanation.lines:
        print(f"  {line}")


def _load_program(chosen: "TargetGame", mode: str, file: Path | None) -> "SavedProgram":
    from ludus.learn.migo.program import load_program, load_shipped_program

    check_choice("there is no mode", mode, MODES)
    return load_program(file) if file is not None else load_shipped_program(chosen.name, mode)


def _format_clauses(saved: "SavedProgram") -> list[str]:
    return [str(clause) for clause in saved.program.clauses]
