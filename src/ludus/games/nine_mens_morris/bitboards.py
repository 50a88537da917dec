"""Operations on many bitboards at once: counts, mills, neighbours and symmetries.

Bit i of a board is point i of `ludus.games.nine_mens_morris.board`. Boards are int32, because torch
has no operations on uint32; their 24 bits are never negative.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import (
    NUM_POINTS,
    SYMMETRIES,
    mills,
    neighbours,
    point_at,
)
from ludus.games.nine_mens_morris.rules import Rules

Array = Any
"""A numpy array or a torch tensor."""

Boards = NDArray[np.int32]
Mask = NDArray[np.bool_]

ALL_POINTS = (1 << NUM_POINTS) - 1

RING_SWAP: tuple[int, ...] = tuple(
    point_at((1, 0, 2)[ring], place) for ring in range(3) for place in range(8)
)
"""Swap of the outer and the middle ring.

It does not preserve the order of the lines across the rings, so it is a symmetry of the rules only
where all men fly.
"""


def count_men(boards: Array) -> Array:
    """Return the number of men on each board; bits beyond its points are ignored."""
    # Sums of neighbouring bits, then of pairs, of fours and of bytes, in numpy and torch alike.
    pairs = (boards & 0x555555) + (boards >> 1 & 0x555555)
    fours = (pairs & 0x333333) + (pairs >> 2 & 0x333333)
    eights = (fours + (fours >> 4)) & 0x0F0F0F
    return (eights + (eights >> 8) + (eights >> 16)) & 0x1F


def find_phases(boards: Boards, hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 1 where a side has men in hand; else 3 if it has three men or fewer, else 2."""
    moving = np.where(count_men(boards) <= 3, 3, 2)
    return np.where(hands > 0, 1, moving).astype(np.uint8)


def point_bits(points: NDArray[np.integer[Any]]) -> Boards:
    """Return points as boards; NO_POINT is an empty board."""
    boards: Boards = _BITS[points]
    return boards


@cache
def mill_masks(diagonals: bool) -> Boards:
    """Return every mill as a board."""
    return _make_boards(mills(diagonals))


@cache
def neighbour_masks(diagonals: bool) -> Boards:
    """Return the neighbours of each point as a board, shape (25,); NO_POINT has none."""
    return _make_boards([*neighbours(diagonals), ()])


def men_in_mills(men: Boards, diagonals: bool) -> Boards:
    """Return those of the men that are in a mill."""
    found = np.zeros_like(men)
    for mill in mill_masks(diagonals):
        found |= np.where(men & mill == mill, mill, np.int32(0))
    return found


def closes_mill(men: Boards, to: NDArray[np.int8], diagonals: bool) -> Mask:
    """Return whether the man on `to` is in a mill; `men` are those after the move."""
    found: Mask = men_in_mills(men, diagonals) & point_bits(to) != 0
    return found


def removable_men(men: Boards, rules: Rules) -> Boards:
    """Return those of the men that the enemy may take on closing a mill."""
    if rules.take_from_mills == "always":
        return men
    loose = men & ~men_in_mills(men, rules.diagonals)
    return loose if rules.take_from_mills == "never" else np.where(loose == 0, men, loose)


def transform_boards(boards: Boards, permutation: Sequence[int]) -> Boards:
    """Return the images of boards under a permutation of the points."""
    low, high = _make_half_tables(tuple(permutation))
    found: Boards = low[boards & 0xFFF] | high[boards >> 12]
    return found


def find_least_images(own: Array, other: Array) -> tuple[Array, Array]:
    """Return the least of the 16 images of pairs of boards, and the symmetry that leads to it.

    Images are compared as numbers, `own << 24 | other`, int64. The symmetry, an index in
    SYMMETRIES, is the first one that leads there. Columns may be numpy arrays or torch tensors.
    """
    if isinstance(own, np.ndarray):
        low, high = _make_symmetry_tables()
        mine, theirs = (low[:, each & 0xFFF] | high[:, each >> 12] for each in (own, other))
        images = mine << NUM_POINTS | theirs
        return images.min(axis=0), images.argmin(axis=0)
    halves = [(board & 0xFFF, board >> 12) for board in (own, other)]
    least = (own.long() << NUM_POINTS) | other
    low, high = _find_symmetry_tensors(least)
    symmetry = least.new_zeros(least.shape)
    # One symmetry after the other, because batches on a GPU are large.
    for number in range(1, len(SYMMETRIES)):
        mine, theirs = (low[number][lower] | high[number][upper] for lower, upper in halves)
        image = mine << NUM_POINTS | theirs
        symmetry.masked_fill_(image < least, number)
        least = least.minimum(image)
    return least, symmetry


@cache
def _make_symmetry_tables() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the images of lower and upper half boards, shape (16, 4096) each."""
    tables = [_make_half_tables(image) for image in SYMMETRIES]
    low, high = (np.array(halves, np.int64) for halves in zip(*tables, strict=True))
    return low, high


def _find_symmetry_tensors(keys: Any) -> tuple[Any, Any]:
    """Return the tables as tensors on the device of these ones, int64; they are copied once."""
    if keys.device not in _SYMMETRY_TENSORS:
        low, high = (keys.new_tensor(table) for table in _make_symmetry_tables())
        _SYMMETRY_TENSORS[keys.device] = low, high
    return _SYMMETRY_TENSORS[keys.device]


_SYMMETRY_TENSORS: dict[Any, tuple[Any, Any]] = {}
"""Tables of `_make_symmetry_tables` by device of torch, which this package does not import."""


@cache
def _make_half_tables(permutation: tuple[int, ...]) -> tuple[Boards, Boards]:
    """Return the images of all subsets of the lower and of the upper twelve points."""
    sets = np.arange(1 << 12, dtype=np.int32)
    halves = []
    for first in (0, 12):
        found = np.zeros_like(sets)
        for place in range(12):
            found |= (sets >> place & 1) << permutation[first + place]
        halves.append(found)
    return halves[0], halves[1]


def _make_boards(sets: Iterable[Iterable[int]]) -> Boards:
    return np.array([sum(1 << point for point in points) for points in sets], dtype=np.int32)


_BITS = _make_boards([*((point,) for point in range(NUM_POINTS)), ()])
