"""Noughts and crosses behind the contract of `ludus.core.game`."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from ludus.core.errors import BadPosition, quoted
from ludus.core.game import Game
from ludus.games.noughts_and_crosses.position import LETTERS, MOVERS, Move, Position
from ludus.games.noughts_and_crosses.rules import Rules
from ludus.games.squares import EMPTY, Symmetry, all_symmetries, read_board, seen_through


class NoughtsAndCrosses(Game[Position, Move]):
    """Two sides mark empty squares in turn; the first line wins, a full board is a draw."""

    id: ClassVar[str] = "noughts_and_crosses"
    title: ClassVar[str] = "Noughts and crosses"
    sides: ClassVar[tuple[str, str]] = ("crosses", "noughts")
    presets: ClassVar[Mapping[str, Rules]] = MappingProxyType({"standard": Rules()})

    def start(self) -> Position:
        return Position(EMPTY * self.rules.size**2, self.rules)

    def parse(self, text: str) -> Position:
        """The position a text such as `X.O/.../... x` stands for, if play can lead to it."""
        cells, mover = read_board(text, self.rules.size, LETTERS, MOVERS)
        crosses, noughts = cells.count("X"), cells.count("O")
        if crosses - noughts != mover:
            raise BadPosition(
                f"{quoted(text)} has {crosses} crosses and {noughts} noughts with {MOVERS[mover]} "
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
        return Position(seen_through(symmetry, position.cells), position.rules)

    def transform_move(self, move: Move, symmetry: Sequence[int]) -> Move:
        return Move(symmetry[move.cell], move.size)


def _check_lines(position: Position, text: str) -> None:
    """The first line ends the game, so the last mark placed lies on every line there is."""
    if position.completed(position.mover):
        side = NoughtsAndCrosses.sides[position.mover]
        raise BadPosition(f"{quoted(text)}: {side} have a line, so it cannot be their turn")
    squares = range(len(position.cells))
    complete = [set(squares[line]) for line in position.completed(1 - position.mover)]
    if complete and not set.intersection(*complete):
        raise BadPosition(f"{quoted(text)} has lines that no single last move can have completed")
