"""Draw a matchbox: the beads of each move on the board, as SVG or as a player's picture."""

from collections.abc import Mapping
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.marks import NUM_COLOURS, Marks, Note, Picture
from ludus.games.squares_drawing import square_centres
from ludus.render.canvas import Canvas, Drawing, Point
from ludus.render.theme import scope_rules

BEAD_COLOURS = (
    "#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98",
    "#ca6f1e", "#148f77", "#5d6d7e", "#943126",
)  # fmt: skip
"""Bead colours, one for each move as in Michie's matchboxes."""

BEAD_STYLE = scope_rules(
    "\n".join(
        [
            *(f".bead.n{number}{{fill:{colour}}}" for number, colour in enumerate(BEAD_COLOURS)),
            ".beads{fill:#fff;font-size:12px;font-weight:bold}",
        ]
    )
)
"""Style sheet of the beads and of their numbers."""

BEAD_RADIUS = 15
"""Radius of a bead in the drawing."""

BEAD_OFFSET = 0.3
"""Distance of the beads from a move's target, as a proportion of the move's length."""


def make_heat_marks(game: AnyGame, probabilities: Mapping[Any, float]) -> Marks:
    """Return marks for a text board: target squares, with the probability as heat."""
    heat: dict[str, float] = {}
    for move, probability in probabilities.items():
        place = game.steps(move)[-1]
        heat[place] = heat.get(place, 0.0) + probability
    return Marks(points=dict.fromkeys(heat, "legal"), heat=heat)


def draw_matchbox(game: AnyGame, position: Any, beads: Mapping[Any, float]) -> str:
    """Draw the board with a numbered bead for each move, as SVG."""
    places = square_centres(position.size)
    arrows = tuple((steps[0], steps[-1]) for steps in map(game.steps, beads) if len(steps) > 1)
    board: Drawing = position.drawing(Marks(arrows=arrows))
    layer = Canvas()
    for index, (move, number) in enumerate(beads.items()):
        centre = _bead_centre(game.steps(move), places)
        layer.circle(centre, BEAD_RADIUS, f"bead n{index % len(BEAD_COLOURS)}")
        layer.text(centre, f"{number:.0f}", "beads")
    return board.with_shapes(layer.shapes, BEAD_STYLE).svg()


def _bead_centre(steps: tuple[str, ...], places: Mapping[str, Point]) -> Point:
    (x, y), (from_x, from_y) = places[steps[-1]], places[steps[0]]
    return x + BEAD_OFFSET * (from_x - x), y + BEAD_OFFSET * (from_y - y)


def make_matchbox_picture(
    game: AnyGame, beads: Mapping[Any, float], names: Mapping[Any, str]
) -> Picture:
    """Return a picture of a position's matchbox; symmetric moves share a colour."""
    shown = list(dict.fromkeys(names[move] for move in beads))
    colours = {name: number % NUM_COLOURS for number, name in enumerate(shown)}
    held = {names[move]: int(number) for move, number in beads.items()}
    notes = (
        Note(game.steps(move), beads=int(number), colour=colours[names[move]])
        for move, number in beads.items()
        if number >= 1
    )
    total = sum(held.values())
    twins = " Moves that mirror each other share their beads." if len(held) < len(beads) else ""
    return Picture(
        "The matchbox",
        text=f"{total} {'bead' if total == 1 else 'beads'} of {len(held)} colours lay in the box "
        f"of this position, and one was drawn blindly.{twins}",
        notes=tuple(notes),
    )
