"""Common parts of games on a square board: names of squares, symmetries, text.

Squares are numbered row by row from the top left; a board is a string with one letter per square.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import ClassVar, Protocol

from ludus.core.errors import BadPosition, BadSpec, check_length, quote
from ludus.core.game import Game, M, P, Position

FILES = "abcdefgh"

EMPTY = "."

Symmetry = tuple[int, ...]


class SquaresPosition(Position, Protocol):
    """A position on a square board."""

    letters: ClassVar[str]
    """The men of side 0 and side 1 in `cells`."""

    @property
    def cells(self) -> str:
        """One letter for each square."""

    @property
    def size(self) -> int:
        """Squares along an edge."""


def check_size(size: int) -> None:
    """Raise BadSpec unless boards of this size can be named and drawn."""
    if not 3 <= size <= len(FILES):
        raise BadSpec(f"size={size} must be between 3 and {len(FILES)}")


def square_name(square: int, size: int) -> str:
    """Return the name of a square: file letter, then rank number counted from the bottom.

    >>> square_name(0, 3), square_name(8, 3)
    ('a3', 'c1')
    """
    row, column = divmod(square, size)
    return f"{FILES[column]}{size - row}"


def encode_cells(cells: str, own: str) -> list[float]:
    """Encode each square as 1 for a man of the side with this letter, 0 for another, -1 for none.

    >>> encode_cells("X.O", "X")
    [1.0, -1.0, 0.0]
    """
    return [-1.0 if letter == EMPTY else float(letter == own) for letter in cells]


@cache
def mirror_symmetries(size: int) -> tuple[Symmetry, Symmetry]:
    """Return the identity and the left-right mirror."""
    rows = [range(row * size, (row + 1) * size) for row in range(size)]
    return (
        tuple(square for row in rows for square in row),
        tuple(square for row in rows for square in reversed(row)),
    )


@cache
def all_symmetries(size: int) -> tuple[Symmetry, ...]:
    """Return the eight symmetries of the square, the identity first."""
    found = []
    for symmetry in mirror_symmetries(size):
        for _ in range(4):
            found.append(symmetry)
            symmetry = tuple(_quarter_turn(square, size) for square in symmetry)
    return tuple(found)


def _quarter_turn(square: int, size: int) -> int:
    row, column = divmod(square, size)
    return column * size + (size - 1 - row)


def apply_symmetry(symmetry: Sequence[int], cells: str) -> str:
    """Return the board with the letter of each square moved to the square's image."""
    image = [EMPTY] * len(cells)
    for square, letter in enumerate(cells):
        image[symmetry[square]] = letter
    return "".join(image)


def group_by_symmetry(game: Game[P, M], positions: Iterable[P]) -> list[list[P]]:
    """Return the images of the first position of each symmetry class, itself first."""
    classes: dict[frozenset[P], list[P]] = {}
    for position in positions:
        images = [game.transform(position, symmetry) for symmetry in game.symmetries()]
        classes.setdefault(frozenset(images), images)
    return list(classes.values())


def format_board(cells: str, size: int, mover: str) -> str:
    """Write the rows from the top, separated by slashes, and the letter of the side to move."""
    rows = (cells[first : first + size] for first in range(0, len(cells), size))
    return f"{'/'.join(rows)} {mover}"


def parse_board(text: str, size: int, letters: str, movers: str) -> tuple[str, int]:
    """Parse the board and the side to move, in upper or lower case.

    `letters` are the men of side 0 and side 1, `movers` the letters of the sides in the text.
    """
    words = check_length(text, BadPosition).split()
    if len(words) != 2:
        raise BadPosition(
            f"{quote(text)} must be a board and a side to move, "
            f"as in {format_board(EMPTY * size * size, size, movers[0])}"
        )
    board, mover = words
    rows = board.split("/")
    if len(rows) != size:
        raise BadPosition(f"{quote(text)} has {len(rows)} rows; the board has {size}")
    for rank, row in zip(range(size, 0, -1), rows, strict=True):
        _check_row(row, rank, size, letters)
    if mover not in (*movers, *movers.upper()):
        raise BadPosition(f"{quote(mover)} is no side to move; write {movers[0]} or {movers[1]}")
    return "".join(rows).upper(), movers.index(mover.lower())


def _check_row(row: str, rank: int, size: int, letters: str) -> None:
    allowed = {*letters, *letters.lower(), EMPTY}
    for letter in row:
        if letter not in allowed:
            known = " ".join((*letters, EMPTY))
            raise BadPosition(f"{quote(letter)} in rank {rank} is none of {known}")
    if len(row) != size:
        raise BadPosition(f"rank {rank}, {quote(row)}, has {len(row)} squares instead of {size}")
