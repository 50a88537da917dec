"""Drawing of games on a square board, hexapawn and noughts and crosses, as text and as SVG."""

from collections.abc import Callable
from dataclasses import dataclass

from ludus.core.marks import Marks
from ludus.games.squares import EMPTY, FILES, SquaresPosition, square_name
from ludus.render.canvas import Canvas, Drawing, Point
from ludus.render.overlay import draw_heat, draw_marks, draw_places, square_areas
from ludus.render.text_board import (
    format_cell,
    format_notes,
    format_turn,
    join_lines,
)
from ludus.render.theme import STYLE

STEP = 76
"""Distance between squares in the picture."""

RADIUS = 28
"""Radius of a man, or of the circle around it."""

BADGE_INSET = 13
"""Distance of a tick or cross from the sides of its square, so that it lies within."""

CORNER: Point = (40, 22)
"""Top-left corner of the grid in the picture."""


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """Appearance of one game."""

    title: str
    """The game's display name."""

    sides: tuple[str, str]
    """Names of the sides."""

    symbols: str
    """The two sides' men in a text."""

    has_frame: bool
    """Whether a text board has a frame; if not, only its inner lines are drawn."""

    draw_board: Callable[[Canvas, int], None]
    """Function that draws the empty board of this size."""

    draw_man: Callable[[Canvas, Point, int], None]
    """Function that draws a man of this side around a point."""


def place_names(size: int) -> list[str]:
    """Return the places row by row from the top."""
    return [square_name(square, size) for square in range(size * size)]


def render_text(position: SquaresPosition, marks: Marks, look: BoardStyle) -> str:
    """Draw the board in characters, with the side to move below it."""
    size, places = position.size, place_names(position.size)
    symbols = {EMPTY: " ", **dict(zip(position.letters, look.symbols, strict=True))}
    cells = [
        "".join(part or " " for part in format_cell(symbols[letter], marks, name, empty=" "))
        for letter, name in zip(position.cells, places, strict=True)
    ]
    rows = [cells[start : start + size] for start in range(0, size * size, size)]
    edge = "│" if look.has_frame else " "
    lines = [f"{size - number} {edge}{'│'.join(row)}{edge}" for number, row in enumerate(rows)]
    board = _add_rulings(lines, size, look.has_frame)
    files = f"    {'   '.join(FILES[:size])}"
    named = [f"{side} {symbol}" for side, symbol in zip(look.sides, look.symbols, strict=True)]
    caption = format_turn(position, (named[0], named[1]))
    return join_lines([*board, files, "", caption, *format_notes(marks, places)])


def draw_position(position: SquaresPosition, marks: Marks, look: BoardStyle) -> Drawing:
    """Draw the board as a picture."""
    size = position.size
    places, caption = square_centres(size), format_turn(position, look.sides)
    width, height = 2 * CORNER[0] + STEP * size, CORNER[1] + STEP * size + 66
    title, description = f"{look.title}: {caption}", _description(position, look)
    canvas = Canvas(width, height, title, description, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    look.draw_board(canvas, size)
    _draw_coordinates(canvas, size)
    standing = {
        name: position.letters.index(letter)
        for letter, name in zip(position.cells, places, strict=True)
        if letter != EMPTY
    }
    draw_heat(canvas, marks, places, RADIUS, standing)
    for name, side in standing.items():
        look.draw_man(canvas, places[name], side)
    canvas.text((width / 2, height - 20), caption, "caption")
    draw_marks(canvas, marks, places, RADIUS, STEP / 2 - BADGE_INSET)
    draw_places(canvas, marks, square_areas(places, STEP))
    return canvas.drawing(standing)


def square_centres(size: int) -> dict[str, Point]:
    """Return the centre of every square in the picture."""
    left, top = CORNER
    return {
        name: (left + STEP * (square % size + 0.5), top + STEP * (square // size + 0.5))
        for square, name in enumerate(place_names(size))
    }


def _add_rulings(lines: list[str], size: int, has_frame: bool) -> list[str]:
    """Add lines between text rows and, if there is a frame, around them."""

    def ruling(left: str, middle: str, right: str) -> str:
        return f"  {left}{middle.join(['───'] * size)}{right}"

    between = ruling("├", "┼", "┤") if has_frame else ruling(" ", "┼", " ")
    ruled = [line for row in lines for line in (row, between)][:-1]
    return [ruling("┌", "┬", "┐"), *ruled, ruling("└", "┴", "┘")] if has_frame else ruled


def _draw_coordinates(canvas: Canvas, size: int) -> None:
    left, top = CORNER
    for index in range(size):
        along = STEP * (index + 0.5)
        canvas.text((left - 16, top + along), str(size - index), "label")
        canvas.text((left + along, top + STEP * size + 18), FILES[index], "label")


def _description(position: SquaresPosition, look: BoardStyle) -> str:
    """Describe the position in words, for screen readers."""
    cells = list(zip(position.cells, place_names(position.size), strict=True))
    standing = (
        f"{side}: {', '.join(name for mine, name in cells if mine == letter) or 'none'}."
        for side, letter in zip(look.sides, position.letters, strict=True)
    )
    return " ".join(standing)


def _draw_squares(canvas: Canvas, size: int) -> None:
    """Draw squares of two tones; a1 is dark, as on a chessboard."""
    left, top = CORNER
    width = STEP * size
    canvas.rect(CORNER, width, width, "board")
    for row in range(size):
        for column in range(size):
            if (size - 1 - row + column) % 2 == 0:
                canvas.rect((left + STEP * column, top + STEP * row), STEP, STEP, "tone")
    canvas.rect(CORNER, width, width, "edge")


def _draw_pawn(canvas: Canvas, centre: Point, side: int) -> None:
    """Draw a pawn: a foot with a waist, and a head."""
    x, y = centre
    foot, waist = y + 24, y - 5
    css = f"man {('white', 'black')[side]}"
    right = ("C", x + 18, foot - 11, x + 7, foot - 15, x + 6, waist)
    left = ("C", x - 7, foot - 15, x - 18, foot - 11, x - 18, foot)
    canvas.path(css, "M", x - 18, foot, "L", x + 18, foot, *right, "L", x - 6, waist, *left, "Z")
    canvas.circle((x, y - 14), 11, css)


HEXAPAWN = BoardStyle(
    title="Hexapawn",
    sides=("White", "Black"),
    symbols="○●",
    has_frame=True,
    draw_board=_draw_squares,
    draw_man=_draw_pawn,
)

REACH = 20
"""Half the width of a cross, and the radius of a nought."""


def _draw_grid(canvas: Canvas, size: int) -> None:
    left, top = CORNER
    width = STEP * size
    canvas.rect(CORNER, width, width, "board", 10)
    for index in range(1, size):
        along = STEP * index
        canvas.line((left + along, top + 12), (left + along, top + width - 12), "line")
        canvas.line((left + 12, top + along), (left + width - 12, top + along), "line")


def _draw_mark(canvas: Canvas, centre: Point, side: int) -> None:
    x, y = centre
    if side == 1:
        canvas.circle(centre, REACH, "stroke nought")
        return
    down = ("M", x - REACH, y - REACH, "L", x + REACH, y + REACH)
    canvas.path("stroke cross", *down, "M", x + REACH, y - REACH, "L", x - REACH, y + REACH)


NOUGHTS_AND_CROSSES = BoardStyle(
    title="Noughts and crosses",
    sides=("Crosses", "Noughts"),
    symbols="XO",
    has_frame=False,
    draw_board=_draw_grid,
    draw_man=_draw_mark,
)
