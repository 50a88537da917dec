"""Every legal move of many positions at once, in the order in which the rules list them."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.boards import (
    ALL_POINTS,
    Boards,
    bit,
    closes_mill,
    in_mills,
    neighbour_masks,
)
from ludus.datasets.morris.entries import NONE, Entries
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.rules import Rules

HAND = len(POINTS)
"""The row of steps for men from the hand. They never mix with others, so the order is right."""


class Moves(NamedTuple):
    """Moves of many positions, those of one position in a row."""

    entry: NDArray[np.intp]
    """The number of the position."""

    moves: Entries
    """The position once more, with the move."""


def legal_moves(entries: Entries, rules: Rules) -> Moves:
    """The legal moves of all positions; none where the game is over for lack of men or moves.

    `rules` must fit the line format, see `ludus.datasets.morris.judging.check_rules`.
    """
    entry, frm, to = np.nonzero(_steps(entries, rules))
    steps = _with_moves(entries[entry], np.where(frm == HAND, NONE, frm), to)
    closes = closes_mill(after_step(steps), steps.to, rules.diagonals)
    booty = np.where(closes, takeable(steps.other, rules), np.uint32(0))
    # A mill takes one man out of several, so its step becomes several moves.
    men = np.arange(len(POINTS), dtype=np.uint32)
    choices = np.empty((len(steps), HAND + 1), dtype=bool)
    choices[:, :HAND] = booty[:, None] >> men & 1
    choices[:, HAND] = booty == 0
    step, take = np.nonzero(choices)
    moves = _with_moves(steps[step], steps.frm[step], steps.to[step])
    moves.take[:] = np.where(take == HAND, NONE, take)
    return Moves(entry[step], moves)


def after_step(entries: Entries) -> Boards:
    """The mover's men after the move."""
    return entries.own & ~bit(entries.frm) | bit(entries.to)


def after(entries: Entries) -> Entries:
    """The positions after the moves, as the other side sees them, without a move."""
    no_move = np.full(len(entries), NONE, dtype=np.int8)
    return Entries(
        entries.other & ~bit(entries.take),
        after_step(entries),
        entries.other_hand,
        entries.own_hand - (entries.frm == NONE),
        no_move,
        no_move,
        no_move,
    )


def takeable(men: Boards, rules: Rules) -> Boards:
    """Those of the men that the enemy may take on closing a mill."""
    if rules.take_from_mills == "always":
        return men
    safe = in_mills(men, rules.diagonals)
    loose = men & ~safe
    return loose if rules.take_from_mills == "never" else np.where(loose == 0, men, loose)


def flies(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    """Whether the mover may move a man to any free point."""
    may_fly = (entries.own_hand == 0) & (entries.own_men <= 3)
    return may_fly if rules.flying else np.zeros_like(may_fly)


def has_lost_men(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    """Whether a side has too few men left to play."""
    own, other = entries.own_men + entries.own_hand, entries.other_men + entries.other_hand
    few = rules.lose_below
    return (own < few) | (other < few)


def _steps(entries: Entries, rules: Rules) -> NDArray[np.bool_]:
    """Shape (entries, 25, 24): whether a man may go from a point, or the hand, to a point."""
    free = ~(entries.own | entries.other) & ALL_POINTS
    points = np.arange(len(POINTS), dtype=np.uint32)
    anywhere = flies(entries, rules)[:, None]
    reach = np.where(anywhere, np.uint32(ALL_POINTS), neighbour_masks(rules.diagonals))
    is_moving = (entries.own_hand == 0)[:, None] & (entries.own[:, None] >> points & 1 != 0)
    targets = np.zeros((len(entries), HAND + 1), dtype=np.uint32)
    targets[:, :HAND] = np.where(is_moving, reach & free[:, None], 0)
    targets[:, HAND] = np.where(entries.own_hand > 0, free, 0)
    targets[has_lost_men(entries, rules)] = 0
    steps: NDArray[np.bool_] = (targets[:, :, None] >> points & 1) != 0
    return steps


def _with_moves(entries: Entries, frm: NDArray[Any], to: NDArray[Any]) -> Entries:
    nothing = np.full(len(entries), NONE, dtype=np.int8)
    return replace(entries, to=to.astype(np.int8), frm=frm.astype(np.int8), take=nothing)
