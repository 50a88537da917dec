"""Encode positions as rows of numbers: six input models, their columns, and how the symmetries of
the board permute them.

`docs/nnmm.md` lists every column. The men of the mover come first, then those of the enemy; points
are in reading order, as classes 1 to 24 are. Numbers of men use the thermometer code: 3 out of 9 is
111000000. The parts of the move that are already chosen may follow, see `append_choices`. Features
are those of the board without diagonals under the standard rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import count_men
from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER, mills, neighbours
from ludus.learn.equivariant.group import (
    CLASS_PERMUTATIONS,
    GROUP_ORDER,
    LINE_PERMUTATIONS,
    Permutations,
    concatenate_permutations,
    trivial_permutations,
)
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS

LineBoards = NDArray[np.uint32]

LINE_STATES = tuple((own, other) for own in range(4) for other in range(4 - own))
"""The ten states of a line: men of the mover and men of the enemy on it."""

_LINE_MASKS = np.array(
    [sum(1 << point for point in mill) for mill in mills(diagonals=False)], np.uint32
)

NUM_LINES = len(_LINE_MASKS)
LINES_WIDTH = NUM_LINES * len(LINE_STATES)


def _build_one_hot_line_states() -> NDArray[np.uint8]:
    """Return the one-hot code of row 4 * own + other, shape (16, 10); impossible rows are zero."""
    rows = np.zeros((16, len(LINE_STATES)), dtype=np.uint8)
    for number, (own, other) in enumerate(LINE_STATES):
        rows[4 * own + other, number] = 1
    return rows


_ONE_HOT_LINE_STATES = _build_one_hot_line_states()


def encode_lines(own: LineBoards, other: LineBoards) -> NDArray[np.uint8]:
    """Encode the sixteen lines of each board: one-hot code of ten states each, shape (boards,
    160)."""
    mine, yours = (count_men(men[:, None] & _LINE_MASKS) for men in (own, other))
    found: NDArray[np.uint8] = _ONE_HOT_LINE_STATES[4 * mine + yours].reshape(len(own), LINES_WIDTH)
    return found


Bitboards = NDArray[np.uint32]
FeatureColumns = NDArray[np.uint8]
Mask = NDArray[np.bool_]

FEATURE_BATCH = 512
"""Boards per batch; with more, the arrays leave the cache, which takes ten times as long."""

ALL_POINTS = np.uint32((1 << len(POINTS)) - 1)

_MILL_MASKS = [sum(1 << place for place in mill) for mill in mills(diagonals=False)]
_BIT = np.array([1 << place for place in READING_ORDER], dtype=np.uint32)
_NEIGHBOUR_MASKS = np.array(
    [sum(1 << near for near in neighbours(diagonals=False)[place]) for place in READING_ORDER],
    dtype=np.uint32,
)
_MILLS_THROUGH_POINT = np.array(
    [[mill for mill in _MILL_MASKS if mill >> place & 1] for place in READING_ORDER],
    dtype=np.uint32,
)
"""Shape (24, 2): the two mills through each point."""


class Side(NamedTuple):
    """The men of one side and the conditions for its moves, each of shape (boards,)."""

    men: Bitboards
    free: Bitboards
    """The empty points."""

    places: Mask
    """Whether it has men in hand."""

    flies: Mask
    """Whether it has none in hand and three or fewer on the board."""

    def select(self, which: slice) -> "Side":
        """Return a slice of the boards."""
        return Side(self.men[which], self.free[which], self.places[which], self.flies[which])


def compute_features(own: Side, other: Side) -> FeatureColumns:
    """Compute twelve sets of 24 columns of 0 and 1, see `FEATURE_NAMES`, the points in reading
    order.

    Features of the enemy are computed as if it were to move.
    """
    found = []
    for first in range(0, len(own.men), FEATURE_BATCH):
        batch = slice(first, first + FEATURE_BATCH)
        found.append(_compute_feature_batch(own.select(batch), other.select(batch)))
    return (
        np.concatenate(found)
        if found
        else np.zeros((0, len(FEATURE_NAMES) * len(POINTS)), np.uint8)
    )


FEATURE_NAMES = (
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
"""The meaning of each set of 24 columns for a point."""


def _compute_feature_batch(own: Side, other: Side) -> FeatureColumns:
    columns: list[Mask] = []
    for mine, yours in zip(_compute_side_features(own), _compute_side_features(other), strict=True):
        columns += [mine, yours]
    # Men of the enemy that may be taken come first in the last pair: the mover takes now.
    columns[-2:] = columns[:-3:-1]
    return np.concatenate(columns, axis=1, dtype=np.uint8)


def _compute_side_features(side: Side) -> tuple[Mask, Mask, Mask, Mask, Mask, Mask]:
    """Compute: closing points, closing men, men in mills, reachable points, movable men, removable
    men."""
    men, free = side.men[:, None], side.free[:, None]
    is_man, is_free = men & _BIT != 0, free & _BIT != 0
    ready = (
        men[:, :, None] & _MILLS_THROUGH_POINT == _MILLS_THROUGH_POINT ^ _BIT[:, None]
    ) & is_free[:, :, None]
    walks = (~side.places & ~side.flies)[:, None]
    places, flies = side.places[:, None], side.flies[:, None]
    # The man that closes a mill comes from outside of it.
    outside = men[:, :, None] & ~_MILLS_THROUGH_POINT
    from_near = ready & (outside & _NEIGHBOUR_MASKS[:, None] != 0)
    from_far = ready & (outside != 0)
    closes = np.where(walks[:, :, None], from_near, np.where(places[:, :, None], ready, from_far))
    closers = _find_closers(ready, is_man, walks) & ~places
    safe = is_man & (men[:, :, None] & _MILLS_THROUGH_POINT == _MILLS_THROUGH_POINT).any(axis=2)
    loose = is_man & ~safe
    in_danger = np.where(loose.any(axis=1, keepdims=True), loose, is_man)
    near_men, near_free = men & _NEIGHBOUR_MASKS != 0, free & _NEIGHBOUR_MASKS != 0
    goals = is_free & (places | np.where(flies, men != 0, near_men))
    movable = is_man & ~places & np.where(flies, free != 0, near_free)
    return closes.any(axis=2), closers, safe, goals, movable, in_danger


def _find_closers(ready: Mask, is_man: Mask, walks: Mask) -> Mask:
    """Find the men that can close a mill in which one man is missing."""
    lacking = ready.reshape(len(ready), -1).astype(np.float32)
    can_walk, can_fly = lacking @ _WALKS_TO > 0, lacking @ _FLIES_TO > 0
    found: Mask = is_man & np.where(walks, can_walk, can_fly)
    return found


def _build_closing_matrix(is_near: bool) -> NDArray[np.float32]:
    """Return whether a man on a point outside a mill can fill the gap in it, shape (48, 24)."""
    is_outside = _MILLS_THROUGH_POINT.reshape(-1, 1) & _BIT == 0
    can_go = np.repeat(_NEIGHBOUR_MASKS, 2)[:, None] & _BIT != 0
    closes: Mask = is_outside & can_go if is_near else is_outside
    return closes.astype(np.float32)


_WALKS_TO, _FLIES_TO = _build_closing_matrix(True), _build_closing_matrix(False)


Rows = NDArray[Any]
"""uint8 where all columns are 0 or 1, int8 for the integer model."""

BoardArray = NDArray[np.uint32]
HandArray = NDArray[np.uint8]

MAX_MEN = 9
NUM_PHASES = 3


@dataclass(frozen=True, slots=True)
class InputModel:
    """One encoding of positions."""

    name: str

    width: int
    """Number of columns of a position, without choices."""

    is_binary: bool
    """Whether every column is 0 or 1."""

    encode: Callable[[BoardArray, BoardArray, HandArray, HandArray], Rows]
    """Encode bitboards of the mover and the enemy and their men in hand, one row for each
    position."""

    def width_with_choices(self, choices: int) -> int:
        """Return the number of columns with that many chosen parts after the position."""
        return self.width + choices * (NUM_CLASSES if self.is_binary else 1)


def append_choices(model: InputModel, inputs: Rows, choices: NDArray[np.integer[Any]]) -> Rows:
    """Append earlier choices, shape (rows, choices) of classes 0 (none) to 24, to the rows.

    Each is a one-hot code of 25 columns, or one number in the integer model.
    """
    if not choices.shape[1]:
        return inputs
    if not model.is_binary:
        return np.concatenate([inputs, choices], axis=1, dtype=np.int8)
    chosen = _ONE_HOT_CLASSES[choices].reshape(len(choices), -1)
    return np.concatenate([inputs, chosen], axis=1, dtype=np.uint8)


def _encode_points(boards: BoardArray) -> NDArray[np.uint8]:
    return (boards[:, None] >> _READING_ORDER_SHIFTS & 1).astype(np.uint8)


def _count_men(boards: BoardArray) -> NDArray[np.intp]:
    counts: NDArray[np.intp] = _encode_points(boards).sum(axis=1, dtype=np.intp)
    return counts


def _find_phases(boards: BoardArray, hands: HandArray) -> NDArray[np.intp]:
    """Return 1 where a side places men, 3 where it has three or fewer, else 2."""
    return np.where(hands > 0, 1, np.where(_count_men(boards) <= 3, 3, 2))


def _encode_rawest(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    return np.concatenate(_encode_board(own, other) + _encode_hands(own_hand, other_hand), axis=1)


def _encode_rawer(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    phases = [
        _THERMOMETER_3[_find_phases(own, own_hand)],
        _THERMOMETER_3[_find_phases(other, other_hand)],
    ]
    return np.concatenate(
        _encode_board(own, other) + _encode_hands(own_hand, other_hand) + phases, axis=1
    )


def _encode_raw(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    counts = [_THERMOMETER_9[_count_men(own)], _THERMOMETER_9[_count_men(other)]]
    phases = [
        _THERMOMETER_3[_find_phases(own, own_hand)],
        _THERMOMETER_3[_find_phases(other, other_hand)],
    ]
    columns = _encode_board(own, other) + _encode_hands(own_hand, other_hand) + counts + phases
    return np.concatenate(columns, axis=1)


def _encode_integer(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    men = _encode_points(own).astype(np.int8) - _encode_points(other).astype(np.int8)
    phases = _find_phases(own, own_hand), _find_phases(other, other_hand)
    numbers = np.stack([own_hand, other_hand, _count_men(own), _count_men(other), *phases], axis=1)
    return np.concatenate([men, numbers], axis=1, dtype=np.int8, casting="unsafe")


def _encode_with_features(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    free = ~(own | other) & ALL_POINTS
    sides = (
        Side(men, free, hand > 0, (hand == 0) & (_count_men(men) <= 3))
        for men, hand in ((own, own_hand), (other, other_hand))
    )
    raw = _encode_raw(own, other, own_hand, other_hand)
    return np.concatenate([raw, compute_features(*sides)], axis=1)


def _encode_with_lines(
    own: BoardArray, other: BoardArray, own_hand: HandArray, other_hand: HandArray
) -> Rows:
    rows = _encode_with_features(own, other, own_hand, other_hand)
    return np.concatenate([rows, encode_lines(own, other)], axis=1)


def _encode_board(own: BoardArray, other: BoardArray) -> list[NDArray[np.uint8]]:
    return [_encode_points(own), _encode_points(other), _encode_points(~(own | other))]


def _encode_hands(own_hand: HandArray, other_hand: HandArray) -> list[NDArray[np.uint8]]:
    return [_THERMOMETER_9[own_hand], _THERMOMETER_9[other_hand]]


def _build_thermometer(size: int) -> NDArray[np.uint8]:
    """Return an array whose row n starts with n ones."""
    return np.tri(size + 1, size, -1, dtype=np.uint8)


_READING_ORDER_SHIFTS = np.array(READING_ORDER, dtype=np.uint32)
_ONE_HOT_CLASSES = np.eye(NUM_CLASSES, dtype=np.uint8)
_THERMOMETER_9, _THERMOMETER_3 = _build_thermometer(MAX_MEN), _build_thermometer(NUM_PHASES)

_FEATURES_WIDTH = 114 + len(POINTS) * len(FEATURE_NAMES)

INPUT_MODELS: MappingProxyType[str, InputModel] = MappingProxyType(
    {
        model.name: model
        for model in (
            InputModel("rawest", 90, True, _encode_rawest),
            InputModel("rawer", 96, True, _encode_rawer),
            InputModel("raw", 114, True, _encode_raw),
            InputModel("integer", 30, False, _encode_integer),
            InputModel("features", _FEATURES_WIDTH, True, _encode_with_features),
            InputModel("lines", _FEATURES_WIDTH + LINES_WIDTH, True, _encode_with_lines),
        )
    }
)
"""All input models by name."""


_POINT_COLUMNS: Permutations = CLASS_PERMUTATIONS[:, 1:] - 1
"""Permutations of the points in reading order."""

_HAND_COLUMNS, _COUNT_COLUMNS, _PHASE_COLUMNS = (
    trivial_permutations(2 * MAX_MEN),
    trivial_permutations(2 * MAX_MEN),
    trivial_permutations(2 * NUM_PHASES),
)
_BOARD_COLUMNS = concatenate_permutations(_POINT_COLUMNS, _POINT_COLUMNS, _POINT_COLUMNS)
_RAW_COLUMNS = concatenate_permutations(
    _BOARD_COLUMNS, _HAND_COLUMNS, _COUNT_COLUMNS, _PHASE_COLUMNS
)
_FEATURE_COLUMNS = concatenate_permutations(_RAW_COLUMNS, *[_POINT_COLUMNS] * len(FEATURE_NAMES))


def _permute_line_columns() -> Permutations:
    """Return the permutations of the ten columns of each line."""
    states = np.arange(len(LINE_STATES))
    return (LINE_PERMUTATIONS[:, :, None] * len(states) + states).reshape(GROUP_ORDER, -1)


COLUMN_PERMUTATIONS: dict[str, Permutations] = {
    "rawest": concatenate_permutations(_BOARD_COLUMNS, _HAND_COLUMNS),
    "rawer": concatenate_permutations(_BOARD_COLUMNS, _HAND_COLUMNS, _PHASE_COLUMNS),
    "raw": _RAW_COLUMNS,
    "integer": concatenate_permutations(_POINT_COLUMNS, trivial_permutations(6)),
    "features": _FEATURE_COLUMNS,
    "lines": concatenate_permutations(_FEATURE_COLUMNS, _permute_line_columns()),
}
"""Permutations of the columns of each input model."""

assert all(
    COLUMN_PERMUTATIONS[name].shape == (GROUP_ORDER, model.width)
    for name, model in INPUT_MODELS.items()
)
assert len(POINTS) == NUM_CLASSES - 1


def find_column_permutations(width: int) -> Permutations:
    """Return the permutations of a network's input columns: a position, then earlier choices."""
    for name, model in INPUT_MODELS.items():
        for choices in range(len(PARTS)):
            # The integer model has numbers of points as values, which no permutation of columns can
            # map.
            if model.is_binary and model.width_with_choices(choices) == width:
                return concatenate_permutations(
                    COLUMN_PERMUTATIONS[name], *[CLASS_PERMUTATIONS] * choices
                )
    raise BadSpec(f"a symmetric network cannot read {width} columns of no known model")
