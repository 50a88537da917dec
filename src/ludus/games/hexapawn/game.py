"""Hexapawn (Gardner 1962); a side that cannot move draws (Muggleton and Hocquette 2019) or loses.

Martin Gardner, "Mathematical Games", Scientific American, March 1962. Stephen Muggleton and Céline
Hocquette, "Machine Discovery of Comprehensible Strategies for Simple Games Using Meta-interpretive
Learning", 2019, where a side that cannot move does not lose. In Gardner's game it loses.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

from ludus.core.errors import BadPosition, quote
from ludus.core.game import ADDED_LATER, MAN_VALUE, Game, Outcome, illegal_move
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.spec import check_fields
from ludus.games.squares import (
    EMPTY,
    Symmetry,
    apply_symmetry,
    check_size,
    format_board,
    group_by_symmetry,
    mirror_symmetries,
    parse_board,
    square_name,
)
from ludus.render.canvas import Drawable, Drawing


@dataclass(frozen=True, slots=True)
class Rules:
    """A square board with a row of pawns along two edges."""

    size: int = 3
    """Squares along an edge, and pawns of each side; 3 to 8."""

    no_pawns: Literal["loses", "draws"] = field(default="loses", metadata=ADDED_LATER)
    """Whether a side without pawns loses, or draws like any side that cannot move, as in Muggleton
    and Hocquette 2019.
    """

    no_move: Literal["draws", "loses"] = field(default="draws", metadata=ADDED_LATER)
    """Whether a side that has pawns but cannot move draws, or loses as in Gardner 1962."""

    def __post_init__(self) -> None:
        check_fields(self, "hexapawn")
        check_size(self.size)


LETTERS = "WB"
"""The pawns of side 0 and side 1."""

MOVERS = "wb"
"""Letters of the sides in a position's text."""


class Move(NamedTuple):
    """A pawn's step straight ahead, or its capture diagonally ahead."""

    frm: int
    """The square that it leaves, numbered row by row from the top left."""

    to: int
    """The square it goes to."""

    size: int = 3
    """Squares along an edge of the board, which names of squares depend on."""

    @property
    def is_capture(self) -> bool:
        """Whether a pawn is captured: only captures change the file."""
        return (self.to - self.frm) % self.size != 0

    def __repr__(self) -> str:
        return f"<Move {self}>"

    def __str__(self) -> str:
        sign = "x" if self.is_capture else "-"
        return square_name(self.frm, self.size) + sign + square_name(self.to, self.size)


@dataclass(frozen=True, slots=True, repr=False)
class Position(Drawable):
    """The pawns on the board and the side to move."""

    letters: ClassVar[str] = LETTERS
    cells: str
    """One of `W`, `B` and `.` for each square, row by row from the top left."""

    mover: int = 0

    rules: Rules = Rules()

    @property
    def size(self) -> int:
        return self.rules.size

    def legal_moves(self) -> list[Move]:
        return [] if self._won() else list(self._pawn_moves())

    def play(self, move: Move, /) -> "Position":
        if move not in self.legal_moves():
            raise illegal_move(move, self)
        cells = list(self.cells)
        cells[move.frm] = EMPTY
        cells[move.to] = LETTERS[self.mover]
        return Position("".join(cells), 1 - self.mover, self.rules)

    def outcome(self) -> Outcome | None:
        reason = self._won()
        if reason:
            return Outcome(1 - self.mover, reason)
        if next(self._pawn_moves(), None) is not None:
            return None
        is_lost = self.rules.no_move == "loses" and LETTERS[self.mover] in self.cells
        return Outcome(1 - self.mover if is_lost else None, "blocked")

    def _won(self) -> str:
        """Return why the last move won, or ""; only the side that made it can have won."""
        if self.has_crossed(1 - self.mover):
            return "crossed"
        is_out = self.rules.no_pawns == "loses" and LETTERS[self.mover] not in self.cells
        return "men" if is_out else ""

    def has_crossed(self, side: int) -> bool:
        """Return whether a pawn of this side is on its last rank."""
        last_rank = self.cells[: self.size] if side == 0 else self.cells[-self.size :]
        return LETTERS[side] in last_rank

    def _pawn_moves(self) -> Iterator[Move]:
        """Generate steps and captures of the side to move, if none of its pawns has crossed."""
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
        # Drawing is imported on demand: learners play millions of games without it.
        from ludus.games.squares_drawing import HEXAPAWN, render_text

        return render_text(self, marks, HEXAPAWN)

    def drawing(self, marks: Marks = NO_MARKS) -> Drawing:
        from ludus.games.squares_drawing import HEXAPAWN, draw_position

        return draw_position(self, marks, HEXAPAWN)

    def __str__(self) -> str:
        return format_board(self.cells, self.size, MOVERS[self.mover])


class Hexapawn(Game[Position, Move]):
    """Pawns only: cross the board to win; no legal move is a draw or a loss."""

    id: ClassVar[str] = "hexapawn"
    title: ClassVar[str] = "Hexapawn"
    sides: ClassVar[tuple[str, str]] = ("white", "black")
    presets: ClassVar[Mapping[str, Rules]] = MappingProxyType(
        {
            "standard": Rules(3),
            "four": Rules(4),
            "five": Rules(5),
            "migo": Rules(3, no_pawns="draws"),
            "gardner": Rules(3, no_move="loses"),
        }
    )
    default_player: ClassVar[str] = "perfect:fallback=search"
    puzzle_rules: ClassVar[str | None] = "four"
    move_entry: ClassVar[str] = "ludus.games.squares_move_entry:HexapawnMoveEntry"
    coding: ClassVar[str] = "ludus.games.coding:SquaresCoding"
    win_reasons: ClassVar[Mapping[str, str]] = {
        "crossed": "{winner} crossed the board",
        "men": "{loser} had no pawn left",
        "blocked": "{loser} had no move left",
    }
    draw_reasons: ClassVar[Mapping[str, str]] = {"blocked": "there was no move left"}
    man_name: ClassVar[str] = "pawn"

    def start(self) -> Position:
        size = self.rules.size
        return Position("B" * size + EMPTY * size * (size - 2) + "W" * size, 0, self.rules)

    def parse(self, text: str) -> Position:
        """Parse a position such as `BBB/.../WWW w`.

        Boards that cannot occur in play are accepted if the winner is unambiguous.
        """
        cells, mover = parse_board(text, self.rules.size, LETTERS, MOVERS)
        position = Position(cells, mover, self.rules)
        _check_men(position, text)
        return position

    def steps(self, move: Move) -> tuple[str, ...]:
        squares = str(move)
        return squares[:2], squares[3:]

    def symmetries(self) -> tuple[Symmetry, ...]:
        return mirror_symmetries(self.rules.size)

    def transform(self, position: Position, symmetry: Sequence[int]) -> Position:
        return Position(apply_symmetry(symmetry, position.cells), position.mover, position.rules)

    def transform_move(self, move: Move, symmetry: Sequence[int]) -> Move:
        return Move(symmetry[move.frm], symmetry[move.to], move.size)

    def evaluate(self, position: Position) -> int:
        """Return the difference in pawns."""
        men = position.cells.count("W") - position.cells.count("B")
        return MAN_VALUE * (-men if position.mover else men)

    def is_capture(self, move: Move) -> bool:
        return move.is_capture

    def all_moves(self) -> tuple[Move, ...]:
        """Return each step and each capture of either side, square by square."""
        size = self.rules.size
        return tuple(
            Move(square, row * size + column, size)
            for square in range(size * size)
            for row in (square // size - 1, square // size + 1)
            for column in range(square % size - 1, square % size + 2)
            if 0 <= row < size and 0 <= column < size
        )

    def training_starts(self) -> list[Position]:
        """Return the positions after one move of each side; on 3x3 one of each two mirror images.

        These are the positions of Muggleton and Hocquette (2019). Their opponent breaks ties by the
        order of cells, so only the first of two mirror images matches the published figures.
        """
        starts = super().training_starts()
        if self.rules.size > 3:
            return starts
        return [images[0] for images in group_by_symmetry(self, starts)]


def _check_men(position: Position, text: str) -> None:
    """Check that the side to move has not won, and that the side that has just moved has a pawn."""
    for side, name in enumerate(Hexapawn.sides):
        men = position.cells.count(LETTERS[side])
        if men > position.size:
            raise BadPosition(f"{quote(text)} has {men} {name} pawns; {position.size} is the most")
    mover, last = (Hexapawn.sides[side] for side in (position.mover, 1 - position.mover))
    if position.has_crossed(position.mover):
        raise BadPosition(f"{quote(text)}: {mover} has crossed the board, so it cannot be its turn")
    if LETTERS[1 - position.mover] not in position.cells:
        raise BadPosition(f"{quote(text)}: {last} has no pawn, so it cannot have moved last")
