"""A small SVG canvas: shapes by class name, one self-contained document.

There are no ids and no references, so that several documents can stand in one page, and equal
drawings are equal texts.

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
"""What XML cannot hold even as an escape: control characters and lone surrogates."""

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    """The text as it may stand between tags or in an attribute."""
    return UNPRINTABLE.sub("\ufffd", text).translate(ESCAPES)


def number(value: float) -> str:
    """At most two decimals, and none that say nothing.

    >>> number(7.50), number(3), number(-0.001)
    ('7.5', '3', '0')
    """
    if not math.isfinite(value):
        raise ValueError(f"a drawing has no place for {value}")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Canvas:
    """Shapes in the order in which they are drawn; `document` is the finished picture."""

    def __init__(
        self, width: float, height: float, title: str, description: str = "", *, style: str
    ) -> None:
        self._size = number(width), number(height)
        self._head = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        self._style = style
        self._shapes: list[str] = []

    @property
    def shapes(self) -> tuple[str, ...]:
        """What has been drawn so far, one element each."""
        return tuple(self._shapes)

    def document(self) -> str:
        """The whole picture, with its own style, as a text that ends with a newline."""
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
        """A rectangle from its top-left corner; `rx` rounds the corners."""
        x, y = corner
        self._add("rect", css, x=x, y=y, width=width, height=height, rx=rx or None)

    def line(self, start: Point, end: Point, css: str) -> None:
        """A straight line."""
        self._add("line", css, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def circle(self, centre: Point, radius: float, css: str, filled: float = 1) -> None:
        """A disc or a ring, as the class says; `filled` is how opaque the disc is inside."""
        x, y = centre
        self._add("circle", css, cx=x, cy=y, r=radius, fill_opacity=None if filled == 1 else filled)

    def polygon(self, corners: Sequence[Point], css: str) -> None:
        """A closed shape with straight sides."""
        self._add("polygon", css, points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))

    def path(self, css: str, *steps: str | float) -> None:
        """A path: letters and numbers as in SVG's `d`."""
        words = (step if isinstance(step, str) else number(step) for step in steps)
        self._add("path", css, d=" ".join(words))

    def text(self, middle: Point, content: str, css: str) -> None:
        """A line of text about its middle, both ways."""
        self._add("text", css, content=escape(content), x=middle[0], y=middle[1], dy="0.35em")

    def arrow(self, start: Point, end: Point, css: str, width: float = 6, tail: float = 0) -> None:
        """An arrow whose tip is exactly at the end; its tail leaves `tail` free at the start.

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
        """A clear area over a place: it tells its title on hovering, and its name to a program."""
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
        """One more element; an attribute that is None is left out."""
        written = f' class="{escape(css)}"'
        for key, value in attributes.items():
            if value is None:
                continue
            text = escape(value) if isinstance(value, str) else number(value)
            written += f' {key.replace("_", "-")}="{text}"'
        end = f">{content}</{tag}>" if content else "/>"
        self._shapes.append(f"<{tag}{written}{end}")
