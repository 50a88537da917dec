"""Many boards at once: seen through symmetries, and the men that stand in mills."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.entries import NONE, Entries
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES, mills, neighbours, point

Boards = NDArray[np.uint32]

RING_SWAP: tuple[int, ...] = tuple(
    point((1, 0, 2)[ring], place) for ring in range(3) for place in range(8)
)
"""Outer and middle ring change places. Lines across the rings are not kept in their order, so
this keeps the rules only where all men fly."""

ALL_POINTS = (1 << len(POINTS)) - 1


@cache
def _halves(permutation: tuple[int, ...]) -> tuple[Boards, Boards]:
    """What becomes of the lower and the upper twelve points, for every set of them."""
    sets = np.arange(1 << 12, dtype=np.uint32)
    halves = []
    for first in (0, 12):
        found = np.zeros_like(sets)
        for place in range(12):
            found |= (sets >> place & 1) << np.uint32(permutation[first + place])
        halves.append(found)
    return halves[0], halves[1]


def transformed(boards: Boards, permutation: Sequence[int]) -> Boards:
    """Boards seen through a permutation of the points."""
    low, high = _halves(tuple(permutation))
    found: Boards = low[boards & 0xFFF] | high[boards >> 12]
    return found


def seen_through(entries: Entries, permutation: Sequence[int]) -> Entries:
    """Entries, moves included, seen through a permutation of the points."""
    points = np.array([*permutation, NONE], dtype=np.int8)
    return Entries(
        transformed(entries.own, permutation),
        transformed(entries.other, permutation),
        entries.own_hand,
        entries.other_hand,
        points[entries.to],
        points[entries.frm],
        points[entries.take],
    )


def state_keys(entries: Entries) -> NDArray[np.uint64]:
    """One number for each state, different for different ones."""
    return _keys(entries, entries.own, entries.other)


def canonical_keys(entries: Entries) -> NDArray[np.uint64]:
    """One number for each state, the same for states that are symmetric to each other."""
    keys = state_keys(entries)
    for symmetry in SYMMETRIES[1:]:
        boards = (transformed(board, symmetry) for board in (entries.own, entries.other))
        keys = np.minimum(keys, _keys(entries, *boards))
    return keys


def _keys(entries: Entries, own: Boards, other: Boards) -> NDArray[np.uint64]:
    hands = entries.own_hand.astype(np.uint64) << np.uint64(4) | entries.other_hand
    boards = own.astype(np.uint64) << np.uint64(24) | other
    return boards << np.uint64(8) | hands


@cache
def mill_masks(diagonals: bool) -> Boards:
    """Every mill as a board."""
    return np.array(
        [sum(1 << place for place in mill) for mill in mills(diagonals)], dtype=np.uint32
    )


@cache
def neighbour_masks(diagonals: bool) -> Boards:
    """For each point its neighbours as a board."""
    return np.array(
        [sum(1 << place for place in near) for near in neighbours(diagonals)], dtype=np.uint32
    )


def in_mills(men: Boards, diagonals: bool) -> Boards:
    """Those of the men that stand in a mill."""
    found = np.zeros_like(men)
    for mill in mill_masks(diagonals):
        found |= np.where(men & mill == mill, mill, np.uint32(0))
    return found


def closes_mill(men: Boards, to: NDArray[np.int8], diagonals: bool) -> NDArray[np.bool_]:
    """Whether the man on `to` stands in a mill; `men` are those after the move."""
    found: NDArray[np.bool_] = in_mills(men, diagonals) & bit(to) != 0
    return found


def bit(points: NDArray[np.int8]) -> Boards:
    """Points as boards; NONE is an empty one."""
    return _BITS[points]


_BITS = np.array([*(1 << place for place in range(len(POINTS))), 0], dtype=np.uint32)
"""The last one answers for NONE."""
