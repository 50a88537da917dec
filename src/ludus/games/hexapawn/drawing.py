"""Hexapawn, drawn: a small chequered board with pawns."""

from ludus.core.marks import Marks
from ludus.core.svg import Canvas, Point
from ludus.games.squares_drawing import (
    CORNER,
    STEP,
    Look,
    Squares,
    squares_svg,
    squares_text,
)

COLOURS = ("white", "black")


def text(position: Squares, marks: Marks) -> str:
    """The board in characters."""
    return squares_text(position, marks, LOOK)


def svg(position: Squares, marks: Marks) -> str:
    """The board as a picture."""
    return squares_svg(position, marks, LOOK)


def _draw_board(canvas: Canvas, size: int) -> None:
    """Squares of two tones; a1 is dark, as on a chessboard."""
    left, top = CORNER
    width = STEP * size
    canvas.rect(CORNER, width, width, "board")
    for row in range(size):
        for column in range(size):
            if (size - 1 - row + column) % 2 == 0:
                canvas.rect((left + STEP * column, top + STEP * row), STEP, STEP, "tone")
    canvas.rect(CORNER, width, width, "edge")


def _draw_man(canvas: Canvas, centre: Point, side: int) -> None:
    """A pawn: a foot with a waist, and a head."""
    x, y = centre
    css = f"man {COLOURS[side]}"
    foot = ("M", x - 17, y + 22, "L", x + 17, y + 22, "C", x + 17, y + 12, x + 7, y + 8, x + 6, y - 4)
    waist = ("L", x - 6, y - 4, "C", x - 7, y + 8, x - 17, y + 12, x - 17, y + 22, "Z")
    canvas.path(css, *foot, *waist)
    canvas.circle((x, y - 12), 10, css)


LOOK = Look(
    title="Hexapawn",
    sides=("White", "Black"),
    letters="WB",
    symbols="○●",
    is_framed=True,
    draw_board=_draw_board,
    draw_man=_draw_man,
)
