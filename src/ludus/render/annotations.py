"""Annotations over a drawn board: numbered arrows, tags, beads and lines."""

import math
from collections.abc import Mapping, Sequence

from ludus.core.marks import Note
from ludus.render.canvas import Area, Canvas, Drawing, Point

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
