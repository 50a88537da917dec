"""Moves of the Morris family as Sanmill and its relatives say them.

There a mill that is closed and the man it takes are two moves: `d6-d7`, then `xa1`. We say
`d6-d7xa1` or both words, and understand everything: also the hyphen left out, and the older
`(3,1)->(2,1)` and `-(1,6)` with ring and place in brackets.
"""

import re
from typing import Any

from ludus.core.errors import BadMove, quoted
from ludus.games.nine_mens_morris.board import POINTS, point
from ludus.games.nine_mens_morris.move import Move
from ludus.games.nine_mens_morris.notation import read_points, to_sanmill
from ludus.protocol.speech import Speech, Turn

LONGEST_WORD = 30

_PLACE = r"\(([1-3]),([1-8])\)"
_OLD_PLACE = re.compile(_PLACE)
_OLD = re.compile(rf"(?:{_PLACE}(?:->{_PLACE})?)?(?:-{_PLACE})?")


class MorrisSpeech(Speech):
    """Moves that may be said in two words."""

    def read(self, turn: Turn, word: str) -> tuple[Any, bool]:
        wanted = _modern(word.lower()) if len(word) <= LONGEST_WORD else word
        if turn.begun is not None or wanted.startswith("x"):
            return self._taking(turn, wanted), True
        points = read_points(wanted)
        for move in turn.position.legal_moves():
            parts = [number for number in move if number is not None]
            if parts == [*points]:
                return move, True
            if move.take is not None and parts[:-1] == [*points]:
                return move._replace(take=None), False
        return super().read(turn, wanted)  # which says what is wrong

    def _taking(self, turn: Turn, word: str) -> Move:
        if turn.begun is None:
            raise BadMove(f"{quoted(word)} takes a man, but no mill was closed before it")
        for move in self.choices(turn):
            if word == f"x{POINTS[move.take]}":
                return Move(*move)
        shown = ", ".join(f"x{POINTS[move.take]}" for move in self.choices(turn)[:3])
        raise BadMove(
            f"{quoted(word)} cannot follow {turn.begun}: a man is to be taken, as {shown}"
        )

    def choices(self, turn: Turn) -> list[Any]:
        moves = super().choices(turn)
        if turn.begun is None:
            return moves
        return [
            move
            for move in moves
            if move.take is not None and move._replace(take=None) == turn.begun
        ]

    def words(self, move: Any, begun: Any = None, *, apart: bool = False) -> tuple[str, ...]:
        taking = () if move.take is None else (f"x{POINTS[move.take]}",)
        if begun is not None:
            return taking
        whole = str(move)
        return (str(move._replace(take=None)), *taking) if apart else (whole,)

    def foreign_text(self, position: Any) -> str:
        """Sanmill's FEN."""
        return to_sanmill(position)


def _modern(word: str) -> str:
    """Rings and places in brackets as points with names; other words stay as they are."""
    match = _OLD.fullmatch(word) if "(" in word else None
    if match is None:
        return word
    names = [_name(ring, place) for ring, place in _OLD_PLACE.findall(word)]
    is_taking = match[5] is not None
    taken = f"x{names.pop()}" if is_taking else ""
    return "-".join(names) + taken


def _name(ring: str, place: str) -> str:
    """Ring 1 is the inner one; place 1 is in the middle of its upper side, then clockwise.

    >>> _name("1", "1"), _name("3", "8")
    ('d5', 'a7')
    """
    return POINTS[point(3 - int(ring), int(place))]
