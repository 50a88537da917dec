"""A matchbox, opened: the board with the beads of each move laid where the move goes."""

from collections.abc import Mapping
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.marks import Marks
from ludus.core.svg import Canvas, Point
from ludus.games.squares_drawing import centres

COLOURS = (
    "#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98",
    "#ca6f1e", "#148f77", "#5d6d7e", "#943126",
)  # fmt: skip
"""Of the beads, as in Michie's matchboxes one for each move."""

BEAD = 15
"""Radius of a bead in the picture."""

BEHIND = 0.3
"""How far before its end the beads of a move lie, where a man comes from another square."""


def marks_of(game: AnyGame, chances: Mapping[Any, float]) -> Marks:
    """For a picture in characters: the places moves lead to, hotter the likelier they are."""
    heat: dict[str, float] = {}
    for move, chance in chances.items():
        place = game.steps(move)[-1]
        heat[place] = heat.get(place, 0.0) + chance
    return Marks(points=dict.fromkeys(heat, "legal"), heat=heat)


def box_svg(game: AnyGame, position: Any, beads: Mapping[Any, float]) -> str:
    """The board as a picture, with a numbered bead for each move."""
    places = centres(position.size)
    arrows = tuple((steps[0], steps[-1]) for steps in map(game.steps, beads) if len(steps) > 1)
    drawn: str = position.svg(Marks(arrows=arrows))
    layer = Canvas(0, 0, "", style="")
    for move, number in beads.items():
        layer.circle(_spot(game.steps(move), places), BEAD, "bead")
        layer.text(_spot(game.steps(move), places), f"{number:.0f}", "beads")
    shapes = iter(layer.shapes)
    coloured = [
        f"{_styled(next(shapes), f'fill:{COLOURS[index % len(COLOURS)]}')}\n"
        f"{_styled(next(shapes), 'fill:#fff;font-size:12px;font-weight:bold;text-anchor:middle')}\n"
        for index in range(len(beads))
    ]
    return drawn.replace("</svg>", "".join(coloured) + "</svg>")


def _spot(steps: tuple[str, ...], places: Mapping[str, Point]) -> Point:
    (x, y), (from_x, from_y) = places[steps[-1]], places[steps[0]]
    return x + BEHIND * (from_x - x), y + BEHIND * (from_y - y)


def _styled(shape: str, style: str) -> str:
    return shape.replace(" ", f' style="{style}" ', 1)
