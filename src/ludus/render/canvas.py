"""A small SVG canvas: shapes with class names, rendered as one self-contained document.

The document has no ids or references, so that several documents can be embedded in one page; equal
drawings give equal texts.

>>> canvas = Canvas(40, 40, "A dot", style="")
>>> canvas.circle((20, 20), 7.5, "man white")
>>> canvas.shapes
('<circle class="man white" cx="20" cy="20" r="7.5"/>',)
"""

import math
import re
from collections.abc import Sequence

Point = tuple[float, float]

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


class Canvas:
    """Shapes in drawing order; `document` returns the SVG."""

    def __init__(
        self, width: float, height: float, title: str, description: str = "", *, style: str
    ) -> None:
        self._size = format_number(width), format_number(height)
        self._head = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        self._style = style
        self._shapes: list[str] = []

    @property
    def shapes(self) -> tuple[str, ...]:
        """The elements drawn so far."""
        return tuple(self._shapes)

    def document(self) -> str:
        """Return the SVG with its style sheet, ending with a newline."""
        width, height = self._size
        return "\n".join(
            (
                '<svg xmlns="http://www.w3.org/2000/svg" class="ludus" role="img" '
                f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
                self._head,
                f"<style>{self._style}</style>",
                *self._shapes,
                "</svg>\n",
            )
        )

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

    def place(self, corner: Point, width: float, height: float, name: str, title: str) -> None:
        """Draw a transparent area over a place, with a tooltip and `data-place` for scripts."""
        x, y = corner
        self._add(
            "rect",
            "place",
            content=f"<title>{escape(title)}</title>",
            data_place=name,
            x=x,
            y=y,
            width=width,
            height=height,
        )

    def _add(self, tag: str, css: str, content: str = "", **attributes: str | float | None) -> None:
        """Append an element; attributes that are None are omitted."""
        written = f' class="{escape(css)}"'
        for key, value in attributes.items():
            if value is None:
                continue
            text = escape(value) if isinstance(value, str) else format_number(value)
            written += f' {key.replace("_", "-")}="{text}"'
        end = f">{content}</{tag}>" if content else "/>"
        self._shapes.append(f"<{tag}{written}{end}")
