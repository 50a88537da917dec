"""The rules as a value: how large the board is."""

from dataclasses import dataclass

from ludus.games.squares import check_size


@dataclass(frozen=True, slots=True)
class Rules:
    """A square board with a row of pawns along two edges."""

    size: int = 3
    """Squares along an edge, and pawns of each side; 3 to 8."""

    def __post_init__(self) -> None:
        check_size(self.size)
