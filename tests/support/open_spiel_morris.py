"""OpenSpiel's Nine Men's Morris in our notation.

It splits a turn that closes a mill into two actions, a move and a capture; it has no repetition
rule; and it calls every game a draw after 200 turns.
"""

from collections.abc import Iterator
from typing import Any

import pyspiel

from ludus.games.nine_mens_morris.board import READING_ORDER, Move

GAME = pyspiel.load_game("nine_mens_morris")
SLIDES = 24
"""Actions below this number are points; the others are 24 + 24 * from + to."""


def turns(state: Any) -> Iterator[tuple[Move, Any]]:
    """Each whole turn with the state after it."""
    mover = state.current_player()
    for action in state.legal_actions():
        frm, to = _points(action)
        after = state.child(action)
        if after.is_terminal() or after.current_player() != mover:
            yield Move(frm, to, None), after
            continue
        for capture in after.legal_actions():
            yield Move(frm, to, READING_ORDER[capture]), after.child(capture)


def perft(state: Any, depth: int) -> int:
    """The number of sequences of whole turns."""
    if state.is_terminal():
        return 0
    if depth == 1:
        return sum(1 for _ in turns(state))
    return sum(perft(after, depth - 1) for _, after in turns(state))


def _points(action: int) -> tuple[int | None, int]:
    if action < SLIDES:
        return None, READING_ORDER[action]
    frm, to = divmod(action - SLIDES, 24)
    return READING_ORDER[frm], READING_ORDER[to]
