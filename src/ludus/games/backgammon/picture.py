"""The parts of the backgammon picture and where they are: points, bar, trays, stacks and dice.

Point 1 is at the lower right, 24 at the upper right. A side's men wait on the half of the bar
from which they enter, and are borne off into the tray beside its home board.
"""

from ludus.core.drawing import Shown
from ludus.core.overlay import Area
from ludus.core.svg import Canvas, Point

COLOURS = ("white", "black")

SHOWN = 5
"""Men of a stack that are drawn; more are told by a number."""

RADIUS = 20
"""Of a man; a stack is as close as men can lie."""

STEP = 46
"""Width of a point."""

STACK = 2 * RADIUS * SHOWN
"""Height of a full stack, and a little less than a point's."""

BAR, TRAY = 54, 58
"""Widths of the bar, and of the trays for men borne off."""

RIM = 14
"""Width of the frame."""

LEFT, TOP = 22 + RIM, 44 + RIM
RIGHT, BOTTOM = LEFT + 12 * STEP + BAR, TOP + 2 * STACK + 72
"""The playing field; between the stacks there is room for the dice."""

SIZE = (RIGHT + RIM + TRAY + RIM + 22, BOTTOM + RIM + 68)
"""Width and height of the picture."""

SLAB = 11
"""Height of a man that lies on its side in a tray."""

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
"""Where the pips of each face are, in steps from its middle."""


def is_above(number: int) -> bool:
    """Whether a point hangs from the upper edge."""
    return number > 12


def point_middle(number: int) -> float:
    """The x of a point."""
    column = number - 13 if is_above(number) else 12 - number
    return LEFT + STEP * (column + 0.5) + (BAR if column >= 6 else 0)


def point_slots(number: int) -> list[Point]:
    """Where the men of a point lie, from the edge on."""
    edge, inwards = (TOP, 1) if is_above(number) else (BOTTOM, -1)
    return [
        (point_middle(number), edge + inwards * (RADIUS + 2 + 2 * RADIUS * depth))
        for depth in range(SHOWN)
    ]


def bar_slots(side: int) -> list[Point]:
    """Where this side's men on the bar lie, from the middle on."""
    middle, outwards = (TOP + BOTTOM) / 2, -1 if side == 0 else 1
    return [
        (LEFT + 6 * STEP + BAR / 2, middle + outwards * (RADIUS + 16 + 2 * RADIUS * depth))
        for depth in range(SHOWN - 1)
    ]


def tray_corner(side: int) -> Point:
    """Top-left corner of this side's tray."""
    return RIGHT + RIM, (TOP + BOTTOM) / 2 + RIM / 2 if side == 0 else TOP


def tray_height() -> float:
    """Of one side's tray."""
    return (BOTTOM - TOP - RIM) / 2


def tray_middle(side: int) -> Point:
    """Where an arrow to this side's tray ends."""
    x, y = tray_corner(side)
    return x + TRAY / 2, y + tray_height() / 2


def area(place: str) -> Area:
    """The part of the picture that belongs to a place."""
    if place == "off":
        return (RIGHT + RIM, TOP), TRAY, BOTTOM - TOP
    if place == "bar":
        return (LEFT + 6 * STEP, TOP), BAR, BOTTOM - TOP
    height = (BOTTOM - TOP) / 2
    top = TOP if is_above(int(place)) else TOP + height
    return (point_middle(int(place)) - STEP / 2, top), STEP, height


def draw_board(canvas: Canvas, shown: Shown) -> None:
    """The wood with its points and numbers, nobody on it."""
    width, height = SIZE
    canvas.rect((0, 0), width, height, "ground", 14)
    frame = (LEFT - RIM, TOP - RIM)
    canvas.rect(frame, width - 2 * frame[0], BOTTOM - TOP + 2 * RIM, "frame", 10)
    for left in (LEFT, LEFT + 6 * STEP + BAR):
        canvas.rect((left, TOP), 6 * STEP, BOTTOM - TOP, "board", 3)
    for side in (0, 1):
        canvas.rect(tray_corner(side), TRAY, tray_height(), "board", 3)
    for number in range(1, 25):
        _draw_point(canvas, number, shown(str(number)))


def _draw_point(canvas: Canvas, number: int, label: str) -> None:
    x, half = point_middle(number), STEP / 2 - 1
    edge, inwards = (TOP, 1) if is_above(number) else (BOTTOM, -1)
    corners = [(x - half, edge), (x + half, edge), (x, edge + inwards * (STACK + 6))]
    canvas.polygon(corners, "shade" if number % 2 else "tone")
    canvas.text((x, edge - inwards * (RIM + 13)), label, "label")


def draw_stack(canvas: Canvas, side: int, count: int, slots: list[Point]) -> None:
    """The men of one place; where they are more than the slots, the last tells how many."""
    for slot in slots[:count]:
        canvas.circle(slot, RADIUS, f"man {COLOURS[side]}")
    if count > len(slots):
        canvas.text(slots[-1], str(count), f"count {COLOURS[side]}")


def draw_tray(canvas: Canvas, side: int, count: int) -> None:
    """The men borne off, lying on their sides, and their number."""
    if count == 0:
        return
    x, y = tray_corner(side)
    step = SLAB if side else -SLAB
    first = y + 3 if side else y + tray_height() - 3 - SLAB
    for index in range(count):
        canvas.rect((x + 6, first + step * index), TRAY - 12, SLAB, f"man {COLOURS[side]}", 3)
    end = y + tray_height() - 15 if side else y + 15
    canvas.text((x + TRAY / 2, end), str(count), "share")


def draw_dice(canvas: Canvas, side: int, dice: tuple[int, int]) -> None:
    """The roll on the mover's side of the bar: white's at the right, black's at the left."""
    left = LEFT + (6 * STEP + BAR if side == 0 else 0)
    middle_x, middle_y = left + 3 * STEP, (TOP + BOTTOM) / 2
    for face, aside in zip(dice, (-1, 1), strict=True):
        x = middle_x + aside * (DIE / 2 + 7)
        corner = (x - DIE / 2, middle_y - DIE / 2)
        canvas.rect(corner, DIE, DIE, f"die {COLOURS[side]}", 8)
        for right, down in PIPS[face - 1]:
            canvas.circle((x + 10 * right, middle_y + 10 * down), 3.6, f"pip {COLOURS[side]}")


def draw_caption(canvas: Canvas, said: str) -> None:
    """A line below the board."""
    canvas.text(((LEFT + RIGHT) / 2, SIZE[1] - 22), said, "said")
