"""A hexapawn board as a value.

Martin Gardner's game ("Mathematical Games", Scientific American, March 1962) with the change that
Muggleton and Hocquette made to it ("Machine Discovery of Comprehensible Strategies for Simple
Games Using Meta-interpretive Learning", 2019): a side that cannot move draws and does not lose.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ludus.core.errors import BadMove
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.outcome import Outcome
from ludus.games.hexapawn.rules import Rules
from ludus.games.squares import EMPTY, place, write_board

LETTERS = "WB"
"""The pawns of side 0 and side 1."""

MOVERS = "wb"
"""The sides as they are written after the board."""


class Move(NamedTuple):
    """A pawn's step straight ahead, or its capture diagonally ahead."""

    frm: int
    """The square it leaves, counted row by row from the top left."""

    to: int
    """The square it goes to."""

    size: int = 3
    """Squares along an edge of the board, without which squares have no names."""

    @property
    def is_capture(self) -> bool:
        """Whether it takes a pawn: captures alone change the file."""
        return (self.to - self.frm) % self.size != 0

    def __str__(self) -> str:
        sign = "x" if self.is_capture else "-"
        return place(self.frm, self.size) + sign + place(self.to, self.size)


@dataclass(frozen=True, slots=True)
class Position:
    """The pawns on the board and the side to move."""

    cells: str
    """One of `W`, `B` and `.` for each square, row by row from the top left."""

    mover: int = 0

    rules: Rules = Rules()  # noqa: RUF009 - frozen

    @property
    def size(self) -> int:
        return self.rules.size

    def legal_moves(self) -> list[Move]:
        return [] if self._won() else list(self._pawn_moves())

    def play(self, move: Move, /) -> "Position":
        if move not in self.legal_moves():
            raise BadMove(f"{move} is not a legal move in {self}")
        cells = list(self.cells)
        cells[move.frm] = EMPTY
        cells[move.to] = LETTERS[self.mover]
        return Position("".join(cells), 1 - self.mover, self.rules)

    def outcome(self) -> Outcome | None:
        reason = self._won()
        if reason:
            return Outcome(1 - self.mover, reason)
        can_move = next(self._pawn_moves(), None) is not None
        return None if can_move else Outcome(None, "blocked")

    def _won(self) -> str:
        """Why the last move won, or nothing; only the side that made it can have won."""
        if self.has_crossed(1 - self.mover):
            return "crossed"
        return "" if LETTERS[self.mover] in self.cells else "men"

    def has_crossed(self, side: int) -> bool:
        """Whether a pawn of this side stands on its last rank."""
        last_rank = self.cells[: self.size] if side == 0 else self.cells[-self.size :]
        return LETTERS[side] in last_rank

    def _pawn_moves(self) -> Iterator[Move]:
        """Steps and captures of the side to move, if none of its pawns has crossed."""
        size = self.rules.size
        ahead = -size if self.mover == 0 else size
        own, enemy = LETTERS[self.mover], LETTERS[1 - self.mover]
        for square, letter in enumerate(self.cells):
            if letter != own:
                continue
            front, column = square + ahead, square % size
            if column > 0 and self.cells[front - 1] == enemy:
                yield Move(square, front - 1, size)
            if self.cells[front] == EMPTY:
                yield Move(square, front, size)
            if column < size - 1 and self.cells[front + 1] == enemy:
                yield Move(square, front + 1, size)

    def text(self, marks: Marks = NO_MARKS) -> str:
        # Drawing is loaded when it is asked for: learners play millions of games unseen.
        from ludus.games.hexapawn import drawing

        return drawing.text(self, marks)

    def svg(self, marks: Marks = NO_MARKS) -> str:
        from ludus.games.hexapawn import drawing

        return drawing.svg(self, marks)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return write_board(self.cells, self.size, MOVERS[self.mover])
