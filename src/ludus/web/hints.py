"""Hints on the board: the best moves as numbered arrows, each with what it costs."""

from collections.abc import Mapping, Sequence
from typing import Any

from ludus.core.pictures import Note
from ludus.web.boards.board import Board
from ludus.web.seen import short

MOST = 4
"""Moves that are shown."""

GOOD, BAD = 2, 3
RANKS = (GOOD, 0, 4, 6)
"""Colours of the ranks where nobody knows what a move costs."""

COSTS = ("", " −½", " −1")
"""What a move gives away, in points, of which a win is one."""

Advised = Mapping[str, Any]
"""A move, and its cost or the score that a player gives it."""


def hint_notes(board: Board, position: Any, advised: Sequence[Advised]) -> tuple[Note, ...]:
    """The first moves of an advice, best first; moves that differ in whom they take are one."""
    legal = {str(move): board.ways(move) for move in position.legal_moves()}
    shown: dict[tuple[tuple[str, ...], ...], tuple[Note, ...]] = {}
    for each in advised:
        ways = legal.get(each["move"], ())
        if ways and ways not in shown and len(shown) < MOST:
            rank = len(shown)
            text = f"{rank + 1}{_cost(each, advised[0])}"
            colour = RANKS[rank] if "cost" not in each else BAD if each["cost"] else GOOD
            # The text stands on a way of its own, where the move has one.
            taken = {way for other in shown for way in other}
            own = next((way for way in ways if way not in taken), ways[0])
            shown[ways] = tuple(
                Note(way, text if way == own else "", colour=colour) for way in ways
            )
    # The best ones lie on top.
    return tuple(note for notes in reversed(shown.values()) for note in notes)


def _cost(each: Advised, best: Advised) -> str:
    """What a move gives away: exactly, or against the score of the best."""
    if "cost" in each:
        return COSTS[each["cost"]]
    score, highest = each.get("score"), best.get("score")
    if score is None or highest is None or score >= highest:
        return ""
    return f" −{short(highest - score)}"
