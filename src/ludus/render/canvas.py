"""Drawings, and a small SVG canvas that makes them.

A drawing is a structure: shapes, clickable places, a style sheet. Its SVG has no ids or
references, so that several can be embedded in one page; equal drawings give equal texts.

>>> canvas = Canvas(40, 40, "A dot", style="")
>>> canvas.circle((20, 20), 7.5, "man white")
>>> canvas.shapes
('<circle class="man white" cx="20" cy="20" r="7.5"/>',)
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from ludus.core.marks import NO_MARKS, Marks

Point = tuple[float, float]


class Area(NamedTuple):
    """A rectangle of a drawing."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def size(self) -> float:
        """The lesser of width and height."""
        return min(self.width, self.height)


UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold even escaped: control characters, lone surrogates."""

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    """Escape a text for element content or an attribute value."""
    return UNPRINTABLE.sub("\ufffd", text).translate(ESCAPES)


def format_number(value: float) -> str:
    """Format with at most two decimals, without trailing zeros.

    >>> format_number(7.50), format_number(3), format_number(-0.001)
    ('7.5', '3', '0')
    """
    if not math.isfinite(value):
        raise ValueError(f"a drawing has no place for {value}")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def make_element(tag: str, css: str, content: str = "", **attributes: str | float | None) -> str:
    """Return an SVG element; `content` is SVG, and attributes that are None are omitted."""
    end = f">{content}</{tag}>" if content else "/>"
    return f"<{tag}{_write_attributes(css, **attributes)}{end}"


@lru_cache(maxsize=4096)
def _write_attributes(css: str, **attributes: str | float | None) -> str:
    """Return attributes as text; cached, since most of a board is the same after each move."""
    written = f' class="{escape(css)}"'
    for key, value in attributes.items():
        if value is None:
            continue
        text = escape(value) if isinstance(value, str) else format_number(value)
        written += f' {key.replace("_", "-")}="{text}"'
    return written


def make_place_element(name: str, area: Area, tooltip: str) -> str:
    """Return a transparent area with a tooltip, and `data-place` for scripts."""
    content = f"<title>{escape(tooltip)}</title>"
    return make_element("rect", "place", content, data_place=name, **area._asdict())


@dataclass(frozen=True)
class Drawing:
    """A picture: its shapes, and the places over them that can be clicked."""

    width: float
    height: float
    title: str
    description: str
    style: str
    """The style sheet."""

    shapes: tuple[str, ...]
    """SVG elements in drawing order."""

    places: Mapping[str, Area]
    """Areas of the places by name, in drawing order."""

    tooltips: Mapping[str, str]
    """Tooltip of each place."""

    occupied: frozenset[str] = frozenset()
    """Places covered by men."""

    view: Area | None = None
    """The visible part; None for all of it."""

    def with_shapes(self, shapes: Iterable[str], style: str = "") -> "Drawing":
        """Return the drawing with more shapes, above the others and below the places."""
        return replace(self, shapes=(*self.shapes, *shapes), style=self.style + style)

    def cropped(self, margin: float) -> "Drawing":
        """Return the part of the drawing around all places, with a margin."""
        areas = self.places.values()
        left, top = min(area.x for area in areas) - margin, min(area.y for area in areas) - margin
        right = max(area.x + area.width for area in areas) + margin
        bottom = max(area.y + area.height for area in areas) + margin
        return replace(self, view=Area(left, top, right - left, bottom - top))

    def svg(self, *, has_style: bool = True, has_places: bool = True) -> str:
        """Return the SVG document, ending with a newline."""
        width, height = format_number(self.width), format_number(self.height)
        view = " ".join(map(format_number, self.view or (0, 0, self.width, self.height)))
        return "\n".join(
            (
                '<svg xmlns="http://www.w3.org/2000/svg" class="ludus" role="img" '
                f'width="{width}" height="{height}" viewBox="{view}">',
                f"<title>{escape(self.title)}</title><desc>{escape(self.description)}</desc>",
                *((f"<style>{self.style}</style>",) if has_style else ()),
                *self.shapes,
                *(
                    make_place_element(name, area, self.tooltips[name])
                    for name, area in self.places.items()
                    if has_places
                ),
                "</svg>\n",
            )
        )

    def nested(self, area: Area) -> str:
        """Return the shapes as an element of another drawing, as large as the area allows."""
        view = self.view or Area(0, 0, self.width, self.height)
        box = " ".join(map(format_number, view))
        return make_element("svg", "nested", "".join(self.shapes), viewBox=box, **area._asdict())

    def _repr_svg_(self) -> str:
        """Return the SVG document, which notebooks show."""
        return self.svg()


class Drawable:
    """A position that is drawn by its method `drawing`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Position {self}>"

    def drawing(self, marks: Marks = NO_MARKS) -> Drawing:
        """Draw the board."""
        raise NotImplementedError

    def svg(self, marks: Marks = NO_MARKS) -> str:
        """Draw the board as a self-contained SVG document."""
        return self.drawing(marks).svg()

    def _repr_svg_(self) -> str:
        return self.svg()


class Canvas:
    """Shapes in drawing order, and places; `drawing` returns them."""

    def __init__(
        self,
        width: float = 0,
        height: float = 0,
        title: str = "",
        description: str = "",
        *,
        style: str = "",
    ) -> None:
        self._frame = width, height, title, description, style
        self._shapes: list[str] = []
        self._places: dict[str, Area] = {}
        self._tooltips: dict[str, str] = {}

    @property
    def shapes(self) -> tuple[str, ...]:
        """The elements drawn so far."""
        return tuple(self._shapes)

    def drawing(self, occupied: Iterable[str] = ()) -> Drawing:
        """Return everything drawn so far; `occupied` are the places covered by men."""
        places, tooltips = dict(self._places), dict(self._tooltips)
        return Drawing(*self._frame, self.shapes, places, tooltips, frozenset(occupied))

    def rect(self, corner: Point, width: float, height: float, css: str, rx: float = 0) -> None:
        """Draw a rectangle from its top-left corner; `rx` rounds the corners."""
        x, y = corner
        self._add("rect", css, x=x, y=y, width=width, height=height, rx=rx or None)

    def line(self, start: Point, end: Point, css: str) -> None:
        """Draw a straight line."""
        self._add("line", css, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def circle(self, centre: Point, radius: float, css: str, filled: float = 1) -> None:
        """Draw a disc or a ring, depending on the class; `filled` is the fill opacity."""
        x, y = centre
        self._add("circle", css, cx=x, cy=y, r=radius, fill_opacity=None if filled == 1 else filled)

    def polygon(self, corners: Sequence[Point], css: str) -> None:
        """Draw a polygon."""
        self._add(
            "polygon",
            css,
            points=" ".join(f"{format_number(x)},{format_number(y)}" for x, y in corners),
        )

    def path(self, css: str, *steps: str | float) -> None:
        """Draw a path: letters and numbers as in SVG's `d`."""
        words = (step if isinstance(step, str) else format_number(step) for step in steps)
        self._add("path", css, d=" ".join(words))

    def text(self, centre: Point, content: str, css: str) -> None:
        """Draw a line of text, centred horizontally and vertically."""
        self._add("text", css, content=escape(content), x=centre[0], y=centre[1], dy="0.35em")

    def arrow(self, start: Point, end: Point, css: str, width: float = 6, tail: float = 0) -> None:
        """Draw an arrow with its tip at `end`, leaving a gap of length `tail` at the start.

        It is one polygon, tip first, so that it can be translucent and needs no marker.
        """
        length = math.dist(start, end)
        if length <= tail:
            return
        ahead = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        head = min(3 * width, length - tail)

        def at(along: float, aside: float) -> Point:
            return (
                start[0] + ahead[0] * along - ahead[1] * aside,
                start[1] + ahead[1] * along + ahead[0] * aside,
            )

        neck, half, wing = length - head, width / 2, 1.4 * width
        corners = [(length, 0.0), (neck, wing), (neck, half), (tail, half)]
        mirrored = [(along, -aside) for along, aside in reversed(corners[1:])]
        self.polygon([at(*corner) for corner in corners + mirrored], css)

    def place(self, name: str, area: Area, tooltip: str) -> None:
        """Make an area clickable as a place; places are above all shapes."""
        self._places[name], self._tooltips[name] = area, tooltip

    def tooltip(self, name: str, area: Area, text: str) -> None:
        """Draw a transparent area with a tooltip; several areas may have one name."""
        self._shapes.append(make_place_element(name, area, text))

    def _add(self, tag: str, css: str, content: str = "", **attributes: str | float | None) -> None:
        self._shapes.append(make_element(tag, css, content, **attributes))
