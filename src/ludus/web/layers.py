"""Notes and lines laid over a drawn board: numbered arrows, short texts, beads and rows.

The board is any picture whose places are marked; where they are is all that is known of it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludus.core.pictures import Note
from ludus.core.svg import Canvas, Point

PLACE = re.compile(
    r'<rect class="place" data-place="([^"]+)" x="([^"]+)" y="([^"]+)" '
    r'width="([^"]+)" height="([^"]+)">'
)

FIRST_PLACE = '<rect class="place"'

MAX_BEADS = 16
"""Beads drawn on one place; a larger heap is drawn in proportion."""

ALONG = 0.45
"""How far along an arrow its text stands."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the picture."""

    middle: Point
    size: float
    """Its width or height, whichever is less."""


def spots_of(svg: str) -> dict[str, Spot]:
    """The places of a drawn board."""
    found = {}
    for name, *numbers in PLACE.findall(svg):
        x, y, width, height = map(float, numbers)
        found[name] = Spot((x + width / 2, y + height / 2), min(width, height))
    return found


def area_of(svg: str, margin: float) -> tuple[float, float, float, float]:
    """Left, top, width and height of all places together, and a margin around them."""
    boxes = [tuple(map(float, numbers)) for _, *numbers in PLACE.findall(svg)]
    left, top = min(box[0] for box in boxes) - margin, min(box[1] for box in boxes) - margin
    right = max(x + width for x, _, width, _ in boxes) + margin
    bottom = max(y + height for _, y, _, height in boxes) + margin
    return left, top, right - left, bottom - top


def laid_over(svg: str, notes: Sequence[Note], lines: Sequence[Sequence[str]] = ()) -> str:
    """The picture with lines, then arrows, then beads and texts over its men."""
    spots = spots_of(svg)
    canvas = Canvas(0, 0, "", style="")
    for line in lines:
        _lay_line(canvas, [spots[place].middle for place in line if place in spots])
    known = [note for note in notes if note.places and set(note.places) <= spots.keys()]
    for note in known:
        _lay_arrows(canvas, note, spots)
    stands_for = beads_a_bead(known)
    heights: dict[Point, int] = {}
    for note in known:
        # Several notes on one spot stand above each other.
        spot = _text_spot(note, spots)
        level = heights[spot.middle] = heights.get(spot.middle, -1) + 1
        if note.beads and len(note.places) == 1:
            _lay_beads(canvas, note, spot, stands_for)
        elif note.beads or note.text:
            _lay_text(canvas, note, spot, level)
    return svg.replace(FIRST_PLACE, "\n".join((*canvas.shapes, FIRST_PLACE)), 1)


def beads_a_bead(notes: Sequence[Note]) -> int:
    """How many beads each one that is drawn stands for, so that the fullest place has room."""
    heaps = (note.beads for note in notes if len(note.places) == 1)
    return max(1, math.ceil(max(heaps, default=0) / MAX_BEADS))


def _lay_line(canvas: Canvas, points: Sequence[Point]) -> None:
    if len(points) >= 2:
        first, *others = points
        canvas.path("joined", "M", *first, *(step for point in others for step in ("L", *point)))


def _lay_arrows(canvas: Canvas, note: Note, spots: Mapping[str, Spot]) -> None:
    for start, end in zip(note.places, note.places[1:], strict=False):
        width = 0.16 * spots[end].size
        css = f"way n{note.colour}"
        canvas.arrow(spots[start].middle, spots[end].middle, css, width, 0.3 * spots[start].size)


def _text_spot(note: Note, spots: Mapping[str, Spot]) -> Spot:
    """On the place, or on the last arrow."""
    *_, end = note.places
    if len(note.places) == 1:
        return spots[end]
    (x, y), (to_x, to_y) = spots[note.places[-2]].middle, spots[end].middle
    return Spot((x + ALONG * (to_x - x), y + ALONG * (to_y - y)), spots[end].size)


def _lay_text(canvas: Canvas, note: Note, spot: Spot, level: int) -> None:
    """A text on a tag in the colour of the note."""
    text = note.text or f"{note.beads}"
    height = min(0.44 * spot.size, 24.0)
    width = max(height, 0.6 * height + 0.56 * height * len(text))
    x, y = spot.middle
    y -= level * (height + 2)
    canvas.rect((x - width / 2, y - height / 2), width, height, f"tag n{note.colour}", height / 2)
    canvas.text((x, y), text, "tagged")


def _lay_beads(canvas: Canvas, note: Note, spot: Spot, stands_for: int) -> None:
    """Beads in rows of four, and their number below them where some stand for many."""
    count = math.ceil(note.beads / stands_for)
    step = 0.2 * spot.size
    x, y = spot.middle
    y -= 0.12 * spot.size
    rows = math.ceil(count / 4)
    for number in range(count):
        row, column = divmod(number, 4)
        in_row = min(4, count - 4 * row)
        centre = x + step * (column - (in_row - 1) / 2), y + step * (row - (rows - 1) / 2)
        canvas.circle(centre, 0.42 * step, f"bead n{note.colour}")
    if stands_for > 1:
        canvas.text((x, spot.middle[1] + 0.4 * spot.size), str(note.beads), "share")
