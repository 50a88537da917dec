"""Move notation of the text protocol: one word per move, in the notation of the game.

Spaces within a move become commas, as in backgammon's `8/5,6/5`. A dice roll is a word among the
moves, as in `moves 31 8/5,6/5 64`.
"""

import re
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import BadMove, quote
from ludus.core.game import AnyGame
from ludus.games.nine_mens_morris.board import POINTS, Move, point_at
from ludus.games.nine_mens_morris.notation import parse_points, to_sanmill


@dataclass(frozen=True, slots=True)
class TurnState:
    """A position and the part of an incomplete move that the mover has already made."""

    position: Any

    partial_move: Any = None
    """A move without its capture; None at the beginning of a turn."""


class MoveNotation:
    """Conversion between the moves of a game and protocol words."""

    def __init__(self, game: AnyGame) -> None:
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
        self, move: Any, partial_move: Any = None, *, separate_captures: bool = False
    ) -> tuple[str, ...]:
        """Format a move, or the rest of a partial one; several words if `separate_captures`."""
        return (str(move).replace(" ", ","),)

    def format_position(self, position: Any) -> str:
        """Format the position as other programs for this game write it."""
        return str(position)


def get_notation(game: AnyGame) -> MoveNotation:
    """Return the move notation of this game."""
    if game.id == "nine_mens_morris":
        return MorrisMoveNotation(game)
    return MoveNotation(game)


MAX_WORD_LENGTH = 30

_RING_PLACE = r"\(([1-3]),([1-8])\)"
_OLD_PLACE_PATTERN = re.compile(_RING_PLACE)
_OLD_MOVE_PATTERN = re.compile(rf"(?:{_RING_PLACE}(?:->{_RING_PLACE})?)?(?:-{_RING_PLACE})?")


class MorrisMoveNotation(MoveNotation):
    """Move notation of the Morris family, compatible with Sanmill and related programs.

    Those programs write a move that closes a mill and its capture as two moves: `d6-d7`, then
    `xa1`. Output is `d6-d7xa1` or both words. Input accepts either, an omitted hyphen, and the
    older `(3,1)->(2,1)` and `-(1,6)` with ring and place in brackets.
    """

    def parse(self, turn: TurnState, word: str) -> tuple[Any, bool]:
        wanted = _to_point_names(word.lower()) if len(word) <= MAX_WORD_LENGTH else word
        if turn.partial_move is not None or wanted.startswith("x"):
            return self._parse_capture(turn, wanted), True
        points = parse_points(wanted)
        for move in turn.position.legal_moves():
            parts = [number for number in move if number is not None]
            if parts == [*points]:
                return move, True
            if move.take is not None and parts[:-1] == [*points]:
                return move._replace(take=None), False
        return super().parse(turn, wanted)  # raises the error that explains what is wrong

    def _parse_capture(self, turn: TurnState, word: str) -> Move:
        if turn.partial_move is None:
            raise BadMove(f"{quote(word)} takes a man, but no mill was closed before it")
        for move in self.list_continuations(turn):
            if word == f"x{POINTS[move.take]}":
                return Move(*move)
        shown = ", ".join(f"x{POINTS[move.take]}" for move in self.list_continuations(turn)[:3])
        raise BadMove(
            f"{quote(word)} cannot follow {turn.partial_move}: a man is to be taken, as {shown}"
        )

    def list_continuations(self, turn: TurnState) -> list[Any]:
        moves = super().list_continuations(turn)
        if turn.partial_move is None:
            return moves
        return [
            move
            for move in moves
            if move.take is not None and move._replace(take=None) == turn.partial_move
        ]

    def format_words(
        self, move: Any, partial_move: Any = None, *, separate_captures: bool = False
    ) -> tuple[str, ...]:
        taking = () if move.take is None else (f"x{POINTS[move.take]}",)
        if partial_move is not None:
            return taking
        whole = str(move)
        return (str(move._replace(take=None)), *taking) if separate_captures else (whole,)

    def format_position(self, position: Any) -> str:
        """Sanmill's FEN."""
        return to_sanmill(position)


def _to_point_names(word: str) -> str:
    """Replace rings and places in brackets by point names; return other words unchanged."""
    match = _OLD_MOVE_PATTERN.fullmatch(word) if "(" in word else None
    if match is None:
        return word
    names = [_get_point_name(ring, place) for ring, place in _OLD_PLACE_PATTERN.findall(word)]
    is_taking = match[5] is not None
    taken = f"x{names.pop()}" if is_taking else ""
    return "-".join(names) + taken


def _get_point_name(ring: str, place: str) -> str:
    """Return the name of a point; ring 1 is the inner one, place 1 its top middle, then clockwise.

    >>> _get_point_name("1", "1"), _get_point_name("3", "8")
    ('d5', 'a7')
    """
    return POINTS[point_at(3 - int(ring), int(place))]
