"""What is laid over and under the men of a picture: heat, marks, arrows and places to click.

A picture says where its places are, then lays the heat, its men, the notes and the places over
one another, in this order.
"""

from collections.abc import Iterable, Mapping

from ludus.core.drawing import KINDS, Shown, percent, shares
from ludus.core.marks import Marks
from ludus.core.svg import Canvas, Point

Places = Mapping[str, Point]
"""The centre of every place by its name, in the order in which they are drawn."""

Area = tuple[Point, float, float]
"""Top-left corner, width and height."""


def lay_heat(
    canvas: Canvas, marks: Marks, places: Places, radius: float, occupied: Iterable[str]
) -> None:
    """A halo behind each place with heat, wider and stronger the more; a number where it is free.

    `radius` is that of a man, which the halo must show around.
    """
    taken = frozenset(occupied)
    for place, share in shares(marks, places).items():
        centre, reach = places[place], radius * (1.13 + 0.22 * share)
        # On the bare wood, so that equal shares look equal and no line runs through the number.
        canvas.circle(centre, reach, "board")
        canvas.circle(centre, reach, "heat", 0.1 + 0.85 * share)
        if place not in taken:
            canvas.text(centre, f"{100 * share:.0f}", "share")


def lay_notes(canvas: Canvas, marks: Marks, places: Places, radius: float) -> None:
    """The marked points and the arrows, over the men; what is to be taken is crossed out last."""
    kinds = {place: marks.points[place] for place in places if place in marks.points}
    for place, kind in kinds.items():
        if kind in KINDS and kind != "take":
            _mark(canvas, kind, places[place], radius)
    for start, end in marks.arrows:
        if start in places and end in places:
            canvas.arrow(places[start], places[end], "arrow", 0.34 * radius, tail=1.1 * radius)
    for place, kind in kinds.items():
        if kind == "take":
            _mark(canvas, kind, places[place], radius)


def lay_places(canvas: Canvas, marks: Marks, areas: Mapping[str, Area], shown: Shown = str) -> None:
    """A clear area over each place, which shows its name, and its heat, on hovering."""
    heat = shares(marks, areas)
    for place, (corner, width, height) in areas.items():
        title = f"{shown(place)}: {percent(heat[place])}" if place in heat else shown(place)
        canvas.place(corner, width, height, place, title)


def squares_about(places: Places, width: float) -> dict[str, Area]:
    """Areas for places that are all alike."""
    return {
        place: ((x - width / 2, y - width / 2), width, width) for place, (x, y) in places.items()
    }


def _mark(canvas: Canvas, kind: str, centre: Point, radius: float) -> None:
    """The shape of this kind, with a pale case around it that holds it apart from any ground."""
    x, y = centre
    ring = 1.22 * radius
    for layer in ("case", "mark"):
        if kind == "last":
            canvas.path(f"{layer} {kind}", *_corners(centre, 1.2 * radius))
        elif kind == "take":
            canvas.path(f"{layer} {kind}", *_cross(centre, 0.72 * radius))
        else:
            canvas.circle(centre, ring, f"{layer} {kind}")
    if kind in ("good", "bad"):
        _badge(canvas, kind, (x + 0.86 * ring, y - 0.86 * ring))


def _cross(centre: Point, arm: float) -> list[str | float]:
    x, y = centre
    falling = "M", x - arm, y - arm, "L", x + arm, y + arm
    rising = "M", x - arm, y + arm, "L", x + arm, y - arm
    return [*falling, *rising]


def _corners(centre: Point, reach: float) -> list[str | float]:
    """The four corners of a square about a place."""
    x, y = centre
    arm = 0.45 * reach
    steps: list[str | float] = []
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        corner_x, corner_y = x + right * reach, y + down * reach
        steps += ["M", corner_x, corner_y - down * arm, "L", corner_x, corner_y]
        steps += ["L", corner_x - right * arm, corner_y]
    return steps


def _badge(canvas: Canvas, kind: str, centre: Point) -> None:
    """A small disc with a tick or a cross."""
    x, y = centre
    canvas.circle(centre, 8.5, f"badge {kind}")
    if kind == "good":
        canvas.path("glyph", "M", x - 4, y, "L", x - 1, y + 3.5, "L", x + 4, y - 3.5)
    else:
        canvas.path("glyph", *_cross(centre, 3))
