"""`ludus show menace`: the matchboxes of MENACE and HER."""

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
from ludus.cli.output import print_json, print_table
from ludus.core.errors import BadPosition
from ludus.core.files import check_output, write_text
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.core.game import AnyGame, Position

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
        from ludus.learn.tabular.table import load_table

        player.table = load_table(table, chosen, system).table
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
    print("Heat is the probability of a move; mirror images share their beads.\n")
    most = max(*beads.values(), MAX_BEADS_SHOWN)
    rows = [
        (str(move), f"{number:.0f}", "●" * round(MAX_BEADS_SHOWN * number / most))
        for move, number in sorted(beads.items(), key=lambda item: -item[1])
    ]
    print_table(("move", "beads", ""), rows)
