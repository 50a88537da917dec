"""How a game has gone, as far as a player can tell from the positions it was shown.

Positions are shown one at a time, but an engine wants the moves: rules about repetition need
them, and so do programs that read no position but their own.
"""

from collections.abc import Sequence
from typing import Any

from ludus.core.game import CHANCE
from ludus.protocol.speech import Speech


class Road:
    """Where it began, and the moves from there."""

    def __init__(self, speech: Speech, *, apart: bool = False, foreign: bool = False) -> None:
        self._speech = speech
        self._is_apart = apart
        self._is_foreign = foreign
        self.forget()

    def forget(self) -> None:
        """A new game begins, as long as nothing else is seen at its start."""
        self._start: Any = self._speech.game.start()
        self._here: Any = self._start
        self._words: list[str] = []

    def reach(self, position: Any) -> None:
        """Go on to this position if one move leads there, else begin anew with it."""
        if position == self._here:
            return
        if self._here.mover not in (CHANCE, position.mover):
            for move in self._here.legal_moves():
                if self._here.play(move) == position:
                    self.play(move)
                    return
        self._start = self._here = position
        self._words = []

    def play(self, move: Any) -> None:
        """Go on by a move."""
        self._words += self._speech.words(move, apart=self._is_apart)
        self._here = self._here.play(move)

    def line(self, begun: Sequence[str] = ()) -> str:
        """The command that tells an engine."""
        words = [*self._words, *begun]
        moves = f" moves {' '.join(words)}" if words else ""
        if self._start == self._speech.game.start():
            return f"position startpos{moves}"
        text = self._speech.foreign_text(self._start) if self._is_foreign else str(self._start)
        return f"position fen {text}{moves}"
