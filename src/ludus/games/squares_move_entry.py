"""Move entry for noughts and crosses, and for hexapawn."""

from abc import ABC, abstractmethod
from dataclasses import replace

from ludus.core.game import Move
from ludus.games import hexapawn, noughts_and_crosses
from ludus.games.move_entry import Arrangement, MoveEntry, PartialMove, Stack
from ludus.games.squares import EMPTY, SquaresPosition, square_name


class _SquaresMoveEntry(MoveEntry[SquaresPosition, Move], ABC):
    """Common base of games on squares."""

    men: tuple[str, str]

    def describe_place(self, position: SquaresPosition, place: str) -> str:
        letter = position.cells[self._square(position, place)]
        return "" if letter == EMPTY else self.men[position.letters.index(letter)]

    def stacks(self, position: SquaresPosition) -> dict[str, Stack]:
        return {
            square_name(square, position.size): (position.letters.index(letter), 1)
            for square, letter in enumerate(position.cells)
            if letter != EMPTY
        }

    def to_arrangement(self, position: SquaresPosition) -> Arrangement:
        return Arrangement(self.stacks(position), position.mover)

    def from_arrangement(self, arrangement: Arrangement) -> SquaresPosition:
        start = self.game.start()
        cells = [EMPTY] * len(start.cells)
        for name, (side, _) in arrangement.men.items():
            cells[self._square(start, name)] = start.letters[side]
        return self._position("".join(cells), arrangement.mover)

    @abstractmethod
    def _position(self, cells: str, mover: int) -> SquaresPosition:
        """Return the position with these squares."""

    @staticmethod
    def _square(position: SquaresPosition, place: str) -> int:
        """Return the index of a square; indices run row by row from the top."""
        column, rank = ord(place[0]) - ord("a"), int(place[1:])
        return position.size * (position.size - rank) + column


class NoughtsAndCrossesMoveEntry(_SquaresMoveEntry):
    """Marks are put on empty squares."""

    men = ("a cross", "a nought")

    def _position(self, cells: str, mover: int) -> noughts_and_crosses.Position:
        return noughts_and_crosses.Position(cells, self.game.rules)

    def describe_task(self, position: SquaresPosition, entry: PartialMove) -> str:
        return f"Put {self.men[position.mover]} on an empty square"

    def describe_rules(self) -> list[str]:
        return [
            "In turn, mark an empty square.",
            f"The first side with {self.game.rules.line} in a row, across, down or diagonally, "
            "wins; a full board is a draw.",
        ]

    def describe_move(self, move: Move, position: SquaresPosition) -> str:
        return f"marked {move}"


class HexapawnMoveEntry(_SquaresMoveEntry):
    """Pawns step ahead or capture diagonally."""

    men = ("a white pawn", "a black pawn")

    def _position(self, cells: str, mover: int) -> hexapawn.Position:
        return hexapawn.Position(cells, mover, self.game.rules)

    def describe_task(self, position: SquaresPosition, entry: PartialMove) -> str:
        return "Choose where it goes" if entry.touched else "Choose one of your pawns"

    def describe_rules(self) -> list[str]:
        is_loss = self.game.rules.no_pawns == "loses"
        return [
            "In turn, move a pawn one square ahead, or take one that stands one square ahead and "
            "to the side. White moves up the board, black down.",
            "A side whose pawn reaches the other edge wins"
            + (", and so does a side that takes the other side's last pawn." if is_loss else "."),
            "A side that has no move loses."
            if self.game.rules.no_move == "loses"
            else "If the side to move has no move, the game is a draw"
            + ("." if is_loss else ", also if it has no pawn left."),
        ]

    def enter(self, position: SquaresPosition, touched: tuple[str, ...]) -> PartialMove:
        entry = super().enter(position, touched)
        return replace(entry, selected=touched[0] if touched else None)

    def describe_side(self, position: SquaresPosition, side: int) -> str:
        count = position.cells.count(position.letters[side])
        return f"{count} {'pawn' if count == 1 else 'pawns'}"

    def describe_move(self, move: Move, position: SquaresPosition) -> str:
        start, end = self.game.steps(move)
        verb = "took on" if "x" in str(move) else "moved to"
        return f"{verb} {end} from {start}"
