"""How moves are said in the text protocol: one word each, in the notation of the game.

Spaces within a move become commas, as in backgammon's `8/5,6/5`. A roll of the dice is a word
among the moves, as in `moves 31 8/5,6/5 64`.
"""

from dataclasses import dataclass
from typing import Any

from ludus.core.game import AnyGame


@dataclass(frozen=True, slots=True)
class Turn:
    """A position, and what the mover has done of a move that is not complete."""

    position: Any

    begun: Any = None
    """A move that lacks its end; None at the beginning of a turn."""


class Speech:
    """The words for the moves of a game."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def read(self, turn: Turn, word: str) -> tuple[Any, bool]:
        """The move that a word stands for or begins, and whether it is whole; BadMove if none."""
        return self.game.parse_move(word, turn.position), True

    def follow(self, turn: Turn, word: str) -> Turn:
        """What comes after this word; BadMove if it cannot be said here."""
        move, is_whole = self.read(turn, word)
        return Turn(turn.position.play(move)) if is_whole else Turn(turn.position, move)

    def choices(self, turn: Turn) -> list[Any]:
        """The legal moves that go on from what has begun."""
        moves: list[Any] = turn.position.legal_moves()
        return moves

    def words(self, move: Any, begun: Any = None, *, apart: bool = False) -> tuple[str, ...]:
        """A move, or what is left of it: one word, or several if its parts are said apart."""
        return (str(move).replace(" ", ","),)

    def foreign_text(self, position: Any) -> str:
        """The position as other programs for this game write it."""
        return str(position)


def speech(game: AnyGame) -> Speech:
    """How to talk about this game."""
    if game.id == "nine_mens_morris":
        from ludus.protocol.morris_speech import MorrisSpeech

        return MorrisSpeech(game)
    return Speech(game)
