"""Marks over a drawing: heat, arrows, values, notes and lines."""

import math
from collections.abc import Iterable, Mapping, Sequence

from ludus.core.marks import Marks, Note
from ludus.render.canvas import Area, Canvas, Drawing, Point
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


RING_FRACTION = 1.22
"""Radius of the ring of a mark, as a fraction of a man's."""

BADGE_FRACTION = 0.86
"""Distance of a tick or cross from the centre in each direction, as a fraction of the ring's."""


def draw_marks(
    canvas: Canvas,
    marks: Marks,
    places: PlaceCentres,
    radius: float,
    badge_distance: float | None = None,
) -> None:
    """Draw marked points and arrows over the men; `take` crosses come last.

    Ticks and crosses are at `badge_distance` to the right and above the centre of a place; by
    default at the edge of the ring around it.
    """
    distance = BADGE_FRACTION * RING_FRACTION * radius if badge_distance is None else badge_distance
    kinds = {place: marks.points[place] for place in places if place in marks.points}
    for place, kind in kinds.items():
        if kind in MARK_KINDS and kind != "take":
            _draw_mark(canvas, kind, places[place], radius)
        if kind in ("good", "bad"):
            x, y = places[place]
            _draw_badge(canvas, kind, (x + distance, y - distance))
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
    ring = RING_FRACTION * radius
    for layer in ("case", "mark"):
        if kind == "last":
            canvas.path(f"{layer} {kind}", *_corner_path(centre, 1.2 * radius))
        elif kind == "take":
            canvas.path(f"{layer} {kind}", *_cross_path(centre, 0.72 * radius))
        else:
            canvas.circle(centre, ring, f"{layer} {kind}")


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


MAX_BEADS = 16
"""Beads drawn on one place; if there are more, each drawn bead stands for several."""

TEXT_FRACTION = 0.45
"""Position of the text along an arrow, as a fraction of its length."""


def draw_annotations(
    drawing: Drawing, notes: Sequence[Note], lines: Sequence[Sequence[str]] = ()
) -> Drawing:
    """Add lines, then arrows, then beads and texts, over the men but below the places."""
    places, canvas = drawing.places, Canvas()
    for line in lines:
        _draw_line(canvas, [places[place].centre for place in line if place in places])
    known = [note for note in notes if note.places and set(note.places) <= places.keys()]
    for note in known:
        _draw_arrows(canvas, note, places)
    stands_for = count_beads_per_shape(known)
    heights: dict[Point, int] = {}
    for note in known:
        # Stack the notes of one place.
        centre, size = _find_text_centre(note, places), places[note.places[-1]].size
        level = heights[centre] = heights.get(centre, -1) + 1
        if note.beads and len(note.places) == 1:
            _draw_beads(canvas, note, centre, size, stands_for)
        elif note.beads or note.text:
            _draw_text(canvas, note, centre, size, level)
    return drawing.with_shapes(canvas.shapes)


def count_beads_per_shape(notes: Sequence[Note]) -> int:
    """Return how many beads each drawn bead stands for, so that all places have room."""
    heaps = (note.beads for note in notes if len(note.places) == 1)
    return max(1, math.ceil(max(heaps, default=0) / MAX_BEADS))


def _draw_line(canvas: Canvas, points: Sequence[Point]) -> None:
    if len(points) >= 2:
        first, *others = points
        canvas.path("joined", "M", *first, *(step for point in others for step in ("L", *point)))


def _draw_arrows(canvas: Canvas, note: Note, places: Mapping[str, Area]) -> None:
    for start, end in zip(note.places, note.places[1:], strict=False):
        width = 0.16 * places[end].size
        css = f"way n{note.colour}"
        canvas.arrow(places[start].centre, places[end].centre, css, width, 0.3 * places[start].size)


def _find_text_centre(note: Note, places: Mapping[str, Area]) -> Point:
    """Return the centre of the note's only place, or the text's position on its last arrow."""
    *_, end = note.places
    if len(note.places) == 1:
        return places[end].centre
    (x, y), (to_x, to_y) = places[note.places[-2]].centre, places[end].centre
    return x + TEXT_FRACTION * (to_x - x), y + TEXT_FRACTION * (to_y - y)


def _draw_text(canvas: Canvas, note: Note, centre: Point, size: float, level: int) -> None:
    """Draw a text on a tag in the colour of the note."""
    text = note.text or f"{note.beads}"
    height = min(0.44 * size, 24.0)
    width = max(height, 0.6 * height + 0.56 * height * len(text))
    x, y = centre
    y -= level * (height + 2)
    canvas.rect((x - width / 2, y - height / 2), width, height, f"tag n{note.colour}", height / 2)
    canvas.text((x, y), text, "tagged")


def _draw_beads(canvas: Canvas, note: Note, centre: Point, size: float, stands_for: int) -> None:
    """Draw beads in rows of four, with their number below if a drawn bead stands for several."""
    count = math.ceil(note.beads / stands_for)
    step = 0.2 * size
    x, middle = centre
    y = middle - 0.12 * size
    rows = math.ceil(count / 4)
    for number in range(count):
        row, column = divmod(number, 4)
        in_row = min(4, count - 4 * row)
        spot = x + step * (column - (in_row - 1) / 2), y + step * (row - (rows - 1) / 2)
        canvas.circle(spot, 0.42 * step, f"bead n{note.colour}")
    if stands_for > 1:
        canvas.text((x, middle + 0.4 * size), str(note.beads), "share")
