"""Move notation of the text protocol: one word per move, in the notation of the game.

Spaces within a move become commas, as in backgammon's `8/5,6/5`. A dice roll is a word among the
moves, as in `moves 31 8/5,6/5 64`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from ludus.core.game import AnyGame, Move, Position


@dataclass(frozen=True, slots=True)
class TurnState:
    """A position and the part of an incomplete move that the mover has already made."""

    position: "Position"

    partial_move: "Move | None" = None
    """A move without its capture; None at the beginning of a turn."""


class MoveNotation:
    """Conversion between the moves of a game and protocol words."""

    options: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Options of the notation that a user can set: name to values, the default first."""

    def __init__(self, game: "AnyGame") -> None:
        self.game = game

    def parse(self, turn: TurnState, word: str) -> tuple[Any, bool]:
        """Parse a word as a move or the beginning of one; return it and whether it is complete.

        Raise BadMove if the word fits no legal move.
        """
        return self.game.parse_move(word, turn.position), True

    def advance(self, turn: TurnState, word: str) -> TurnState:
        """Return the state after this word; raise BadMove if it is illegal here."""
        move, is_whole = self.parse(turn, word)
        return TurnState(turn.position.play(move)) if is_whole else TurnState(turn.position, move)

    def list_continuations(self, turn: TurnState) -> list[Any]:
        """Return the legal moves that continue the partial move."""
        moves: list[Any] = turn.position.legal_moves()
        return moves

    def format_words(
        self,
        move: "Move",
        partial_move: "Move | None" = None,
        *,
        separate_captures: bool = False,
    ) -> tuple[str, ...]:
        """Format a move, or the rest of a partial one; several words if `separate_captures`."""
        return (str(move).replace(" ", ","),)

    def format_position(self, position: "Position") -> str:
        """Format the position as other programs for this game write it."""
        return str(position)
