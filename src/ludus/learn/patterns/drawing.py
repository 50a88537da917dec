"""Patterns drawn: the top quadrant with its three rows, in characters and as a picture."""

from collections.abc import Sequence

from ludus.core.svg import Canvas, Point
from ludus.core.theme import STYLE
from ludus.learn.patterns.inspecting import Vertex
from ludus.learn.patterns.quadrants import PLACES, in_rows

MAN, EMPTY = "●", "·"
TEXT_WIDTH = 13
REACH = (6, 4, 2)
"""Half the width of each row in characters, the outer one first."""

CELL: Point = (170, 136)
STEP, RADIUS = 22, 9
COLUMNS = 4


def text(number: int) -> list[str]:
    """A pattern in three lines of characters."""
    bits = [MAN if number >> (PLACES - 1 - place) & 1 else EMPTY for place in range(PLACES)]
    lines = []
    for row, reach in enumerate(REACH):
        left, middle, right = bits[3 * row : 3 * row + 3]
        line = "─" * (reach - 1)
        lines.append(f"{left}{line}{middle}{line}{right}".center(TEXT_WIDTH))
    return lines


def texts(numbers: Sequence[int], columns: int = 5) -> list[str]:
    """Patterns side by side, each with its number below."""
    lines: list[str] = []
    for start in range(0, len(numbers), columns):
        shown = numbers[start : start + columns]
        blocks = [[*text(number), f"{number}".center(TEXT_WIDTH)] for number in shown]
        lines += ["   ".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
        lines.append("")
    return lines[:-1]


def svg(vertices: Sequence[Vertex], title: str) -> str:
    """Patterns with their scores as one picture."""
    columns = min(COLUMNS, max(1, len(vertices)))
    rows = -(-len(vertices) // columns)
    width, height = columns * CELL[0], max(1, rows) * CELL[1] + 40
    described = "; ".join(f"{each.pattern} ({in_rows(each.pattern)})" for each in vertices)
    canvas = Canvas(width, height, title, described, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    canvas.text((width / 2, 22), title, "said")
    for index, vertex in enumerate(vertices):
        row, column = divmod(index, columns)
        _draw(canvas, vertex, (column * CELL[0], 40 + row * CELL[1]))
    return canvas.document()


def _draw(canvas: Canvas, vertex: Vertex, corner: Point) -> None:
    left, top = corner
    middle = left + CELL[0] / 2
    canvas.rect((left + 6, top), CELL[0] - 12, CELL[1] - 8, "board", 10)
    places = [
        (middle + side * STEP * (3 - row), top + 24 + STEP * 1.2 * row)
        for row in range(3)
        for side in (-1, 0, 1)
    ]
    for row in range(3):
        canvas.line(places[3 * row], places[3 * row + 2], "line")
    canvas.line(places[1], places[7], "line")
    for place, centre in enumerate(places):
        is_taken = vertex.pattern >> (PLACES - 1 - place) & 1
        canvas.circle(centre, RADIUS if is_taken else 4, "man black" if is_taken else "dot")
    label = f"{vertex.pattern}: score {vertex.score:.3g}"
    canvas.text((middle, top + CELL[1] - 24), label, "label")
