"""`ludus show` and `ludus explain`: what learners have learned, and why they move so."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    ForceOption,
    JsonOption,
    PositionArgument,
    RulesOption,
    parse_position,
)
from ludus.cli.output import print_json, print_table, run_interruptible
from ludus.core.errors import BadPosition, LudusError, quote
from ludus.core.files import check_output, write_text
from ludus.core.spec import check_choice
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.core.game import AnyGame, Position
    from ludus.learn.migo.games import TargetGame
    from ludus.learn.migo.program import SavedProgram
    from ludus.learn.patterns.inspection import NetworkView, Vertex

SHARED_BEADS = {
    "both": "; mirror images share their beads",
    "moves": "; moves that mirror each other share their beads",
    "none": "",
}
"""What mirror images share, by the symmetry of a table."""

MAX_BEADS_SHOWN = 40
"""Maximum number of beads printed in a line; with more in a box, one represents several."""


def show_menace(
    position: PositionArgument,
    game: Annotated[
        str,
        typer.Option(
            "--game", metavar="GAME", help="noughts_and_crosses (MENACE) or hexapawn (HER)."
        ),
    ] = "noughts_and_crosses",
    rules: RulesOption = "",
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="Matchboxes saved by `ludus train`."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the matchbox as SVG.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Show the beads in the matchbox of a position, on the board and in a table."""
    if svg is not None:
        check_output(svg, table, force=force)
    chosen = named_game(game, rules)
    position_ = parse_position(chosen, position)
    if (outcome := position_.outcome()) is not None:
        raise BadPosition(f"the game is over in {position_}: {outcome}")
    from ludus.learn.tabular.player import MATCHBOX_PLAYERS

    system = MATCHBOX_PLAYERS.get(chosen.id, "menace")
    player: Any = named_player(system, chosen)
    if table is not None:
        player.settings = replace(player.settings, table=str(table))
    beads = player.row_values(position_)
    if svg is not None:
        from ludus.learn.tabular.player import draw_matchbox

        write_text(svg, draw_matchbox(chosen, position_, beads))
    if json:
        numbers = {str(move): number for move, number in beads.items()}
        print_json(system=system, game=chosen.id, position=str(position_), beads=numbers)
    else:
        _print_box(chosen, position_, player)


def _print_box(game: "AnyGame", position: "Position", player: Any) -> None:
    from ludus.learn.tabular.player import make_heat_marks

    beads, chances = player.row_values(position), player.move_probabilities(position)
    print(position.text(make_heat_marks(game, chances)), end="\n\n")
    if not beads:
        single = len(position.legal_moves()) == 1
        print("a single move needs no box" if single else "there is no box for this position yet")
        return
    print(f"Heat is the probability of a move{SHARED_BEADS[player.row_index.symmetry]}.\n")
    most = max(*beads.values(), MAX_BEADS_SHOWN)
    rows = [
        (str(move), f"{number:.0f}", "●" * round(MAX_BEADS_SHOWN * number / most))
        for move, number in sorted(beads.items(), key=lambda item: -item[1])
    ]
    print_table(("move", "beads", ""), rows)


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
        clauses = [str(clause) for clause in saved.program.clauses]
        print_json(game=chosen.name, program=clauses, **{"as": form, "text": text})
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


def show_patterns(
    network: Annotated[
        str,
        typer.Argument(
            metavar="[NETWORK]",
            help="seed, long, empty, or a file written by `ludus train patterns`.",
        ),
    ] = "seed",
    best: Annotated[int, typer.Option(min=1, max=512, help="Best patterns to show.")] = 10,
    pattern: Annotated[
        int | None, typer.Option(min=0, max=511, help="One pattern, with its neighbours.")
    ] = None,
    neighbours: Annotated[
        int, typer.Option(min=0, max=512, help="Moves to show from and to a pattern.")
    ] = 10,
    settings: Annotated[
        str,
        typer.Option(
            "--settings",
            metavar="OPTIONS",
            help="Options of the Fuzzy player: preset=tuned, or k=3,wL=15.",
        ),
    ] = "",
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the patterns as SVG.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Show the patterns of a network, their scores, and the moves between them."""
    if svg is not None:
        check_output(svg, Path(network), force=force)
    from ludus.learn.patterns.inference import parse_options
    from ludus.learn.patterns.inspection import NetworkView, draw_patterns
    from ludus.learn.patterns.network_file import load_network as named_network

    view = NetworkView(named_network(network), parse_options(settings).to_settings())
    if not view.list_observed():
        raise LudusError(f"{quote(network)} has learned nothing yet, so there is nothing to show")
    vertices = view.top(best) if pattern is None else [view.vertex(pattern)]
    if svg is not None:
        write_text(svg, draw_patterns(vertices, f"Patterns of {network}"))
    if json:
        print_json(
            games=view.network.games,
            note=view.network.note,
            patterns=len(view.list_observed()),
            edges=view.num_edges,
            shown=[
                {
                    **asdict(vertex),
                    "onwards": [
                        asdict(move) for move in view.outgoing(vertex.pattern)[:neighbours]
                    ],
                    "back": [asdict(move) for move in view.incoming(vertex.pattern)[:neighbours]],
                }
                for vertex in vertices
            ],
        )
    elif pattern is None:
        _print_best(view, vertices)
    else:
        _print_pattern(view, vertices[0], neighbours)


def _print_best(view: "NetworkView", vertices: list["Vertex"]) -> None:
    from ludus.learn.patterns.inspection import format_patterns
    from ludus.learn.patterns.network import format_bits

    patterns, edges = len(view.list_observed()), view.num_edges
    print(f"{view.network.games} games, {patterns} patterns, {edges} moves between them")
    if view.network.note:
        print(view.network.note)
    print()
    print("\n".join(format_patterns([vertex.pattern for vertex in vertices])))
    print()
    rows = [(str(v.pattern), format_bits(v.pattern), *_format_figures(v)) for v in vertices]
    print_table(("pattern", "bits", *FIGURES), rows)


FIGURES = ("seen", "mills", "men", "freq", "mutual", "score")


def _format_figures(vertex: "Vertex") -> tuple[str, ...]:
    counts = vertex.frequency, vertex.mill, vertex.token
    ratios = f"{vertex.freq:.4f}", f"{vertex.mutual:.3f}", f"{vertex.score:.4g}"
    return *map(str, counts), *ratios


def _print_pattern(view: "NetworkView", vertex: "Vertex", neighbours: int) -> None:
    from ludus.learn.patterns.inspection import format_pattern
    from ludus.learn.patterns.network import format_bits

    print("\n".join(format_pattern(vertex.pattern)))
    print(f"\npattern {vertex.pattern} = {format_bits(vertex.pattern)}")
    figures = zip(FIGURES, _format_figures(vertex), strict=True)
    print(", ".join(f"{name} {figure}" for name, figure in figures))
    for title, moves in (
        ("to pattern", view.outgoing(vertex.pattern)),
        ("from pattern", view.incoming(vertex.pattern)),
    ):
        print()
        rows = [
            (
                str(move.pattern),
                format_bits(move.pattern),
                move.move,
                str(move.count),
                f"{move.weight:.3f}",
                f"{move.score:.4g}",
            )
            for move in moves[:neighbours]
        ]
        print_table((title, "bits", "move", "made", "weight", "score"), rows)
