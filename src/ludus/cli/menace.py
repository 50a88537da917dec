"""`ludus menace show`: open a matchbox."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.files import whole_file
from ludus.cli.options import Json, Rules
from ludus.cli.output import print_json, print_table
from ludus.core.errors import BadPosition
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.core.game import AnyGame

WIDTH = 40
"""Beads that are drawn in a line; where there are more in a box, each stands for several."""

app = typer.Typer(
    help="MENACE's matchboxes, and HER's: what is in them.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def show(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="A position, or start for the first one.", show_default=False
        ),
    ],
    game: Annotated[
        str,
        typer.Option(
            "--game", metavar="GAME", help="Noughts and crosses shows MENACE, hexapawn HER."
        ),
    ] = "noughts_and_crosses",
    rules: Rules = "",
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="Boxes that `ludus train` has kept."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the box as a picture.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the beads in the box of a position, on the board and in a table."""
    chosen = named_game(game, rules)
    place = chosen.start() if position.strip() == "start" else chosen.parse(position)
    if (outcome := place.outcome()) is not None:
        raise BadPosition(f"the game is over in {place}: {outcome}")
    system = "her" if chosen.id == "hexapawn" else "menace"
    player: Any = named_player(system, chosen)
    if table is not None:
        from ludus.learn.tabular.table_file import read_table

        player.table = read_table(table, chosen, system).table
    beads = player.numbers(place)
    if svg is not None:
        from ludus.learn.tabular.picture import box_svg

        with whole_file(svg) as file:
            file.write(box_svg(chosen, place, beads))
    if json:
        shown = {str(move): number for move, number in beads.items()}
        print_json(system=system, game=chosen.id, position=str(place), beads=shown)
    else:
        _print(chosen, place, player)


def _print(game: "AnyGame", place: Any, player: Any) -> None:
    from ludus.learn.tabular.picture import marks_of

    beads, chances = player.numbers(place), player.chances(place)
    print(place.text(marks_of(game, chances)), end="\n\n")
    if not beads:
        single = len(place.legal_moves()) == 1
        print("a single move needs no box" if single else "there is no box for this position yet")
        return
    print("Heat is the probability of a move; mirror images share their beads.\n")
    most = max(*beads.values(), WIDTH)
    rows = sorted(beads.items(), key=lambda item: -item[1])
    print_table(
        ("move", "beads", ""),
        [(str(move), f"{number:.0f}", "●" * round(WIDTH * number / most)) for move, number in rows],
    )
