"""The backgammon board, drawn as side 0 (white) sees it: its home board is at the lower right.

Marks name the points as side 0 counts them. The numbers that people see are those of the side
whose turn it is, because that is how its moves are written.
"""

from functools import partial
from typing import Protocol

from ludus.core.drawing import Played, caption, cell, finish, notes
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.overlay import lay_heat, lay_notes, lay_places
from ludus.core.svg import Canvas, Point
from ludus.core.theme import STYLE
from ludus.games.backgammon import picture

SIDES = ("White", "Black")
MEN, EMPTY = "○●", "·"
NUMBERS = tuple(str(number) for number in range(1, 25))
PLACES = (*NUMBERS, "bar", "off")
TOP, BOTTOM = NUMBERS[12:], NUMBERS[11::-1]
"""The points from left to right."""


class Board(Played, Protocol):
    """As much of a position as is drawn."""

    @property
    def points(self) -> tuple[int, ...]: ...

    @property
    def bar(self) -> tuple[int, int]: ...

    @property
    def off(self) -> tuple[int, int]: ...

    @property
    def turn(self) -> int: ...

    @property
    def dice(self) -> tuple[int, int] | None: ...


def text(position: Board, marks: Marks) -> str:
    """The board in characters: a point is three columns wide, a half five lines high."""
    upper = [_row(position, marks, TOP, depth, 0) for depth in range(picture.SHOWN)]
    lower = [_row(position, marks, BOTTOM, depth, 1) for depth in reversed(range(picture.SHOWN))]
    upper[0] += _tray(position, marks, 1)
    lower[-1] += _tray(position, marks, 0)
    half = "─" * 18
    board = [
        f" {_numbers(position, TOP)}",
        f"┌{half}┬───┬{half}┐",
        *upper,
        f"│{'':18}│bar│{'':18}│",
        *lower,
        f"└{half}┴───┴{half}┘",
        f" {_numbers(position, BOTTOM)}",
    ]
    said = _task(position, (f"{SIDES[0]} {MEN[0]}", f"{SIDES[1]} {MEN[1]}"))
    return finish([*board, "", said, *notes(marks, PLACES, partial(_shown, position.turn))])


def svg(position: Board, marks: Marks) -> str:
    """The board as a picture."""
    said, description = _task(position, SIDES), _description(position)
    canvas = Canvas(*picture.SIZE, f"Backgammon: {said}", description, style=STYLE)
    shown = partial(_shown, position.turn)
    picture.draw_board(canvas, shown)
    places = {place: _anchor(position, place) for place in PLACES}
    occupied = [number for number in NUMBERS if _stack(position, number)[1]]
    waiting = ["bar"] if position.bar[position.turn] else []
    lay_heat(canvas, marks, places, picture.RADIUS, [*occupied, *waiting])
    for number in occupied:
        picture.draw_stack(canvas, *_stack(position, number), picture.point_slots(int(number)))
    for side in (0, 1):
        picture.draw_stack(canvas, side, position.bar[side], picture.bar_slots(side))
        picture.draw_tray(canvas, side, position.off[side])
    if position.dice is not None:
        picture.draw_dice(canvas, position.turn, position.dice)
    picture.draw_caption(canvas, said)
    lay_notes(canvas, marks, places, picture.RADIUS)
    lay_places(canvas, marks, {place: picture.area(place) for place in PLACES}, shown)
    return canvas.document()


def _shown(turn: int, place: str) -> str:
    """What the side whose turn it is calls a place."""
    return place if turn == 0 or place in ("bar", "off") else str(25 - int(place))


def _task(position: Board, sides: tuple[str, str]) -> str:
    """What the side whose turn it is has to do, or how the game ended."""
    side = sides[position.turn]
    todo = "to roll" if position.dice is None else "to play {}-{}".format(*position.dice)
    return caption(position.outcome(), sides, f"{side} {todo}")


def _stack(position: Board, number: str) -> tuple[int, int]:
    """Whose men stand on a point, and how many."""
    count = position.points[int(number) - 1]
    return (0, count) if count >= 0 else (1, -count)


def _numbers(position: Board, row: tuple[str, ...]) -> str:
    cells = [f"{_shown(position.turn, number):>2} " for number in row]
    return f"{''.join(cells[:6])}     {''.join(cells[6:])}"


def _row(position: Board, marks: Marks, row: tuple[str, ...], depth: int, entering: int) -> str:
    """One line of a half; `depth` counts from the edge, `entering` is who waits on this bar."""
    cells = []
    for number in row:
        side, count = _stack(position, number)
        cells.append(_text_man(side, count, depth, marks, number))
    # Men on the bar are stacked from the middle, and the mover's are the ones that are marked.
    bar_marks = marks if position.turn == entering else NO_MARKS
    count = position.bar[entering]
    bar = _text_man(entering, count, picture.SHOWN - 1 - depth, bar_marks, "bar", empty=" ")
    return f"│{''.join(cells[:6])}│{bar}│{''.join(cells[6:])}│"


def _text_man(
    side: int, count: int, depth: int, marks: Marks, place: str, empty: str = EMPTY
) -> str:
    """Three columns: the man that lies at this depth of a stack; marks go to the first."""
    if depth == picture.SHOWN - 1 and count > picture.SHOWN:
        return f"{count:>2} "
    symbol = MEN[side] if depth < count else " "
    if depth > 0:
        return f" {symbol} "
    marked = cell(symbol if count else empty, marks, place, empty=empty)
    return "".join(part or " " for part in marked)


def _tray(position: Board, marks: Marks, side: int) -> str:
    own = marks if position.turn == side else NO_MARKS
    man = "".join(part or " " for part in cell(MEN[side], own, "off", empty=""))
    return f" {man} off {position.off[side]}"


def _anchor(position: Board, place: str) -> Point:
    """Where marks of a place go: to the last man of its stack. Bar and tray are the mover's."""
    if place == "off":
        return picture.tray_middle(position.turn)
    if place == "bar":
        slots, count = picture.bar_slots(position.turn), position.bar[position.turn]
    else:
        slots, count = picture.point_slots(int(place)), _stack(position, place)[1]
    return slots[max(0, min(count, len(slots)) - 1)]


def _description(position: Board) -> str:
    """The position in words, for those who cannot see the picture."""
    told = []
    for side, name in enumerate(SIDES):
        stacks = ((number, *_stack(position, number)) for number in NUMBERS)
        men = [
            f"{count} on {_shown(position.turn, number)}"
            for number, owner, count in stacks
            if count and owner == side
        ]
        men += [f"{position.bar[side]} on the bar"] if position.bar[side] else []
        told.append(f"{name}: {', '.join([*men, f'{position.off[side]} borne off'])}.")
    return " ".join(told)
