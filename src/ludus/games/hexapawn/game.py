"""Hexapawn behind the contract of `ludus.core.game`."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from ludus.core.errors import BadPosition, quoted
from ludus.core.game import Game
from ludus.games.hexapawn.position import LETTERS, MOVERS, Move, Position
from ludus.games.hexapawn.rules import Rules
from ludus.games.squares import EMPTY, Symmetry, mirrors, read_board, seen_through


class Hexapawn(Game[Position, Move]):
    """Pawns alone: cross the board or take every enemy pawn to win; being stuck is a draw."""

    id: ClassVar[str] = "hexapawn"
    title: ClassVar[str] = "Hexapawn"
    sides: ClassVar[tuple[str, str]] = ("white", "black")
    presets: ClassVar[Mapping[str, Rules]] = MappingProxyType(
        {"standard": Rules(3), "four": Rules(4), "five": Rules(5)}
    )

    def start(self) -> Position:
        size = self.rules.size
        return Position("B" * size + EMPTY * size * (size - 2) + "W" * size, 0, self.rules)

    def parse(self, text: str) -> Position:
        """The position a text such as `BBB/.../WWW w` stands for.

        Boards that play cannot lead to are welcome, as long as it is clear who has won.
        """
        cells, mover = read_board(text, self.rules.size, LETTERS, MOVERS)
        position = Position(cells, mover, self.rules)
        _check_men(position, text)
        return position

    def steps(self, move: Move) -> tuple[str, ...]:
        squares = str(move)
        return squares[:2], squares[3:]

    def symmetries(self) -> tuple[Symmetry, ...]:
        return mirrors(self.rules.size)

    def transform(self, position: Position, symmetry: Sequence[int]) -> Position:
        return Position(seen_through(symmetry, position.cells), position.mover, position.rules)

    def transform_move(self, move: Move, symmetry: Sequence[int]) -> Move:
        return Move(symmetry[move.frm], symmetry[move.to], move.size)


def _check_men(position: Position, text: str) -> None:
    """The side to move cannot have won, and the side that has just moved has a pawn."""
    for side, name in enumerate(Hexapawn.sides):
        men = position.cells.count(LETTERS[side])
        if men > position.size:
            raise BadPosition(f"{quoted(text)} has {men} {name} pawns; {position.size} is the most")
    mover, last = (Hexapawn.sides[side] for side in (position.mover, 1 - position.mover))
    if position.has_crossed(position.mover):
        raise BadPosition(
            f"{quoted(text)}: {mover} has crossed the board, so it cannot be its turn"
        )
    if LETTERS[1 - position.mover] not in position.cells:
        raise BadPosition(f"{quoted(text)}: {last} has no pawn, so it cannot have moved last")
