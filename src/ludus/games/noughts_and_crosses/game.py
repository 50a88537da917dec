"""Noughts and crosses on boards of several sizes: rules, moves, positions, the game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from ludus.core.errors import BadPosition, BadSpec, quote
from ludus.core.game import Game, Outcome, PlaceRow, illegal_move
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.spec import check_fields
from ludus.games.squares import (
    EMPTY,
    Symmetry,
    all_symmetries,
    apply_symmetry,
    check_size,
    format_board,
    group_by_symmetry,
    parse_board,
    square_name,
)
from ludus.render.canvas import Drawable, Drawing


@dataclass(frozen=True, slots=True)
class Rules:
    """A square board on which the first side to complete a line wins."""

    size: int = 3
    """Squares along an edge, 3 to 8."""

    line: int = 3
    """Number of marks in a row, column or diagonal that win; 3 to `size`."""

    def __post_init__(self) -> None:
        check_fields(self, "noughts_and_crosses")
        check_size(self.size)
        if not 3 <= self.line <= self.size:
            raise BadSpec(f"line={self.line} must be between 3 and size={self.size}")


@cache
def lines(rules: Rules) -> tuple[slice, ...]:
    """Return every winning line as a slice of the board: its squares are evenly spaced.

    >>> "XO..XO..X"[lines(Rules())[6]]
    'XXX'
    """
    size, length = rules.size, rules.line
    # Steps (rows down, columns right) from one square of a line to the next.
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


LETTERS = "XO"
"""The marks of side 0 and side 1."""


def find_full_lines(cells: str, side: int, rules: Rules) -> list[slice]:
    """Return the lines of a board that this side has filled, as slices of `cells`."""
    full = LETTERS[side] * rules.line
    return [line for line in lines(rules) if cells[line] == full]


MOVERS = "xo"
"""Letters of the sides in a position's text."""


class Move(NamedTuple):
    """A mark in an empty square."""

    cell: int
    """The square, numbered row by row from the top left."""

    size: int = 3
    """Squares along an edge of the board, which names of squares depend on."""

    def __repr__(self) -> str:
        return f"<Move {self}>"

    def __str__(self) -> str:
        return square_name(self.cell, self.size)


@dataclass(frozen=True, slots=True, repr=False)
class Position(Drawable):
    """The marks on the board. Crosses begin, so the number of marks gives the side to move."""

    letters: ClassVar[str] = LETTERS
    cells: str
    """One of `X`, `O` and `.` for each square, row by row from the top left."""

    rules: Rules = Rules()

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
            raise illegal_move(move, self)
        mark = LETTERS[self.mover]
        return Position(self.cells[: move.cell] + mark + self.cells[move.cell + 1 :], self.rules)

    def outcome(self) -> Outcome | None:
        last = 1 - self.mover
        if self.completed(last):
            return Outcome(last, "line")
        return None if EMPTY in self.cells else Outcome(None, "full")

    def completed(self, side: int) -> list[slice]:
        """Return the lines that this side has filled, as slices of `cells`."""
        return find_full_lines(self.cells, side, self.rules)

    def text(self, marks: Marks = NO_MARKS) -> str:
        # Drawing is imported on demand: learners play millions of games without it.
        from ludus.games.squares_drawing import NOUGHTS_AND_CROSSES, render_text

        return render_text(self, marks, NOUGHTS_AND_CROSSES)

    def drawing(self, marks: Marks = NO_MARKS) -> Drawing:
        from ludus.games.squares_drawing import NOUGHTS_AND_CROSSES, draw_position

        return draw_position(self, marks, NOUGHTS_AND_CROSSES)

    def __str__(self) -> str:
        return format_board(self.cells, self.size, MOVERS[self.mover])


class NoughtsAndCrosses(Game[Position, Move]):
    """Two sides mark empty squares in turn; the first line wins, a full board is a draw."""

    id: ClassVar[str] = "noughts_and_crosses"
    title: ClassVar[str] = "Noughts and crosses"
    sides: ClassVar[tuple[str, str]] = ("crosses", "noughts")
    presets: ClassVar[Mapping[str, Rules]] = MappingProxyType({"standard": Rules()})
    default_player: ClassVar[str] = "perfect:fallback=search"
    puzzle_rules: ClassVar[str | None] = ""
    move_entry: ClassVar[str] = "ludus.games.squares_move_entry:NoughtsAndCrossesMoveEntry"
    coding: ClassVar[str] = "ludus.games.coding:SquaresCoding"
    win_reasons: ClassVar[Mapping[str, str]] = {"line": "{winner} completed a line"}
    draw_reasons: ClassVar[Mapping[str, str]] = {"full": "the board was full"}
    man_name: ClassVar[str] = "mark"
    row_name: ClassVar[str] = "line"

    def start(self) -> Position:
        return Position(EMPTY * self.rules.size**2, self.rules)

    def parse(self, text: str) -> Position:
        """Parse a position such as `X.O/.../... x`; it must be reachable in play."""
        cells, mover = parse_board(text, self.rules.size, LETTERS, MOVERS)
        crosses, noughts = cells.count("X"), cells.count("O")
        if crosses - noughts != mover:
            raise BadPosition(
                f"{quote(text)} has {crosses} crosses and {noughts} noughts with {MOVERS[mover]} "
                "to move; crosses begin and the sides take turns"
            )
        position = Position(cells, self.rules)
        _check_lines(position, text)
        return position

    def steps(self, move: Move) -> tuple[str, ...]:
        return (str(move),)

    def symmetries(self) -> tuple[Symmetry, ...]:
        return all_symmetries(self.rules.size)

    def transform(self, position: Position, symmetry: Sequence[int]) -> Position:
        return Position(apply_symmetry(symmetry, position.cells), position.rules)

    def transform_move(self, move: Move, symmetry: Sequence[int]) -> Move:
        return Move(symmetry[move.cell], move.size)

    def all_moves(self) -> tuple[Move, ...]:
        """Return the squares, row by row."""
        return tuple(self.start().legal_moves())

    def training_starts(self) -> list[Position]:
        """Return the positions after one move of each side, one for each symmetry class.

        The classes are those of Muggleton and Hocquette (2019). Their opponent breaks ties by the
        order of cells, so the representative matters: it is the smallest sequence of cells coded as
        empty 0, cross 1, nought 2. Only this one matches the published figures.
        """
        classes = group_by_symmetry(self, super().training_starts())
        return [min(images, key=_cell_codes) for images in classes]

    def completed_rows(self, position: Position, side: int) -> tuple[PlaceRow, ...]:
        return tuple(self._name_row(line) for line in position.completed(side))

    def blocked_rows(self, position: Position, move: Move) -> tuple[PlaceRow, ...]:
        other, cells = 1 - position.mover, position.cells
        taken = cells[: move.cell] + LETTERS[other] + cells[move.cell + 1 :]
        return tuple(self._name_row(line) for line in find_full_lines(taken, other, self.rules))

    def threatened_rows(self, position: Position, side: int) -> Mapping[str, tuple[PlaceRow, ...]]:
        found: dict[str, tuple[PlaceRow, ...]] = {}
        for line in lines(self.rules):
            cells = position.cells[line]
            if cells.count(LETTERS[side]) == self.rules.line - 1 and EMPTY in cells:
                row = self._name_row(line)
                place = row[cells.index(EMPTY)]
                found[place] = (*found.get(place, ()), row)
        return found

    def _name_row(self, line: slice) -> PlaceRow:
        size = self.rules.size
        return tuple(square_name(square, size) for square in range(size * size)[line])


def _cell_codes(position: Position) -> list[int]:
    return [f"{EMPTY}{LETTERS}".index(cell) for cell in position.cells]


def _check_lines(position: Position, text: str) -> None:
    """Check that the last mark can lie on every complete line: the first line ends the game."""
    if position.completed(position.mover):
        side = NoughtsAndCrosses.sides[position.mover]
        raise BadPosition(f"{quote(text)}: {side} have a line, so it cannot be their turn")
    squares = range(len(position.cells))
    complete = [set(squares[line]) for line in position.completed(1 - position.mover)]
    if complete and not set.intersection(*complete):
        raise BadPosition(f"{quote(text)} has lines that no single last move can have completed")
