"""The drawing of games on a square board: a game adds how its board and its men look."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ludus.core.drawing import Played, cell, finish, notes, to_move
from ludus.core.marks import Marks
from ludus.core.overlay import lay_heat, lay_notes, lay_places, squares_about
from ludus.core.svg import Canvas, Point
from ludus.core.theme import STYLE
from ludus.games.squares import EMPTY, FILES, place

STEP = 76
"""From square to square in the picture."""

RADIUS = 28
"""Of a man, or of the circle a man fits into."""

CORNER: Point = (40, 22)
"""Top-left corner of the grid in the picture."""


class Squares(Played, Protocol):
    """As much of a position as is drawn."""

    @property
    def cells(self) -> str: ...

    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Look:
    """How one game looks."""

    title: str
    """The game's name for people."""

    sides: tuple[str, str]
    """What the sides are called."""

    letters: str
    """The two sides' letters in `cells`."""

    symbols: str
    """The two sides' men in a text."""

    is_framed: bool
    """Whether a text board has a frame; if not, only its inner lines are ruled."""

    draw_board: Callable[[Canvas, int], None]
    """Draws the empty board of this size."""

    draw_man: Callable[[Canvas, Point, int], None]
    """Draws a man of this side about a point."""


def place_names(size: int) -> list[str]:
    """The places row by row from the top."""
    return [place(square, size) for square in range(size * size)]


def squares_text(position: Squares, marks: Marks, look: Look) -> str:
    """The board in characters, and below it who is to move."""
    size, places = position.size, place_names(position.size)
    symbols = {EMPTY: " ", **dict(zip(look.letters, look.symbols, strict=True))}
    cells = [
        "".join(part or " " for part in cell(symbols[letter], marks, name, empty=" "))
        for letter, name in zip(position.cells, places, strict=True)
    ]
    rows = [cells[start : start + size] for start in range(0, size * size, size)]
    edge = "│" if look.is_framed else " "
    lines = [f"{size - number} {edge}{'│'.join(row)}{edge}" for number, row in enumerate(rows)]
    board = _ruled(lines, size, look.is_framed)
    files = f"    {'   '.join(FILES[:size])}"
    named = [f"{side} {symbol}" for side, symbol in zip(look.sides, look.symbols, strict=True)]
    said = to_move(position, (named[0], named[1]))
    return finish([*board, files, "", said, *notes(marks, places)])


def squares_svg(position: Squares, marks: Marks, look: Look) -> str:
    """The board as a picture."""
    size = position.size
    places, said = centres(size), to_move(position, look.sides)
    width, height = 2 * CORNER[0] + STEP * size, CORNER[1] + STEP * size + 66
    title, description = f"{look.title}: {said}", _description(position, look)
    canvas = Canvas(width, height, title, description, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    look.draw_board(canvas, size)
    _draw_coordinates(canvas, size)
    standing = {
        name: look.letters.index(letter)
        for letter, name in zip(position.cells, places, strict=True)
        if letter in look.letters
    }
    lay_heat(canvas, marks, places, RADIUS, standing)
    for name, side in standing.items():
        look.draw_man(canvas, places[name], side)
    canvas.text((width / 2, height - 20), said, "said")
    lay_notes(canvas, marks, places, RADIUS)
    lay_places(canvas, marks, squares_about(places, STEP))
    return canvas.document()


def centres(size: int) -> dict[str, Point]:
    """The middle of every square in the picture."""
    left, top = CORNER
    return {
        name: (left + STEP * (square % size + 0.5), top + STEP * (square // size + 0.5))
        for square, name in enumerate(place_names(size))
    }


def _ruled(lines: list[str], size: int, is_framed: bool) -> list[str]:
    """Text rows with the lines between them and, if there is a frame, around them."""

    def ruling(left: str, middle: str, right: str) -> str:
        return f"  {left}{middle.join(['───'] * size)}{right}"

    between = ruling("├", "┼", "┤") if is_framed else ruling(" ", "┼", " ")
    ruled = [line for row in lines for line in (row, between)][:-1]
    return [ruling("┌", "┬", "┐"), *ruled, ruling("└", "┴", "┘")] if is_framed else ruled


def _draw_coordinates(canvas: Canvas, size: int) -> None:
    left, top = CORNER
    for index in range(size):
        along = STEP * (index + 0.5)
        canvas.text((left - 16, top + along), str(size - index), "label")
        canvas.text((left + along, top + STEP * size + 18), FILES[index], "label")


def _description(position: Squares, look: Look) -> str:
    """The position in words, for those who cannot see the picture."""
    cells = list(zip(position.cells, place_names(position.size), strict=True))
    standing = (
        f"{side}: {', '.join(name for mine, name in cells if mine == letter) or 'none'}."
        for side, letter in zip(look.sides, look.letters, strict=True)
    )
    return " ".join(standing)
