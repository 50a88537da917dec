"""What a look at the lines of the board tells: mills to close or to block, men that can move.

Everything is of the board without diagonals and of the standard rules, for many boards at once.
Each function answers with 24 columns of 0 and 1, the points in reading order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER, mills, neighbours

Boards = NDArray[np.uint32]
Bits = NDArray[np.uint8]
Mask = NDArray[np.bool_]

BATCH = 512
"""Boards that are looked at together; with more the tables leave the cache and take ten times as
long."""

ALL_POINTS = np.uint32((1 << len(POINTS)) - 1)

_MILLS = [sum(1 << place for place in mill) for mill in mills(diagonals=False)]
_BIT = np.array([1 << place for place in READING_ORDER], dtype=np.uint32)
_NEAR = np.array(
    [sum(1 << near for near in neighbours(diagonals=False)[place]) for place in READING_ORDER],
    dtype=np.uint32,
)
_LINES = np.array(
    [[mill for mill in _MILLS if mill >> place & 1] for place in READING_ORDER], dtype=np.uint32
)
"""Shape (24, 2): the two mills through each point."""


class Side(NamedTuple):
    """The men of one side and what its enemy leaves it, each of shape (boards,)."""

    men: Boards
    free: Boards
    """The points where nobody stands."""

    places: Mask
    """Whether it has men in hand."""

    flies: Mask
    """Whether it has none in hand and three or fewer on the board."""

    def part(self, which: slice) -> "Side":
        """Some of the boards."""
        return Side(self.men[which], self.free[which], self.places[which], self.flies[which])


def features(own: Side, other: Side) -> Bits:
    """Twelve sets of 24 columns, see `NAMES`; what concerns the enemy is as if it were to move."""
    found = []
    for first in range(0, len(own.men), BATCH):
        batch = slice(first, first + BATCH)
        found.append(_features(own.part(batch), other.part(batch)))
    return np.concatenate(found) if found else np.zeros((0, len(NAMES) * len(POINTS)), np.uint8)


NAMES = (
    "free point where the mover closes a mill with its next move",
    "free point where the enemy would close a mill",
    "man of the mover that can close a mill by moving",
    "man of the enemy that could close a mill by moving",
    "man of the mover in a mill",
    "man of the enemy in a mill",
    "free point that a man of the mover can go to",
    "free point that a man of the enemy can go to",
    "man of the mover that can move",
    "man of the enemy that can move",
    "man of the enemy that a mill of the mover may take",
    "man of the mover that a mill of the enemy may take",
)
"""What each set of 24 columns says about a point."""


def _features(own: Side, other: Side) -> Bits:
    columns: list[Mask] = []
    for mine, yours in zip(_of_side(own), _of_side(other), strict=True):
        columns += [mine, yours]
    # Of the last pair, what the enemy may lose comes first: it is the mover who takes now.
    columns[-2:] = columns[:-3:-1]
    return np.concatenate(columns, axis=1, dtype=np.uint8)


def _of_side(side: Side) -> tuple[Mask, Mask, Mask, Mask, Mask, Mask]:
    """Where it closes, who closes, who is in mills, where it can go, who can move, who is bare."""
    men, free = side.men[:, None], side.free[:, None]
    is_man, is_free = men & _BIT != 0, free & _BIT != 0
    ready = (men[:, :, None] & _LINES == _LINES ^ _BIT[:, None]) & is_free[:, :, None]
    walks = (~side.places & ~side.flies)[:, None]
    places, flies = side.places[:, None], side.flies[:, None]
    # The man that closes a mill comes from outside of it.
    outside = men[:, :, None] & ~_LINES
    from_near = ready & (outside & _NEAR[:, None] != 0)
    from_far = ready & (outside != 0)
    closes = np.where(walks[:, :, None], from_near, np.where(places[:, :, None], ready, from_far))
    closers = _closers(ready, is_man, walks) & ~places
    safe = is_man & (men[:, :, None] & _LINES == _LINES).any(axis=2)
    loose = is_man & ~safe
    in_danger = np.where(loose.any(axis=1, keepdims=True), loose, is_man)
    near_men, near_free = men & _NEAR != 0, free & _NEAR != 0
    goals = is_free & (places | np.where(flies, men != 0, near_men))
    movable = is_man & ~places & np.where(flies, free != 0, near_free)
    return closes.any(axis=2), closers, safe, goals, movable, in_danger


def _closers(ready: Mask, is_man: Mask, walks: Mask) -> Mask:
    """Which men can close one of the mills that lack one man."""
    lacking = ready.reshape(len(ready), -1).astype(np.float32)
    can_walk, can_fly = lacking @ _WALKS_TO > 0, lacking @ _FLIES_TO > 0
    found: Mask = is_man & np.where(walks, can_walk, can_fly)
    return found


def _closing(is_near: bool) -> NDArray[np.float32]:
    """Shape (48, 24): whether a man of a point, not of the mill itself, can fill a gap in it."""
    is_outside = _LINES.reshape(-1, 1) & _BIT == 0
    can_go = np.repeat(_NEAR, 2)[:, None] & _BIT != 0
    closes: Mask = is_outside & can_go if is_near else is_outside
    return closes.astype(np.float32)


_WALKS_TO, _FLIES_TO = _closing(True), _closing(False)
