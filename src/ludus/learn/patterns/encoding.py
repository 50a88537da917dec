"""Patterns: one side's men in a quadrant of the board, as a number from 0 to 511.

The two diagonals cut the board into four quadrants that quarter turns map onto one another. A
corner of a square lies on a diagonal and belongs to two quadrants. Viewed from the edge of the
board a quadrant has three rows of three points; rows are read from left to right, the outer one
first, and each man is a 1. The top quadrant with men on b6, d6, f6, c5 and e5 reads 000 111 101:

>>> from ludus.games.nine_mens_morris.board import POINT_NUMBERS
>>> men = sum(1 << POINT_NUMBERS[name] for name in ("b6", "d6", "f6", "c5", "e5"))
>>> encode_quadrant(men, quadrant=0)
61
"""

from collections.abc import Iterator

from ludus.games.nine_mens_morris.board import POINTS, mills, point_at

NUM_PATTERNS = 512

NUM_PLACES = 9
"""Points of a quadrant."""

QUADRANTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(point_at(ring, place + 2 * turns) for ring in range(3) for place in range(3))
    for turns in range(4)
)
"""The points of the top, right, bottom and left quadrant, in reading order."""

QUADRANTS_OF_POINT: tuple[tuple[int, ...], ...] = tuple(
    tuple(number for number, points in enumerate(QUADRANTS) if point in points)
    for point in range(24)
)
"""Point to the quadrants it belongs to: two for a corner, one for the middle of a side."""

MILL_PATTERNS: tuple[int, ...] = tuple(
    sum(1 << (NUM_PLACES - 1 - QUADRANTS[0].index(man)) for man in mill)
    for mill in mills(False)
    if set(mill) <= set(QUADRANTS[0])
)
"""The four mills of a quadrant as patterns: its rows, and the line across them."""


def encode_quadrant(men: int, quadrant: int) -> int:
    """Return the pattern of a bitboard in a quadrant."""
    number = 0
    for place in QUADRANTS[quadrant]:
        number = 2 * number + (men >> place & 1)
    return number


def encode_quadrants(men: int) -> tuple[int, ...]:
    """Return the four patterns of a bitboard."""
    return tuple(encode_quadrant(men, quadrant) for quadrant in range(len(QUADRANTS)))


def find_changes(before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the old and new pattern of each quadrant in which two bitboards of a side differ."""
    for old, new in zip(encode_quadrants(before), encode_quadrants(after), strict=True):
        if old != new:
            yield old, new


def count_mills(number: int) -> int:
    """Return the number of closed mills in a pattern."""
    return sum(number & line == line for line in MILL_PATTERNS)


def decode_points(number: int) -> frozenset[int]:
    """Return the points of the top quadrant that a pattern occupies."""
    return frozenset(
        point for place, point in enumerate(QUADRANTS[0]) if number >> (NUM_PLACES - 1 - place) & 1
    )


def format_bits(number: int) -> str:
    """Format a pattern as three rows of three bits.

    >>> format_bits(61)
    '000 111 101'
    """
    bits = f"{number:09b}"
    return " ".join(bits[start : start + 3] for start in (0, 3, 6))


def describe_move(before: int, after: int) -> str:
    """Describe the move between two patterns by points of the top quadrant: `b6-d6`, `d6`, `b6
    leaves`.

    A man from outside the quadrant, that is from the hand or another quadrant, has no origin; a man
    that goes to another quadrant has no target.
    """
    left, arrived = decode_points(before & ~after), decode_points(after & ~before)
    names = [" ".join(sorted(POINTS[man] for man in men)) for men in (left, arrived)]
    if not arrived:
        return f"{names[0]} leaves"
    return "-".join(filter(None, names))
