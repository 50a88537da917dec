"""The hexapawn board with pawns, in characters and as SVG."""

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

COLOURS = ("white", "black")


def text(position: SquarePosition, marks: Marks) -> str:
    """Draw the board in characters."""
    return render_text(position, marks, LOOK)


def draw(position: SquarePosition, marks: Marks) -> Drawing:
    """Draw the board as a picture."""
    return draw_position(position, marks, LOOK)


def _draw_board(canvas: Canvas, size: int) -> None:
    """Draw squares of two tones; a1 is dark, as on a chessboard."""
    left, top = CORNER
    width = STEP * size
    canvas.rect(CORNER, width, width, "board")
    for row in range(size):
        for column in range(size):
            if (size - 1 - row + column) % 2 == 0:
                canvas.rect((left + STEP * column, top + STEP * row), STEP, STEP, "tone")
    canvas.rect(CORNER, width, width, "edge")


def _draw_man(canvas: Canvas, centre: Point, side: int) -> None:
    """Draw a pawn: a foot with a waist, and a head."""
    x, y = centre
    foot, waist = y + 24, y - 5
    css = f"man {COLOURS[side]}"
    right = ("C", x + 18, foot - 11, x + 7, foot - 15, x + 6, waist)
    left = ("C", x - 7, foot - 15, x - 18, foot - 11, x - 18, foot)
    canvas.path(css, "M", x - 18, foot, "L", x + 18, foot, *right, "L", x - 6, waist, *left, "Z")
    canvas.circle((x, y - 14), 11, css)


LOOK = BoardStyle(
    title="Hexapawn",
    sides=("White", "Black"),
    letters="WB",
    symbols="○●",
    has_frame=True,
    draw_board=_draw_board,
    draw_man=_draw_man,
)
