"""Annotations over a drawn board: numbered arrows, tags, beads and lines."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludus.core.marks import Note
from ludus.render.canvas import Canvas, Point

PLACE_ELEMENT = re.compile(
    r'<rect class="place" data-place="([^"]+)" x="([^"]+)" y="([^"]+)" '
    r'width="([^"]+)" height="([^"]+)">'
)

FIRST_PLACE = '<rect class="place"'

MAX_BEADS = 16
"""Beads drawn on one place; if there are more, each drawn bead stands for several."""

TEXT_FRACTION = 0.45
"""Position of the text along an arrow, as a fraction of its length."""


@dataclass(frozen=True, slots=True)
class PlaceCentre:
    """Centre and size of a place."""

    centre: Point
    size: float
    """The lesser of width and height."""


def find_places(svg: str) -> dict[str, PlaceCentre]:
    """Return the places of a drawn board by name."""
    places = {}
    for name, *numbers in PLACE_ELEMENT.findall(svg):
        x, y, width, height = map(float, numbers)
        places[name] = PlaceCentre((x + width / 2, y + height / 2), min(width, height))
    return places


def find_bounds(svg: str, margin: float) -> tuple[float, float, float, float]:
    """Return left, top, width and height of all places together, plus a margin."""
    boxes = [tuple(map(float, numbers)) for _, *numbers in PLACE_ELEMENT.findall(svg)]
    left, top = min(box[0] for box in boxes) - margin, min(box[1] for box in boxes) - margin
    right = max(x + width for x, _, width, _ in boxes) + margin
    bottom = max(y + height for _, y, _, height in boxes) + margin
    return left, top, right - left, bottom - top


def draw_annotations(svg: str, notes: Sequence[Note], lines: Sequence[Sequence[str]] = ()) -> str:
    """Add lines, then arrows, then beads and texts, over the men but below the places."""
    places = find_places(svg)
    canvas = Canvas(0, 0, "", style="")
    for line in lines:
        _draw_line(canvas, [places[place].centre for place in line if place in places])
    known = [note for note in notes if note.places and set(note.places) <= places.keys()]
    for note in known:
        _draw_arrows(canvas, note, places)
    stands_for = count_beads_per_shape(known)
    heights: dict[Point, int] = {}
    for note in known:
        # Stack the notes of one place.
        spot = _find_text_place(note, places)
        level = heights[spot.centre] = heights.get(spot.centre, -1) + 1
        if note.beads and len(note.places) == 1:
            _draw_beads(canvas, note, spot, stands_for)
        elif note.beads or note.text:
            _draw_text(canvas, note, spot, level)
    return svg.replace(FIRST_PLACE, "\n".join((*canvas.shapes, FIRST_PLACE)), 1)


def count_beads_per_shape(notes: Sequence[Note]) -> int:
    """Return how many beads each drawn bead stands for, so that all places have room."""
    heaps = (note.beads for note in notes if len(note.places) == 1)
    return max(1, math.ceil(max(heaps, default=0) / MAX_BEADS))


def _draw_line(canvas: Canvas, points: Sequence[Point]) -> None:
    if len(points) >= 2:
        first, *others = points
        canvas.path("joined", "M", *first, *(step for point in others for step in ("L", *point)))


def _draw_arrows(canvas: Canvas, note: Note, places: Mapping[str, PlaceCentre]) -> None:
    for start, end in zip(note.places, note.places[1:], strict=False):
        width = 0.16 * places[end].size
        css = f"way n{note.colour}"
        canvas.arrow(places[start].centre, places[end].centre, css, width, 0.3 * places[start].size)


def _find_text_place(note: Note, places: Mapping[str, PlaceCentre]) -> PlaceCentre:
    """Return the note's only place, or the text's position on its last arrow."""
    *_, end = note.places
    if len(note.places) == 1:
        return places[end]
    (x, y), (to_x, to_y) = places[note.places[-2]].centre, places[end].centre
    return PlaceCentre(
        (x + TEXT_FRACTION * (to_x - x), y + TEXT_FRACTION * (to_y - y)), places[end].size
    )


def _draw_text(canvas: Canvas, note: Note, spot: PlaceCentre, level: int) -> None:
    """Draw a text on a tag in the colour of the note."""
    text = note.text or f"{note.beads}"
    height = min(0.44 * spot.size, 24.0)
    width = max(height, 0.6 * height + 0.56 * height * len(text))
    x, y = spot.centre
    y -= level * (height + 2)
    canvas.rect((x - width / 2, y - height / 2), width, height, f"tag n{note.colour}", height / 2)
    canvas.text((x, y), text, "tagged")


def _draw_beads(canvas: Canvas, note: Note, spot: PlaceCentre, stands_for: int) -> None:
    """Draw beads in rows of four, with their number below if a drawn bead stands for several."""
    count = math.ceil(note.beads / stands_for)
    step = 0.2 * spot.size
    x, y = spot.centre
    y -= 0.12 * spot.size
    rows = math.ceil(count / 4)
    for number in range(count):
        row, column = divmod(number, 4)
        in_row = min(4, count - 4 * row)
        centre = x + step * (column - (in_row - 1) / 2), y + step * (row - (rows - 1) / 2)
        canvas.circle(centre, 0.42 * step, f"bead n{note.colour}")
    if stands_for > 1:
        canvas.text((x, spot.centre[1] + 0.4 * spot.size), str(note.beads), "share")
