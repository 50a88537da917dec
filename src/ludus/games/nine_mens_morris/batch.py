"""Batches of Morris positions and moves as columns, for computations with numpy.

Boards are bitboards, bit i for point i of `ludus.games.nine_mens_morris.board`, as the oracle and
the native rules take them. This module imports no native code at the top level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import (
    POINTS,
    READING_ORDER,
    SYMMETRIES,
    mills,
    neighbours,
    point_at,
)
from ludus.games.nine_mens_morris.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable


def count_men(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the number of men on each board; bits beyond its points are ignored."""
    low, high = boards & 0xFFF, boards >> 12 & 0xFFF
    numbers: NDArray[np.uint32] = _BIT_COUNTS[low] + _BIT_COUNTS[high]
    return numbers


_BIT_COUNTS = np.array([number.bit_count() for number in range(1 << 12)], dtype=np.uint32)


NO_POINT = -1
"""Stands for a part that a move does not have."""

PARTS = ("TO", "FROM", "REMOVE")
NUM_CLASSES = 1 + len(POINTS)


@dataclass(frozen=True, slots=True, eq=False)
class MoveBatch:
    """Positions with one move each, for the side to move. NO_POINT as `to` means no move."""

    own: NDArray[np.uint32]
    """The mover's men."""

    other: NDArray[np.uint32]
    """The other side's men."""

    own_hand: NDArray[np.uint8]
    """The mover's number of men in hand."""

    other_hand: NDArray[np.uint8]

    to: NDArray[np.int8]
    """The point a man goes to."""

    frm: NDArray[np.int8]
    """The point it leaves; NO_POINT when it comes from the hand."""

    take: NDArray[np.int8]
    """The point from which a man of the other side is taken, or NO_POINT."""

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, which: Any) -> Self:
        """Return some of the entries, by slice, mask or indices."""
        return type(self)(*(column[which] for column in self.columns))

    @property
    def columns(self) -> list[NDArray[Any]]:
        """The arrays, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def concatenate(cls, parts: "Iterable[MoveBatch]") -> Self:
        """Concatenate several batches."""
        columns = zip(*(part.columns for part in parts), strict=True)
        arrays = [np.concatenate(column) for column in columns]
        return cls(*arrays) if arrays else cls.empty()

    @classmethod
    def empty(cls) -> Self:
        board, hand = np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8)
        point = np.empty(0, dtype=np.int8)
        return cls(board, board, hand, hand, point, point, point)

    @property
    def own_men(self) -> NDArray[np.uint8]:
        """Return the mover's number of men on the board."""
        return count_men(self.own).astype(np.uint8)

    @property
    def other_men(self) -> NDArray[np.uint8]:
        return count_men(self.other).astype(np.uint8)

    @property
    def has_move(self) -> NDArray[np.bool_]:
        has: NDArray[np.bool_] = self.to != NO_POINT
        return has

    @property
    def phases(self) -> NDArray[np.uint8]:
        """Return 1 while the mover has men in hand; then 3 if it has three men or fewer, else 2."""
        moving = np.where(self.own_men <= 3, 3, 2)
        return np.where(self.own_hand > 0, 1, moving).astype(np.uint8)

    @property
    def classes(self) -> NDArray[np.int8]:
        """Return the moves as classes, shape (entries, 3): TO, FROM and REMOVE.

        0 is no such part, 1 to 24 are the points in reading order, as Galassi (2018) numbers them.
        """
        return _CLASS_OF_POINT[np.stack([self.to, self.frm, self.take], axis=1)]


_CLASS_OF_POINT = np.zeros(NUM_CLASSES, dtype=np.int8)
"""Point to class; the last entry is for NO_POINT, which is -1."""
np.put(_CLASS_OF_POINT, READING_ORDER, np.arange(1, NUM_CLASSES))

POINT_OF_CLASS: NDArray[np.int8] = np.array([NO_POINT, *READING_ORDER], dtype=np.int8)
"""Class to point."""


Boards = NDArray[np.uint32]

RING_SWAP: tuple[int, ...] = tuple(
    point_at((1, 0, 2)[ring], place) for ring in range(3) for place in range(8)
)
"""Swap of the outer and the middle ring.

It does not preserve the order of the lines across the rings, so it is a symmetry of the rules only
where all men fly.
"""

ALL_POINTS = (1 << len(POINTS)) - 1


@cache
def _make_half_tables(permutation: tuple[int, ...]) -> tuple[Boards, Boards]:
    """Return the images of all subsets of the lower and of the upper twelve points."""
    sets = np.arange(1 << 12, dtype=np.uint32)
    halves = []
    for first in (0, 12):
        found = np.zeros_like(sets)
        for place in range(12):
            found |= (sets >> place & 1) << np.uint32(permutation[first + place])
        halves.append(found)
    return halves[0], halves[1]


def transform_boards(boards: Boards, permutation: Sequence[int]) -> Boards:
    """Return the images of boards under a permutation of the points."""
    low, high = _make_half_tables(tuple(permutation))
    found: Boards = low[boards & 0xFFF] | high[boards >> 12]
    return found


def transform_moves(entries: MoveBatch, permutation: Sequence[int]) -> MoveBatch:
    """Return the images of entries, moves included, under a permutation of the points."""
    points = np.array([*permutation, NO_POINT], dtype=np.int8)
    return MoveBatch(
        transform_boards(entries.own, permutation),
        transform_boards(entries.other, permutation),
        entries.own_hand,
        entries.other_hand,
        points[entries.to],
        points[entries.frm],
        points[entries.take],
    )


def state_keys(entries: MoveBatch) -> NDArray[np.uint64]:
    """Return a number that identifies each state."""
    return _make_keys(entries, entries.own, entries.other)


def canonical_keys(entries: MoveBatch) -> NDArray[np.uint64]:
    """Return a number that identifies each state up to symmetry."""
    keys = state_keys(entries)
    for symmetry in SYMMETRIES[1:]:
        boards = (transform_boards(board, symmetry) for board in (entries.own, entries.other))
        keys = np.minimum(keys, _make_keys(entries, *boards))
    return keys


def _make_keys(entries: MoveBatch, own: Boards, other: Boards) -> NDArray[np.uint64]:
    hands = entries.own_hand.astype(np.uint64) << np.uint64(4) | entries.other_hand
    boards = own.astype(np.uint64) << np.uint64(24) | other
    return boards << np.uint64(8) | hands


@cache
def mill_masks(diagonals: bool) -> Boards:
    """Return every mill as a board."""
    return np.array(
        [sum(1 << place for place in mill) for mill in mills(diagonals)], dtype=np.uint32
    )


@cache
def neighbour_masks(diagonals: bool) -> Boards:
    """Return the neighbours of each point as a board."""
    return np.array(
        [sum(1 << place for place in near) for near in neighbours(diagonals)], dtype=np.uint32
    )


def men_in_mills(men: Boards, diagonals: bool) -> Boards:
    """Return those of the men that are in a mill."""
    found = np.zeros_like(men)
    for mill in mill_masks(diagonals):
        found |= np.where(men & mill == mill, mill, np.uint32(0))
    return found


def closes_mill(men: Boards, to: NDArray[np.int8], diagonals: bool) -> NDArray[np.bool_]:
    """Return whether the man on `to` is in a mill; `men` are those after the move."""
    found: NDArray[np.bool_] = men_in_mills(men, diagonals) & point_bits(to) != 0
    return found


def point_bits(points: NDArray[np.int8]) -> Boards:
    """Return points as boards; NO_POINT is an empty board."""
    return _BITS[points]


_BITS = np.array([*(1 << place for place in range(len(POINTS))), 0], dtype=np.uint32)
"""The last entry is for NO_POINT."""


HAND_ROW = len(POINTS)
"""Row of steps for men from the hand; they never mix with other steps, so the order is kept."""


class LegalMoves(NamedTuple):
    """Moves of many positions, those of one position consecutively."""

    entry: NDArray[np.intp]
    """Index of the position."""

    moves: MoveBatch
    """The position, repeated, with the move."""


def legal_moves(entries: MoveBatch, rules: Rules) -> LegalMoves:
    """Return all legal moves of all positions, each position's in the order of its rules.

    A position that is over for lack of men or moves has none. `rules` must fit the line format, see
    `ludus.datasets.morris.validation.check_rules`.
    """
    entry, frm, to = np.nonzero(_find_steps(entries, rules))
    steps = _set_moves(entries[entry], np.where(frm == HAND_ROW, NO_POINT, frm), to)
    closes = closes_mill(men_after(steps), steps.to, rules.diagonals)
    removable = np.where(closes, removable_men(steps.other, rules), np.uint32(0))
    # A step that closes a mill becomes one move for each man that may be taken.
    men = np.arange(len(POINTS), dtype=np.uint32)
    choices = np.empty((len(steps), HAND_ROW + 1), dtype=bool)
    choices[:, :HAND_ROW] = removable[:, None] >> men & 1
    choices[:, HAND_ROW] = removable == 0
    step, take = np.nonzero(choices)
    moves = _set_moves(steps[step], steps.frm[step], steps.to[step])
    moves.take[:] = np.where(take == HAND_ROW, NO_POINT, take)
    return LegalMoves(entry[step], moves)


def men_after(entries: MoveBatch) -> Boards:
    """Return the mover's men after the move."""
    return entries.own & ~point_bits(entries.frm) | point_bits(entries.to)


def play_moves(entries: MoveBatch) -> MoveBatch:
    """Return the positions after the moves, from the other side's view, without a move."""
    no_move = np.full(len(entries), NO_POINT, dtype=np.int8)
    return MoveBatch(
        entries.other & ~point_bits(entries.take),
        men_after(entries),
        entries.other_hand,
        entries.own_hand - (entries.frm == NO_POINT),
        no_move,
        no_move,
        no_move,
    )


def removable_men(men: Boards, rules: Rules) -> Boards:
    """Return those of the men that the enemy may take on closing a mill."""
    if rules.take_from_mills == "always":
        return men
    safe = men_in_mills(men, rules.diagonals)
    loose = men & ~safe
    return loose if rules.take_from_mills == "never" else np.where(loose == 0, men, loose)


def can_fly(entries: MoveBatch, rules: Rules) -> NDArray[np.bool_]:
    """Return whether the mover may move a man to any free point."""
    may_fly = (entries.own_hand == 0) & (entries.own_men <= 3)
    return may_fly if rules.flying else np.zeros_like(may_fly)


def has_too_few_men(entries: MoveBatch, rules: Rules) -> NDArray[np.bool_]:
    """Return whether a side has too few men left to play."""
    own, other = entries.own_men + entries.own_hand, entries.other_men + entries.other_hand
    few = rules.lose_below
    return (own < few) | (other < few)


def _find_steps(entries: MoveBatch, rules: Rules) -> NDArray[np.bool_]:
    """Return whether a man may go from a point, or the hand, to a point.

    Shape (entries, 25, 24); row HAND_ROW is the hand.
    """
    free = ~(entries.own | entries.other) & ALL_POINTS
    points = np.arange(len(POINTS), dtype=np.uint32)
    anywhere = can_fly(entries, rules)[:, None]
    reach = np.where(anywhere, np.uint32(ALL_POINTS), neighbour_masks(rules.diagonals))
    is_moving = (entries.own_hand == 0)[:, None] & (entries.own[:, None] >> points & 1 != 0)
    targets = np.zeros((len(entries), HAND_ROW + 1), dtype=np.uint32)
    targets[:, :HAND_ROW] = np.where(is_moving, reach & free[:, None], 0)
    targets[:, HAND_ROW] = np.where(entries.own_hand > 0, free, 0)
    targets[has_too_few_men(entries, rules)] = 0
    steps: NDArray[np.bool_] = (targets[:, :, None] >> points & 1) != 0
    return steps


def _set_moves(entries: MoveBatch, frm: NDArray[Any], to: NDArray[Any]) -> MoveBatch:
    nothing = np.full(len(entries), NO_POINT, dtype=np.int8)
    return replace(entries, to=to.astype(np.int8), frm=frm.astype(np.int8), take=nothing)
