"""The board: 24 points on three rings, the lines between them, and the symmetries.

Points are numbered ring by ring, outer, middle, inner, each clockwise from its top-left corner,
so that even places of a ring are corners and odd ones the middles of its sides:

    0 ───────── 1 ───────── 2        a7 ─────── d7 ─────── g7
    │    8 ──── 9 ─── 10    │         │   b6 ── d6 ── f6   │
    │    │  16 17 18   │    │         │   │  c5 d5 e5  │   │
    7 ─ 15 ─ 23   19 ─ 11 ─ 3        a4 ─ b4 ─ c4  e4 ─ f4 ─ g4
    │    │  22 21 20   │    │         │   │  c3 d3 e3  │   │
    │   14 ─── 13 ─── 12    │         │   b2 ── d2 ── f2   │
    6 ───────── 5 ───────── 4        a1 ─────── d1 ─────── g1
"""

from functools import cache
from typing import NamedTuple

RINGS = (
    ("a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"),
    ("b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4"),
    ("c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4"),
)

POINTS: tuple[str, ...] = tuple(name for ring in RINGS for name in ring)
"""Point number to name."""

NUM_POINTS = len(POINTS)

POINT_NUMBERS: dict[str, int] = {name: number for number, name in enumerate(POINTS)}
"""Name to point number."""

ROWS: tuple[tuple[str, ...], ...] = (
    ("a7", "d7", "g7"),
    ("b6", "d6", "f6"),
    ("c5", "d5", "e5"),
    ("a4", "b4", "c4", "e4", "f4", "g4"),
    ("c3", "d3", "e3"),
    ("b2", "d2", "f2"),
    ("a1", "d1", "g1"),
)
"""The points in reading order, from the top row down."""

READING_ORDER: tuple[int, ...] = tuple(POINT_NUMBERS[name] for row in ROWS for name in row)
"""Point numbers row by row: the order of Galassi's letters and of PlayOK's numbers 1 to 24."""

MEN_LETTERS, EMPTY_LETTER = ("W", "B"), "."


def point_at(ring: int, place: int) -> int:
    """Return the number of a place on a ring; places are counted modulo the ring's length."""
    return 8 * ring + place % 8


@cache
def mills(diagonals: bool) -> tuple[tuple[int, int, int], ...]:
    """Return all lines of three: four on each ring, and one for each line across the rings."""
    sides = [
        (point_at(ring, corner), point_at(ring, corner + 1), point_at(ring, corner + 2))
        for ring in range(3)
        for corner in (0, 2, 4, 6)
    ]
    across = [
        (point_at(0, place), point_at(1, place), point_at(2, place))
        for place in range(8)
        if diagonals or place % 2 == 1
    ]
    return tuple(sides + across)


@cache
def neighbours(diagonals: bool) -> tuple[tuple[int, ...], ...]:
    """Return for each point the adjacent points along lines, in rising order."""
    steps: list[set[int]] = [set() for _ in POINTS]
    for first, middle, last in mills(diagonals):
        for a, b in ((first, middle), (middle, last)):
            steps[a].add(b)
            steps[b].add(a)
    return tuple(tuple(sorted(step)) for step in steps)


def _symmetry(turns: int, mirrored: bool, inside_out: bool) -> tuple[int, ...]:
    """Return quarter turns clockwise, after a left-right mirror and a swap of outer and inner."""
    return tuple(
        point_at(2 - ring if inside_out else ring, (2 - place if mirrored else place) + 2 * turns)
        for ring in range(3)
        for place in range(8)
    )


SYMMETRIES: tuple[tuple[int, ...], ...] = tuple(
    _symmetry(turns, mirrored, inside_out)
    for inside_out in (False, True)
    for mirrored in (False, True)
    for turns in range(4)
)
"""The 16 symmetries: eight of the square, with and without swapping outer and inner ring."""


class Move(NamedTuple):
    """One turn: a man placed or moved and, where a mill is closed, a man taken.

    Fields are point numbers, None for parts that the turn does not have; all None is a pass.

    >>> str(Move(frm=9, to=17, take=22))
    'd6-d5xc3'
    """

    frm: int | None
    """The point a man leaves; None when it comes from the hand."""

    to: int | None
    """The point it goes to."""

    take: int | None
    """The point from which an enemy man is taken."""

    def __repr__(self) -> str:
        return f"<Move {self}>"

    def __str__(self) -> str:
        if self.to is None:
            return "pass"
        start = "" if self.frm is None else f"{POINTS[self.frm]}-"
        end = "" if self.take is None else f"x{POINTS[self.take]}"
        return f"{start}{POINTS[self.to]}{end}"


PASS = Move(None, None, None)
"""The move of a side that has none, where the rules allow that."""
