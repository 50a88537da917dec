"""What the games on a square board share: names of squares, symmetries, rows of text.

Squares are numbered row by row from the top left; a board is a string with one letter a square.
"""

from collections.abc import Sequence
from functools import cache

from ludus.core.errors import BadPosition, BadSpec, check_length, quoted

FILES = "abcdefgh"

EMPTY = "."

Symmetry = tuple[int, ...]


def check_size(size: int) -> None:
    """BadSpec unless boards of this size can be named and drawn."""
    if not 3 <= size <= len(FILES):
        raise BadSpec(f"size={size} must be between 3 and {len(FILES)}")


def place(square: int, size: int) -> str:
    """The name of a square: file letter, then rank number counted from the bottom.

    >>> place(0, 3), place(8, 3)
    ('a3', 'c1')
    """
    row, column = divmod(square, size)
    return f"{FILES[column]}{size - row}"


@cache
def mirrors(size: int) -> tuple[Symmetry, Symmetry]:
    """The identity, and left swapped with right."""
    rows = [range(row * size, (row + 1) * size) for row in range(size)]
    return (
        tuple(square for row in rows for square in row),
        tuple(square for row in rows for square in reversed(row)),
    )


@cache
def all_symmetries(size: int) -> tuple[Symmetry, ...]:
    """The eight ways to turn and mirror a square, the identity first."""
    found = []
    for symmetry in mirrors(size):
        for _ in range(4):
            found.append(symmetry)
            symmetry = tuple(_quarter_turn(square, size) for square in symmetry)
    return tuple(found)


def _quarter_turn(square: int, size: int) -> int:
    row, column = divmod(square, size)
    return column * size + (size - 1 - row)


def seen_through(symmetry: Sequence[int], cells: str) -> str:
    """The board with the letter of each square moved to where the symmetry takes it."""
    seen = [EMPTY] * len(cells)
    for square, letter in enumerate(cells):
        seen[symmetry[square]] = letter
    return "".join(seen)


def write_board(cells: str, size: int, mover: str) -> str:
    """The rows from the top, separated by slashes, and the letter of the side to move."""
    rows = (cells[first : first + size] for first in range(0, len(cells), size))
    return f"{'/'.join(rows)} {mover}"


def read_board(text: str, size: int, letters: str, movers: str) -> tuple[str, int]:
    """The board and the side to move that a text stands for, in upper or lower case.

    `letters` are the men of side 0 and side 1, `movers` what the two sides are called in the text.
    """
    words = check_length(text, BadPosition).split()
    if len(words) != 2:
        raise BadPosition(
            f"{quoted(text)} must be a board and a side to move, as in {_sample(size, movers)}"
        )
    board, mover = words
    rows = board.split("/")
    if len(rows) != size:
        raise BadPosition(f"{quoted(text)} has {len(rows)} rows; the board has {size}")
    for rank, row in zip(range(size, 0, -1), rows, strict=True):
        _check_row(row, rank, size, letters)
    if mover not in (*movers, *movers.upper()):
        raise BadPosition(f"{quoted(mover)} is no side to move; write {movers[0]} or {movers[1]}")
    return "".join(rows).upper(), movers.index(mover.lower())


def _check_row(row: str, rank: int, size: int, letters: str) -> None:
    allowed = {*letters, *letters.lower(), EMPTY}
    for letter in row:
        if letter not in allowed:
            known = " ".join((*letters, EMPTY))
            raise BadPosition(f"{quoted(letter)} in rank {rank} is none of {known}")
    if len(row) != size:
        raise BadPosition(f"rank {rank}, {quoted(row)}, has {len(row)} squares instead of {size}")


def _sample(size: int, movers: str) -> str:
    return write_board(EMPTY * size * size, size, movers[0])
