"""Patterns: one side's men in a quadrant of the board, as a number from 0 to 511.

The two diagonals cut the board into four quadrants that quarter turns carry onto one another. A
corner of a square lies on a diagonal and belongs to two quadrants. Seen from the edge of the board
a quadrant has three rows of three points; a row is read from left to right, the outer one first,
and each man is a 1. The top quadrant with a man on b6, d6, f6, c5 and e5 reads 000 111 101:

>>> from ludus.games.nine_mens_morris.board import NUMBER
>>> men = sum(1 << NUMBER[name] for name in ("b6", "d6", "f6", "c5", "e5"))
>>> pattern(men, quadrant=0)
61
"""

from collections.abc import Iterator

from ludus.games.nine_mens_morris.board import POINTS, mills, point

NUM_PATTERNS = 512

PLACES = 9
"""Points of a quadrant."""

QUADRANTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(point(ring, place + 2 * turns) for ring in range(3) for place in range(3))
    for turns in range(4)
)
"""The points of the top, right, bottom and left quadrant, in the order in which they are read."""

HOMES: tuple[tuple[int, ...], ...] = tuple(
    tuple(number for number, points in enumerate(QUADRANTS) if point in points)
    for point in range(24)
)
"""Point to the quadrants it belongs to: two for a corner, one for the middle of a side."""

LINES: tuple[int, ...] = tuple(
    sum(1 << (PLACES - 1 - QUADRANTS[0].index(man)) for man in mill)
    for mill in mills(False)
    if set(mill) <= set(QUADRANTS[0])
)
"""The four mills a quadrant can hold, as patterns: its rows, and the line across them."""


def pattern(men: int, quadrant: int) -> int:
    """The pattern of a side whose men are this bitboard."""
    number = 0
    for place in QUADRANTS[quadrant]:
        number = 2 * number + (men >> place & 1)
    return number


def patterns(men: int) -> tuple[int, ...]:
    """The four patterns of a side."""
    return tuple(pattern(men, quadrant) for quadrant in range(len(QUADRANTS)))


def changes(before: int, after: int) -> Iterator[tuple[int, int]]:
    """Old and new pattern of each quadrant in which two bitboards of a side differ."""
    for old, new in zip(patterns(before), patterns(after), strict=True):
        if old != new:
            yield old, new


def num_mills(number: int) -> int:
    """Mills that are closed in a pattern."""
    return sum(number & line == line for line in LINES)


def men_of(number: int) -> frozenset[int]:
    """The points of the top quadrant that a pattern occupies."""
    return frozenset(
        point for place, point in enumerate(QUADRANTS[0]) if number >> (PLACES - 1 - place) & 1
    )


def in_rows(number: int) -> str:
    """A pattern as it is written: three rows of three bits.

    >>> in_rows(61)
    '000 111 101'
    """
    bits = f"{number:09b}"
    return " ".join(bits[start : start + 3] for start in (0, 3, 6))


def describe_move(before: int, after: int) -> str:
    """The move between two patterns in words of the top quadrant: `b6-d6`, `d6`, `b6 leaves`.

    A man that comes from outside, from the hand or from another quadrant, has no start; one that
    goes to another quadrant has no target.
    """
    left, arrived = men_of(before & ~after), men_of(after & ~before)
    names = [" ".join(sorted(POINTS[man] for man in men)) for men in (left, arrived)]
    if not arrived:
        return f"{names[0]} leaves"
    return "-".join(filter(None, names))
