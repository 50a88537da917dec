"""Moves that close, open and block mills: what the heuristic players look for.

The players are those of Vrajitoru's paper on a Bayesian network for Nine Men's Morris (section 3).
Where the paper leaves a choice, it is read as follows, here and in the compiled twin
(`native/core/morris/heuristics.hpp`), unless options say otherwise (`mill_readings`):

- A side places while it has men in hand, and moves afterwards. Where rules allow a side with men
  in hand to move one on the board instead, that is part of its placing phase.
- A closing move makes a mill, whether or not there is a man that may be taken.
- An opening move takes a man out of a mill. It can be closed in the next turn if the man can step
  back, so the other side must not be able to step into the gap: it has no man beside it, cannot
  fly and has nothing to place.
- A blocking move occupies a point on which the other side could close a mill if it were to move.
- Among the moves of the kind that is wanted each one is as likely as any other, and moves that
  differ only in the man they take are different moves. So is any legal move where none is wanted.
"""

from collections.abc import Sequence
from typing import Any

from ludus.games.nine_mens_morris.board import mills, neighbours
from ludus.games.nine_mens_morris.move import Move


def is_placing(position: Any) -> bool:
    """Whether the mover has men in hand."""
    return bool(position.hands[position.mover] > 0)


def closing_moves(position: Any, moves: Sequence[Move]) -> list[Move]:
    """The moves that make a mill."""
    own = position.men[position.mover]
    return [m for m in moves if m.to is not None and _makes_mill(position, own - {m.frm}, m.to)]


def opening_moves(position: Any, moves: Sequence[Move], *, is_bold: bool = False) -> list[Move]:
    """The moves out of a mill into which the man can step back; all of them if it is bold."""
    own = position.men[position.mover]
    in_mills = {man for mill in mills(position.rules.diagonals) if own >= set(mill) for man in mill}
    return [m for m in moves if m.frm in in_mills and (is_bold or not _can_enter(position, m.frm))]


def blocking_moves(position: Any, moves: Sequence[Move]) -> list[Move]:
    """The moves to points on which the other side could close a mill."""
    threatened = _closing_points(position, 1 - position.mover)
    return [m for m in moves if m.to in threatened]


def _makes_mill(position: Any, others: frozenset[int], point: int) -> bool:
    """Whether a man on this point stands in a mill with two of the others."""
    lines = mills(position.rules.diagonals)
    return any(point in mill and others >= set(mill) - {point} for mill in lines)


def _goes_anywhere(position: Any, side: int) -> bool:
    """Whether a side may bring a man to every free point."""
    if position.hands[side] > 0:
        return True
    return bool(position.rules.flying and len(position.men[side]) <= 3)


def _can_enter(position: Any, gap: int) -> bool:
    """Whether the side that is not to move could step on this point once it is free."""
    other = 1 - position.mover
    if _goes_anywhere(position, other):
        return True
    return not position.men[other].isdisjoint(neighbours(position.rules.diagonals)[gap])


def _closing_points(position: Any, side: int) -> set[int]:
    """The points on which a side could close a mill if it were to move."""
    men, rules = position.men[side], position.rules
    free = set(range(24)) - position.men[0] - position.men[1]
    found: set[int] = set()
    if position.hands[side] > 0:
        found |= {to for to in free if _makes_mill(position, men, to)}
        if not rules.place_or_move:
            return found
    flies = rules.flying and position.hands[side] == 0 and len(men) <= 3
    for frm in men:
        targets = free if flies else free.intersection(neighbours(rules.diagonals)[frm])
        found |= {to for to in targets if _makes_mill(position, men - {frm}, to)}
    return found
