"""The Morris board with the men in hand beside it, in characters and as SVG."""

from itertools import pairwise

from ludus.core.marks import Marks
from ludus.games.nine_mens_morris.board import POINTS, mills
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.render.canvas import Canvas, Drawing, Point
from ludus.render.overlay import draw_heat, draw_marks, draw_places, square_areas
from ludus.render.text_board import (
    format_cell,
    format_notes,
    format_turn,
    join_lines,
)
from ludus.render.theme import STYLE

SIDES, COLOURS = ("White", "Black"), ("white", "black")
MEN, EMPTY = "○●", "·"
FILES, RANKS = "abcdefg", "7654321"

STEP = 60
"""Distance between files in the picture."""

RADIUS, SMALL = 21, 13
"""Radius of a man on the board, and of one in hand."""

BOARD: Point = (92, 20)
"""Top-left corner of the board's background."""

MARGIN = 38
"""Distance from the edge of the background to the outer square."""

WIDTH = 6 * STEP + 2 * MARGIN
"""Width and height of the background."""


def text(position: MorrisPosition, marks: Marks) -> str:
    """Draw the board in characters; a file is four columns wide and a rank two lines high."""
    rows = _lines(position)
    for number, place in enumerate(POINTS):
        column, row = _column_row(number)
        left, symbol, right = format_cell(_symbol(position, number), marks, place, empty=EMPTY)
        for offset, character in ((-1, left), (0, symbol), (1, right)):
            if character:
                rows[row][column + offset] = character
    board = [
        f"{'' if row % 2 else RANKS[row // 2]:2}{''.join(characters)}"
        for row, characters in enumerate(rows)
    ]
    sides = f"{SIDES[0]} {MEN[0]}", f"{SIDES[1]} {MEN[1]}"
    caption = f"{format_turn(position, sides)} · in hand: {_in_hand(position)}"
    return join_lines(
        [*board, f"   {'   '.join(FILES)}", "", caption, *format_notes(marks, POINTS)]
    )


def draw(position: MorrisPosition, marks: Marks) -> Drawing:
    """Draw the board as a picture."""
    caption = format_turn(position, SIDES)
    width, height = 2 * BOARD[0] + WIDTH, BOARD[1] + WIDTH + 62
    title = f"Nine men's morris: {caption}"
    canvas = Canvas(width, height, title, _description(position), style=STYLE)
    places = {place: _centre(number) for number, place in enumerate(POINTS)}
    canvas.rect((0, 0), width, height, "ground", 14)
    canvas.rect(BOARD, WIDTH, WIDTH, "board", 10)
    canvas.rect(BOARD, WIDTH, WIDTH, "edge", 10)
    _draw_lines(canvas, position)
    _draw_coordinates(canvas)
    occupied = {POINTS[number] for number in position.men[0] | position.men[1]}
    for place, centre in places.items():
        if place not in occupied:
            canvas.circle(centre, 5, "dot")
    draw_heat(canvas, marks, places, RADIUS, occupied)
    for side, colour in enumerate(COLOURS):
        for number in sorted(position.men[side]):
            canvas.circle(_centre(number), RADIUS, f"man {colour}")
        _draw_hand(canvas, position.hands[side], colour, width - 40 if side else 40)
        taken = position.rules.men - position.hands[side] - len(position.men[side])
        _draw_taken(canvas, taken, colour, 40 if side else width - 40)
    canvas.text((width / 2, height - 20), caption, "caption")
    draw_marks(canvas, marks, places, RADIUS)
    draw_places(canvas, marks, square_areas(places, 0.9 * STEP))
    return canvas.drawing(occupied)


def _symbol(position: MorrisPosition, number: int) -> str:
    owner = next((side for side in (0, 1) if number in position.men[side]), None)
    return EMPTY if owner is None else MEN[owner]


def _column_row(number: int) -> tuple[int, int]:
    """Return the column and row of a point in the text."""
    place = POINTS[number]
    return 1 + 4 * FILES.index(place[0]), 2 * RANKS.index(place[1])


def _segments(position: MorrisPosition) -> list[tuple[int, int]]:
    """Return the line segments between adjacent points."""
    lines = mills(position.rules.diagonals)
    steps = (step for line in lines for step in pairwise(line))
    return sorted({(min(step), max(step)) for step in steps})


def _lines(position: MorrisPosition) -> list[list[str]]:
    """Return the text board without its points; a column at either side is for brackets."""
    rows = [[" "] * 27 for _ in range(13)]
    for ends in _segments(position):
        (x, y), (to_x, to_y) = (_column_row(number) for number in ends)
        right, down = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
        if right and down:
            rows[(y + to_y) // 2][(x + to_x) // 2] = "╲" if right == down else "╱"
            continue
        for step in range(1, abs(to_x - x) + abs(to_y - y)):
            rows[y + down * step][x + right * step] = "│" if down else "─"
    return rows


def _in_hand(position: MorrisPosition) -> str:
    hands = zip(SIDES, position.hands, strict=True)
    return ", ".join(f"{side} {hand}" for side, hand in hands)


def _description(position: MorrisPosition) -> str:
    """Describe the position in words, for screen readers."""
    standing = (
        f"{side}: {', '.join(POINTS[number] for number in sorted(men)) or 'no men on the board'}."
        for side, men in zip(SIDES, position.men, strict=True)
    )
    return f"{' '.join(standing)} In hand: {_in_hand(position)}."


def _centre(number: int) -> Point:
    """Return the centre of a point in the picture."""
    column, row = _column_row(number)
    x, y = (corner + MARGIN for corner in BOARD)
    return x + STEP * (column // 4), y + STEP * (row // 2)


def _draw_lines(canvas: Canvas, position: MorrisPosition) -> None:
    for start, end in _segments(position):
        canvas.line(_centre(start), _centre(end), "line")


def _draw_coordinates(canvas: Canvas) -> None:
    left, top = BOARD
    for index, (file, rank) in enumerate(zip(FILES, RANKS, strict=True)):
        along = MARGIN + STEP * index
        canvas.text((left - 14, top + along), rank, "label")
        canvas.text((left + along, top + WIDTH + 16), file, "label")


def _draw_hand(canvas: Canvas, count: int, colour: str, x: float) -> None:
    """Draw the men in hand as a column beside the board, with their number below."""
    bottom = BOARD[1] + WIDTH
    for index in range(count):
        canvas.circle((x, bottom - SMALL - 2 - 33 * index), SMALL, f"man {colour}")
    if count:
        canvas.text((x, bottom + 16), str(count), "label")


def _draw_taken(canvas: Canvas, count: int, colour: str, x: float) -> None:
    """Draw the men that a side has lost as a column beside the board, at its opponent's."""
    for index in range(count):
        canvas.circle((x, BOARD[1] + SMALL + 2 + 20 * index), SMALL, f"man {colour} taken")
