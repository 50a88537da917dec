"""Layers over a drawn board: heat, marks, arrows and clickable places."""

from collections.abc import Iterable, Mapping

from ludus.core.marks import Marks
from ludus.render.canvas import Area, Canvas, Point
from ludus.render.text_board import MARK_KINDS, PlaceLabel, clamp_heat, format_percent

PlaceCentres = Mapping[str, Point]
"""The centre of each place by name, in drawing order."""


def draw_heat(
    canvas: Canvas, marks: Marks, places: PlaceCentres, radius: float, occupied: Iterable[str]
) -> None:
    """Draw a halo behind each place with heat, larger and stronger with its value.

    Free places also show the percentage. `radius` is that of a man; the halo extends beyond it.
    """
    taken = frozenset(occupied)
    for place, value in clamp_heat(marks, places).items():
        centre, reach = places[place], radius * (1.13 + 0.22 * value)
        # Cover the lines first, so that equal values look equal and numbers stay readable.
        canvas.circle(centre, reach, "board")
        canvas.circle(centre, reach, "heat", 0.1 + 0.85 * value)
        if place not in taken:
            canvas.text(centre, f"{100 * value:.0f}", "share")


def draw_marks(canvas: Canvas, marks: Marks, places: PlaceCentres, radius: float) -> None:
    """Draw marked points and arrows over the men; `take` crosses come last."""
    kinds = {place: marks.points[place] for place in places if place in marks.points}
    for place, kind in kinds.items():
        if kind in MARK_KINDS and kind != "take":
            _draw_mark(canvas, kind, places[place], radius)
    for start, end in marks.arrows:
        if start in places and end in places:
            canvas.arrow(places[start], places[end], "arrow", 0.34 * radius, tail=1.1 * radius)
    for place, kind in kinds.items():
        if kind == "take":
            _draw_mark(canvas, kind, places[place], radius)


def draw_places(
    canvas: Canvas, marks: Marks, areas: Mapping[str, Area], shown: PlaceLabel = str
) -> None:
    """Make the area of each place clickable, with its name and heat as a tooltip."""
    heat = clamp_heat(marks, areas)
    for place, area in areas.items():
        percent = f": {format_percent(heat[place])}" if place in heat else ""
        canvas.place(place, area, f"{shown(place)}{percent}")


def square_areas(places: PlaceCentres, width: float) -> dict[str, Area]:
    """Return square areas of equal size around the places."""
    return {
        place: Area(x - width / 2, y - width / 2, width, width) for place, (x, y) in places.items()
    }


def _draw_mark(canvas: Canvas, kind: str, centre: Point, radius: float) -> None:
    """Draw the shape of a mark with a pale outline, visible on any background."""
    x, y = centre
    ring = 1.22 * radius
    for layer in ("case", "mark"):
        if kind == "last":
            canvas.path(f"{layer} {kind}", *_corner_path(centre, 1.2 * radius))
        elif kind == "take":
            canvas.path(f"{layer} {kind}", *_cross_path(centre, 0.72 * radius))
        else:
            canvas.circle(centre, ring, f"{layer} {kind}")
    if kind in ("good", "bad"):
        _draw_badge(canvas, kind, (x + 0.86 * ring, y - 0.86 * ring))


def _cross_path(centre: Point, arm: float) -> list[str | float]:
    x, y = centre
    falling = "M", x - arm, y - arm, "L", x + arm, y + arm
    rising = "M", x - arm, y + arm, "L", x + arm, y - arm
    return [*falling, *rising]


def _corner_path(centre: Point, reach: float) -> list[str | float]:
    """Return the path of the four corners of a square around a place."""
    x, y = centre
    arm = 0.45 * reach
    steps: list[str | float] = []
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        corner_x, corner_y = x + right * reach, y + down * reach
        steps += ["M", corner_x, corner_y - down * arm, "L", corner_x, corner_y]
        steps += ["L", corner_x - right * arm, corner_y]
    return steps


def _draw_badge(canvas: Canvas, kind: str, centre: Point) -> None:
    """Draw a small disc with a tick or a cross."""
    x, y = centre
    canvas.circle(centre, 8.5, f"badge {kind}")
    if kind == "good":
        canvas.path("glyph", "M", x - 4, y, "L", x - 1, y + 3.5, "L", x + 4, y - 3.5)
    else:
        canvas.path("glyph", *_cross_path(centre, 3))
