"""Diagrams of boxes and arrows: the layers of a network, the order in which sectors are solved."""

import math
from collections.abc import Iterable, Mapping, Sequence

from ludus.core.html import format_facts, format_panel
from ludus.render.canvas import Canvas, Drawing, Point

DIAGRAM_STYLE = """
.ludus .box { fill: #cfe0ee; stroke: #3d6480; stroke-width: 1.2 }
.ludus .link { stroke: #888; stroke-width: 1.2 }
.ludus .pointer { fill: #888 }
.ludus .label { font: 12px sans-serif; text-anchor: middle; fill: #1d3443 }
.ludus .note { font: 12px sans-serif; text-anchor: middle; fill: #808080 }
"""
"""Colours that can be read on light and on dark pages."""

BOX_WIDTH = 74
GAP = 42
MAX_HEIGHT = 120
MIN_HEIGHT = 26


def draw_layers(title: str, layers: Sequence[tuple[str, int]]) -> Drawing:
    """Draw the layers of a network from left to right, as (name, number of units).

    The height of a box grows with the logarithm of its units.
    """
    width = len(layers) * BOX_WIDTH + (len(layers) - 1) * GAP + 20
    middle = MAX_HEIGHT / 2 + 10
    described = ", ".join(f"{name} {units}" for name, units in layers)
    canvas = Canvas(width, MAX_HEIGHT + 56, title, described, style=DIAGRAM_STYLE)
    largest = math.log(max([2, *(units for _, units in layers)]))
    for number, (name, units) in enumerate(layers):
        left = 10 + number * (BOX_WIDTH + GAP)
        fraction = math.log(max(units, 1)) / largest
        height = MIN_HEIGHT + fraction * (MAX_HEIGHT - MIN_HEIGHT)
        canvas.rect((left, middle - height / 2), BOX_WIDTH, height, "box", rx=5)
        canvas.text((left + BOX_WIDTH / 2, middle), f"{units:,}", "label")
        canvas.text((left + BOX_WIDTH / 2, MAX_HEIGHT + 30), name, "note")
        if number:
            canvas.arrow((left - GAP + 4, middle), (left - 4, middle), "pointer", width=3)
    return canvas.drawing()


def draw_graph(
    title: str,
    places: Mapping[str, Point],
    arrows: Iterable[tuple[str, str]],
    labels: Mapping[str, str] | None = None,
) -> Drawing:
    """Draw named boxes at these centres, and arrows between them; labels replace the names."""
    half_width, half_height = BOX_WIDTH / 2, 15
    width = max(x for x, _ in places.values()) + half_width + 10
    height = max(y for _, y in places.values()) + half_height + 10
    canvas = Canvas(width, height, title, ", ".join(places), style=DIAGRAM_STYLE)
    for start, end in arrows:
        tip = _find_border(places[start], places[end], half_width + 3, half_height + 3)
        canvas.arrow(places[start], tip, "pointer", width=2, tail=half_height)
    for name, (x, y) in places.items():
        canvas.rect((x - half_width, y - half_height), BOX_WIDTH, 2 * half_height, "box", rx=5)
        canvas.text((x, y), (labels or {}).get(name, name), "label")
    return canvas.drawing()


def _find_border(start: Point, end: Point, half_width: float, half_height: float) -> Point:
    """Return where a line to the centre of a box enters it."""
    dx, dy = start[0] - end[0], start[1] - end[1]
    scale = min(
        half_width / abs(dx) if dx else math.inf, half_height / abs(dy) if dy else math.inf, 1
    )
    return end[0] + dx * scale, end[1] + dy * scale


def format_network(
    title: str, layers: Sequence[tuple[str, int]], facts: Mapping[str, object]
) -> str:
    """Return the layers, as (name, number of units), as a picture beside the facts."""
    return format_panel(title, draw_layers(title, layers).svg(), format_facts(facts))


def name_layers(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Return the layers of a fully connected network with names.

    >>> name_layers((257, 64, 5))
    [('inputs', 257), ('hidden 1', 64), ('outputs', 5)]
    """
    hidden = [(f"hidden {number}", size) for number, size in enumerate(sizes[1:-1], 1)]
    return [("inputs", sizes[0]), *hidden, ("outputs", sizes[-1])]
