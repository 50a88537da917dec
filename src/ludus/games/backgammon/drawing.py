"""The backgammon board from side 0's (White's) view, in characters and as SVG.

Side 0's home board is at the lower right: point 1 is at the lower right, 24 at the upper right. Men
on the bar are on the half from which they enter; men borne off are in the tray beside the home
board. Marks name points as side 0 counts them, but the numbers shown are those of the side to
move, because its moves are written with them, or those of the side that views the board.
"""

from collections.abc import Mapping

from ludus.core.marks import NO_MARKS, Marks
from ludus.games.backgammon.board import place_name
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.stakes import OFFERED_TURNS, RESIGN, Stakes
from ludus.render.canvas import Area, Canvas, Drawing, Point
from ludus.render.overlay import draw_heat, draw_marks, draw_places
from ludus.render.text_board import (
    PlaceLabel,
    format_caption,
    format_cell,
    format_notes,
    join_lines,
)
from ludus.render.theme import STYLE

COLOURS = ("white", "black")

MAX_SHOWN = 5
"""Number of men of a stack that are drawn; higher counts are written."""

RADIUS = 20
"""Radius of a man; men of a stack touch."""

STEP = 46
"""Width of a point."""

STACK = 2 * RADIUS * MAX_SHOWN
"""Height of a full stack, a little less than that of a point."""

BAR_WIDTH, TRAY_WIDTH = 54, 58
"""Widths of the bar, and of the trays for men borne off."""

RIM_WIDTH = 14
"""Width of the frame."""

LEFT, TOP = 22 + RIM_WIDTH, 44 + RIM_WIDTH
RIGHT, BOTTOM = LEFT + 12 * STEP + BAR_WIDTH, TOP + 2 * STACK + 72
"""The playing field, with space for the dice between the stacks."""

SIZE = (RIGHT + RIM_WIDTH + TRAY_WIDTH + RIM_WIDTH + 22, BOTTOM + RIM_WIDTH + 68)
"""Width and height of the picture."""

SLAB = 11
"""Height of a man on its side in a tray."""

DIE = 38
"""Width of a die."""

PIPS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
)
"""Positions of the pips of each face, in steps from its centre."""


def is_above(number: int) -> bool:
    """Return whether a point is at the upper edge."""
    return number > 12


def point_middle(number: int) -> float:
    """Return the x coordinate of a point."""
    column = number - 13 if is_above(number) else 12 - number
    return LEFT + STEP * (column + 0.5) + (BAR_WIDTH if column >= 6 else 0)


def point_slots(number: int) -> list[Point]:
    """Return the centres of a point's men, from the edge inwards."""
    edge, inwards = (TOP, 1) if is_above(number) else (BOTTOM, -1)
    return [
        (point_middle(number), edge + inwards * (RADIUS + 2 + 2 * RADIUS * depth))
        for depth in range(MAX_SHOWN)
    ]


def bar_slots(side: int) -> list[Point]:
    """Return the centres of this side's men on the bar, from the middle outwards."""
    middle, outwards = (TOP + BOTTOM) / 2, -1 if side == 0 else 1
    return [
        (LEFT + 6 * STEP + BAR_WIDTH / 2, middle + outwards * (RADIUS + 16 + 2 * RADIUS * depth))
        for depth in range(MAX_SHOWN - 1)
    ]


def tray_corner(side: int) -> Point:
    """Return the top-left corner of this side's tray."""
    return RIGHT + RIM_WIDTH, (TOP + BOTTOM) / 2 + RIM_WIDTH / 2 if side == 0 else TOP


def tray_height() -> float:
    """Return the height of one side's tray."""
    return (BOTTOM - TOP - RIM_WIDTH) / 2


def tray_middle(side: int) -> Point:
    """Return the end of an arrow to this side's tray."""
    x, y = tray_corner(side)
    return x + TRAY_WIDTH / 2, y + tray_height() / 2


def place_area(place: str) -> Area:
    """Return the area of a place in the picture."""
    if place == "off":
        return Area(RIGHT + RIM_WIDTH, TOP, TRAY_WIDTH, BOTTOM - TOP)
    if place == "bar":
        return Area(LEFT + 6 * STEP, TOP, BAR_WIDTH, BOTTOM - TOP)
    height = (BOTTOM - TOP) / 2
    top = TOP if is_above(int(place)) else TOP + height
    return Area(point_middle(int(place)) - STEP / 2, top, STEP, height)


def draw_board(canvas: Canvas, shown: PlaceLabel) -> None:
    """Draw the empty board with points and numbers."""
    width, height = SIZE
    canvas.rect((0, 0), width, height, "ground", 14)
    frame = (LEFT - RIM_WIDTH, TOP - RIM_WIDTH)
    canvas.rect(frame, width - 2 * frame[0], BOTTOM - TOP + 2 * RIM_WIDTH, "frame", 10)
    for left in (LEFT, LEFT + 6 * STEP + BAR_WIDTH):
        canvas.rect((left, TOP), 6 * STEP, BOTTOM - TOP, "board", 3)
    for side in (0, 1):
        canvas.rect(tray_corner(side), TRAY_WIDTH, tray_height(), "board", 3)
    for number in range(1, 25):
        _draw_point(canvas, number, shown(str(number)))


def _draw_point(canvas: Canvas, number: int, label: str) -> None:
    x, half = point_middle(number), STEP / 2 - 1
    edge, inwards = (TOP, 1) if is_above(number) else (BOTTOM, -1)
    corners = [(x - half, edge), (x + half, edge), (x, edge + inwards * (STACK + 6))]
    canvas.polygon(corners, "shade" if number % 2 else "tone")
    canvas.text((x, edge - inwards * (RIM_WIDTH + 13)), label, "label")


def draw_stack(canvas: Canvas, side: int, count: int, slots: list[Point]) -> None:
    """Draw the men of one place; if there are more than slots, the last one shows the count."""
    for slot in slots[:count]:
        canvas.circle(slot, RADIUS, f"man {COLOURS[side]}")
    if count > len(slots):
        canvas.text(slots[-1], str(count), f"count {COLOURS[side]}")


def draw_tray(canvas: Canvas, side: int, count: int) -> None:
    """Draw the men borne off, on their sides, and their number."""
    if count == 0:
        return
    x, y = tray_corner(side)
    step = SLAB if side else -SLAB
    first = y + 3 if side else y + tray_height() - 3 - SLAB
    for index in range(count):
        canvas.rect((x + 6, first + step * index), TRAY_WIDTH - 12, SLAB, f"man {COLOURS[side]}", 3)
    end = y + tray_height() - 15 if side else y + 15
    canvas.text((x + TRAY_WIDTH / 2, end), str(count), "share")


def draw_dice(
    canvas: Canvas, side: int, dice: tuple[int, int], dice_left: tuple[int, ...] | None
) -> None:
    """Draw the roll on the mover's side of the bar: White's at the right, Black's at the left.

    A double is played four times, so it is drawn as four dice. Dice that are played are pale.
    """
    left = LEFT + (6 * STEP + BAR_WIDTH if side == 0 else 0)
    middle_x, middle_y = left + 3 * STEP, (TOP + BOTTOM) / 2
    faces = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
    waiting = list(faces if dice_left is None else dice_left)
    for number, face in enumerate(faces):
        x = middle_x + (number - (len(faces) - 1) / 2) * (DIE + 14)
        corner = (x - DIE / 2, middle_y - DIE / 2)
        kind = COLOURS[side] if face in waiting else f"{COLOURS[side]} used"
        if face in waiting:
            waiting.remove(face)
        canvas.rect(corner, DIE, DIE, f"die {kind}", 8)
        for right, down in PIPS[face - 1]:
            canvas.circle((x + 10 * right, middle_y + 10 * down), 3.6, f"pip {kind}")


SIDES = ("White", "Black")
MEN, EMPTY = "○●", "·"
NUMBERS = tuple(str(number) for number in range(1, 25))
PLACES = (*NUMBERS, "bar", "off")
TOP_POINTS, BOTTOM_POINTS = NUMBERS[12:], NUMBERS[11::-1]
"""Points from left to right."""


def text(position: Position, marks: Marks) -> str:
    """Draw the board in characters: a point is three columns wide, a half five lines high."""
    upper = [_row(position, marks, TOP_POINTS, depth, 0) for depth in range(MAX_SHOWN)]
    lower = [_row(position, marks, BOTTOM_POINTS, depth, 1) for depth in reversed(range(MAX_SHOWN))]
    upper[0] += _tray(position, marks, 1)
    lower[-1] += _tray(position, marks, 0)
    half = "─" * 18
    shown = _label_for(position, marks)
    board = [
        f" {_numbers(shown, TOP_POINTS)}",
        f"┌{half}┬───┬{half}┐",
        *upper,
        f"│{'':18}│bar│{'':18}│",
        *lower,
        f"└{half}┴───┴{half}┘",
        f" {_numbers(shown, BOTTOM_POINTS)}",
    ]
    caption = _format_task(position, (f"{SIDES[0]} {MEN[0]}", f"{SIDES[1]} {MEN[1]}"))
    return join_lines([*board, "", caption, *format_notes(marks, PLACES, shown)])


CUBE = 30
"""Width of the doubling cube."""

BUTTON = (86.0, 40.0)
"""Width and height of the area that is touched for a decision about the stakes."""

BUTTON_LABELS = {"drop": "pass"}


def draw_cube(canvas: Canvas, stakes: Stakes) -> None:
    """Draw the cube in the middle of the bar, or at the end of it that its owner sits at."""
    middle, reach = (TOP + BOTTOM) / 2, (BOTTOM - TOP) / 2 - CUBE / 2 - 4
    y = middle if stakes.owner is None else middle + (reach if stakes.owner == 0 else -reach)
    x = LEFT + 6 * STEP + BAR_WIDTH / 2
    canvas.rect((x - CUBE / 2, y - CUBE / 2), CUBE, CUBE, "cube", 5)
    canvas.text((x, y), str(stakes.value), "count white")


def button_areas(position: Position) -> dict[str, Area]:
    """Return the areas of the decisions about the stakes, without those to resign."""
    if position.stakes is None or position.outcome() is not None:
        return {}
    actions = [a for a in position.stakes.list_actions(position.turn) if a not in RESIGN]
    width, height = BUTTON
    top = (TOP + BOTTOM - height) / 2
    left = LEFT + 6 * STEP + BAR_WIDTH + min(47, 6 * STEP - len(actions) * (width + 6) + 3)
    return {
        str(action): Area(left + number * (width + 6), top, width, height)
        for number, action in enumerate(actions)
    }


def draw_buttons(canvas: Canvas, areas: Mapping[str, Area]) -> None:
    """Draw the decisions that can be touched."""
    for action, area in areas.items():
        canvas.rect((area.x, area.y), area.width, area.height, "action", 8)
        canvas.text(area.centre, BUTTON_LABELS.get(action, action), "label")


def draw(position: Position, marks: Marks) -> Drawing:
    """Draw the board as a picture."""
    caption, description = _format_task(position, SIDES), _description(position)
    canvas = Canvas(*SIZE, f"Backgammon: {caption}", description, style=STYLE)
    shown = _label_for(position, marks)
    draw_board(canvas, shown)
    places = {place: _anchor(position, place) for place in PLACES}
    occupied = [number for number in NUMBERS if _stack(position, number)[1]]
    waiting = ["bar"] if position.bar[position.turn] else []
    covered = [*occupied, *waiting]
    draw_heat(canvas, marks, places, RADIUS, covered)
    for number in occupied:
        draw_stack(canvas, *_stack(position, number), point_slots(int(number)))
    for side in (0, 1):
        draw_stack(canvas, side, position.bar[side], bar_slots(side))
        draw_tray(canvas, side, position.off[side])
    if position.dice is not None:
        draw_dice(canvas, position.turn, position.dice, marks.dice_left)
    buttons = button_areas(position)
    if position.stakes is not None and position.stakes.has_cube:
        draw_cube(canvas, position.stakes)
    draw_buttons(canvas, buttons)
    canvas.text(((LEFT + RIGHT) / 2, SIZE[1] - 22), caption, "caption")
    draw_marks(canvas, marks, places, RADIUS)
    areas = {place: place_area(place) for place in PLACES}
    draw_places(canvas, marks, {**areas, **buttons}, shown)
    return canvas.drawing(covered)


def _label_for(position: Position, marks: Marks) -> PlaceLabel:
    """Return the function that names places as the viewer counts, or else the side to move."""
    mover = position.mover if position.mover in (0, 1) else position.turn
    side = mover if marks.viewer is None else marks.viewer
    return lambda place: place_name(place, side)


def _format_task(position: Position, sides: tuple[str, str]) -> str:
    """Return what the side whose turn it is has to do, or how the game ended."""
    mover = position.mover if position.mover in (0, 1) else position.turn
    if position.dice is not None:
        todo = "to play {}-{}".format(*position.dice)
    else:
        todo = TASKS.get(position.phase, "to answer")
    is_roll_off = position.opening == "roll_off"
    task = "Opening roll" if is_roll_off else f"{sides[mover]} {todo}"
    caption = format_caption(position.outcome(), sides, task)
    return caption if position.stakes is None else f"{caption} · {_format_stakes(position.stakes)}"


TASKS = {
    "play": "to roll",
    "cube": "to roll or double",
    **dict.fromkeys(OFFERED_TURNS, "to take or pass"),
}


def _format_stakes(stakes: Stakes) -> str:
    """Return the cube and the score in words."""
    owner = "" if stakes.owner is None else f" ({SIDES[stakes.owner]})"
    cube = f"cube {stakes.value}{owner}" if stakes.has_cube else "no cube"
    if not stakes.rules.match:
        return cube
    score = f"{stakes.score[0]}:{stakes.score[1]}, match to {stakes.rules.match}"
    return f"{cube}, {score}{', Crawford game' if stakes.crawford else ''}"


def _stack(position: Position, number: str) -> tuple[int, int]:
    """Return the side that has men on a point, and their number."""
    count = position.points[int(number) - 1]
    return (0, count) if count >= 0 else (1, -count)


def _numbers(shown: PlaceLabel, row: tuple[str, ...]) -> str:
    cells = [f"{shown(number):>2} " for number in row]
    return f"{''.join(cells[:6])}     {''.join(cells[6:])}"


def _row(position: Position, marks: Marks, row: tuple[str, ...], depth: int, entering: int) -> str:
    """Return a line of a half; `depth` counts from the edge, `entering` is the side on this bar."""
    cells = []
    for number in row:
        side, count = _stack(position, number)
        cells.append(_format_man(side, count, depth, marks, number))
    # Men on the bar are stacked from the middle; only the mover's are marked.
    bar_marks = marks if position.turn == entering else NO_MARKS
    count = position.bar[entering]
    bar = _format_man(entering, count, MAX_SHOWN - 1 - depth, bar_marks, "bar", empty=" ")
    return f"│{''.join(cells[:6])}│{bar}│{''.join(cells[6:])}│"


def _format_man(
    side: int, count: int, depth: int, marks: Marks, place: str, empty: str = EMPTY
) -> str:
    """Return three columns: the man at this depth of a stack; the first one has the marks."""
    if depth == MAX_SHOWN - 1 and count > MAX_SHOWN:
        return f"{count:>2} "
    symbol = MEN[side] if depth < count else " "
    if depth > 0:
        return f" {symbol} "
    marked = format_cell(symbol if count else empty, marks, place, empty=empty)
    return "".join(part or " " for part in marked)


def _tray(position: Position, marks: Marks, side: int) -> str:
    own = marks if position.turn == side else NO_MARKS
    man = "".join(part or " " for part in format_cell(MEN[side], own, "off", empty=""))
    return f" {man} off {position.off[side]}"


def _anchor(position: Position, place: str) -> Point:
    """Return the place of marks: the last man of a stack. Bar and tray are the mover's."""
    if place == "off":
        return tray_middle(position.turn)
    if place == "bar":
        slots, count = bar_slots(position.turn), position.bar[position.turn]
    else:
        slots, count = point_slots(int(place)), _stack(position, place)[1]
    return slots[max(0, min(count, len(slots)) - 1)]


def _description(position: Position) -> str:
    """Describe the position in words, for screen readers."""
    sentences = []
    for side, name in enumerate(SIDES):
        stacks = ((number, *_stack(position, number)) for number in NUMBERS)
        men = [
            f"{count} on {place_name(number, position.turn)}"
            for number, owner, count in stacks
            if count and owner == side
        ]
        men += [f"{position.bar[side]} on the bar"] if position.bar[side] else []
        sentences.append(f"{name}: {', '.join([*men, f'{position.off[side]} borne off'])}.")
    return " ".join(sentences)
