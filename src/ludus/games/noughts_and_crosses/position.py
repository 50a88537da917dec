"""A board of noughts and crosses as a value."""

from dataclasses import dataclass
from typing import NamedTuple

from ludus.core.errors import BadMove
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.outcome import Outcome
from ludus.games.noughts_and_crosses.rules import Rules, lines
from ludus.games.squares import EMPTY, place, write_board

LETTERS = "XO"
"""The marks of side 0 and side 1."""

MOVERS = "xo"
"""The sides as they are written after the board."""


class Move(NamedTuple):
    """A mark in an empty square."""

    cell: int
    """The square, counted row by row from the top left."""

    size: int = 3
    """Squares along an edge of the board, without which the square has no name."""

    def __str__(self) -> str:
        return place(self.cell, self.size)


@dataclass(frozen=True, slots=True)
class Position:
    """The marks on the board. Crosses begin, so their number tells whose turn it is."""

    cells: str
    """One of `X`, `O` and `.` for each square, row by row from the top left."""

    rules: Rules = Rules()  # noqa: RUF009 - frozen

    @property
    def size(self) -> int:
        return self.rules.size

    @property
    def mover(self) -> int:
        return self.cells.count("X") - self.cells.count("O")

    def legal_moves(self) -> list[Move]:
        if self.outcome() is not None:
            return []
        size = self.rules.size
        return [Move(cell, size) for cell, mark in enumerate(self.cells) if mark == EMPTY]

    def play(self, move: Move, /) -> "Position":
        if move not in self.legal_moves():
            raise BadMove(f"{move} is not a legal move in {self}")
        mark = LETTERS[self.mover]
        return Position(self.cells[: move.cell] + mark + self.cells[move.cell + 1 :], self.rules)

    def outcome(self) -> Outcome | None:
        last = 1 - self.mover
        if self.completed(last):
            return Outcome(last, "line")
        return None if EMPTY in self.cells else Outcome(None, "full")

    def completed(self, side: int) -> list[slice]:
        """The lines that this side has filled, as slices of `cells`."""
        full = LETTERS[side] * self.rules.line
        return [line for line in lines(self.rules) if self.cells[line] == full]

    def text(self, marks: Marks = NO_MARKS) -> str:
        # Drawing is loaded when it is asked for: learners play millions of games unseen.
        from ludus.games.noughts_and_crosses import drawing

        return drawing.text(self, marks)

    def svg(self, marks: Marks = NO_MARKS) -> str:
        from ludus.games.noughts_and_crosses import drawing

        return drawing.svg(self, marks)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return write_board(self.cells, self.size, MOVERS[self.mover])
