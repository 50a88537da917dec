"""What is said to a state: the move, or what is wrong with it."""

import re
from typing import Any

from ludus.core.errors import BadPosition, LudusError, quoted
from ludus.core.game import AnyGame
from ludus.games.nine_mens_morris import to_thesis_move
from ludus.games.nine_mens_morris.board import READING_ORDER
from ludus.games.nine_mens_morris.move import Move
from ludus.protocol.thesis_states import Dialect

STATE = re.compile("[OME]{24}[0-9]{4}")


def position_of(text: str, game: AnyGame) -> Any:
    """The position that a state stands for, the side to move as White; LudusError otherwise."""
    if not STATE.fullmatch(text):
        raise BadPosition(f"{quoted(text)} is not 24 letters O, M or E and four digits")
    position = game.parse(text)
    outcome = position.outcome()
    if outcome is not None:
        raise BadPosition(f"{quoted(text)} has no move: the game is over ({outcome.reason})")
    return position


def written(move: Move, dialect: Dialect) -> bytes:
    """A move as the thesis's datasets have it or, in 2018, as the numbers of TO, FROM and REMOVE.

    Points are numbered from 1 in reading order; 0 is none.
    """
    if dialect == "2018":
        return "".join(f"{_NUMBER[part]}\n" for part in (move.to, move.frm, move.take)).encode()
    if move.to is None:
        return complaint(LudusError(f"the player chose {quoted(str(move))}, which no line can say"))
    return f"{to_thesis_move(move)}\n".encode()


def complaint(error: Exception) -> bytes:
    """One line that says what is wrong."""
    return f"error: {' '.join(str(error).split())}\n".encode("ascii", "backslashreplace")


_NUMBER: dict[int | None, int] = {
    None: 0,
    **{point: number for number, point in enumerate(READING_ORDER, start=1)},
}
