"""Noughts and crosses in characters and as SVG: an open grid, crosses and noughts."""

from ludus.core.marks import Marks
from ludus.games.squares_drawing import (
    CORNER,
    STEP,
    BoardStyle,
    SquarePosition,
    draw_position,
    render_text,
)
from ludus.render.canvas import Canvas, Drawing, Point

REACH = 20
"""Half the width of a cross, and the radius of a nought."""


def text(position: SquarePosition, marks: Marks) -> str:
    """Draw the board in characters."""
    return render_text(position, marks, LOOK)


def draw(position: SquarePosition, marks: Marks) -> Drawing:
    """Draw the board as a picture."""
    return draw_position(position, marks, LOOK)


def _draw_board(canvas: Canvas, size: int) -> None:
    left, top = CORNER
    width = STEP * size
    canvas.rect(CORNER, width, width, "board", 10)
    for index in range(1, size):
        along = STEP * index
        canvas.line((left + along, top + 12), (left + along, top + width - 12), "line")
        canvas.line((left + 12, top + along), (left + width - 12, top + along), "line")


def _draw_man(canvas: Canvas, centre: Point, side: int) -> None:
    x, y = centre
    if side == 1:
        canvas.circle(centre, REACH, "stroke nought")
        return
    down = ("M", x - REACH, y - REACH, "L", x + REACH, y + REACH)
    canvas.path("stroke cross", *down, "M", x + REACH, y - REACH, "L", x - REACH, y + REACH)


LOOK = BoardStyle(
    title="Noughts and crosses",
    sides=("Crosses", "Noughts"),
    letters="XO",
    symbols="XO",
    has_frame=False,
    draw_board=_draw_board,
    draw_man=_draw_man,
)
