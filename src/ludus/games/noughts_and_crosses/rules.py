"""The rules as a value: how large the board is and how long a line wins."""

from dataclasses import dataclass
from functools import cache

from ludus.core.errors import BadSpec
from ludus.games.squares import check_size


@dataclass(frozen=True, slots=True)
class Rules:
    """A square board on which the first side to complete a line wins."""

    size: int = 3
    """Squares along an edge, 3 to 8."""

    line: int = 3
    """How many marks in a row, column or diagonal win; 3 to `size`."""

    def __post_init__(self) -> None:
        check_size(self.size)
        if not 3 <= self.line <= self.size:
            raise BadSpec(f"line={self.line} must be between 3 and size={self.size}")


@cache
def lines(rules: Rules) -> tuple[slice, ...]:
    """Every line that wins, as a slice of the board: its squares are evenly spaced.

    >>> "XO..XO..X"[lines(Rules())[6]]
    'XXX'
    """
    size, length = rules.size, rules.line
    # Rows to move down and columns to move right from one square of a line to the next.
    directions = ((0, 1), (1, 0), (1, 1), (1, -1))
    return tuple(
        _line(row * size + column, down * size + right, length)
        for down, right in directions
        for row in range(size - down * (length - 1))
        for column in range(size)
        if 0 <= column + right * (length - 1) < size
    )


def _line(first: int, step: int, length: int) -> slice:
    return slice(first, first + step * (length - 1) + 1, step)
