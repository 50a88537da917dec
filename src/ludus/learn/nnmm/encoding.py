"""Encode positions as rows of numbers: six input models, their columns, and how the symmetries of
the board permute them.

`experiments/galassi/README.md` lists every column. The men of the mover come first, then those of
the enemy; points are in reading order, as classes 1 to 24 are. Numbers of men use the thermometer
code: 3 out of 9 is 111000000. The parts of the move that are already chosen may follow, see
`append_choices`. Features are those of the board without diagonals under the standard rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.bitboards import (
    ALL_POINTS,
    Boards,
    Mask,
    count_men,
    find_phases,
    mill_masks,
    neighbour_masks,
    point_bits,
)
from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER
from ludus.learn.equivariant.group import (
    CLASS_PERMUTATIONS,
    LINE_STATE_PERMUTATIONS,
    ONE_HOT_LINE_STATES,
    Permutations,
    concatenate_permutations,
    trivial_permutations,
)
from ludus.learn.nnmm.parts import NUM_CLASSES

FEATURE_BATCH = 512
"""Boards per batch; with more, the arrays leave the cache, which takes ten times as long."""

_READING_ORDER = np.array(READING_ORDER, dtype=np.int32)
_BIT = point_bits(_READING_ORDER)
_NEIGHBOUR_MASKS = neighbour_masks(False)[_READING_ORDER]
_MILLS_THROUGH_POINT = np.array(
    [[mill for mill in mill_masks(False) if mill & bit] for bit in _BIT], dtype=np.int32
)
"""Shape (24, 2): the two mills through each point."""


class Side(NamedTuple):
    """The men of one side and the conditions for its moves, each of shape (boards,)."""

    men: Boards
    free: Boards
    """The empty points."""

    places: Mask
    """Whether it has men in hand."""

    flies: Mask
    """Whether it has none in hand and three or fewer on the board."""

    def select(self, which: slice) -> "Side":
        """Return a slice of the boards."""
        return Side._make(column[which] for column in self)


def compute_features(own: Side, other: Side) -> NDArray[np.uint8]:
    """Compute twelve sets of 24 columns of 0 and 1, see `FEATURE_NAMES`, the points in reading
    order.

    Features of the enemy are computed as if it were to move.
    """
    found = [np.zeros((0, len(FEATURE_NAMES) * len(POINTS)), np.uint8)]
    for first in range(0, len(own.men), FEATURE_BATCH):
        batch = slice(first, first + FEATURE_BATCH)
        found.append(_compute_feature_batch(own.select(batch), other.select(batch)))
    return np.concatenate(found)


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


def _compute_feature_batch(own: Side, other: Side) -> NDArray[np.uint8]:
    columns: list[Mask] = []
    for mine, yours in zip(_compute_side_features(own), _compute_side_features(other), strict=True):
        columns += [mine, yours]
    # Men of the enemy that may be taken come first in the last pair: the mover takes now.
    columns[-2:] = columns[:-3:-1]
    return np.concatenate(columns, axis=1, dtype=np.uint8)


def _compute_side_features(side: Side) -> tuple[Mask, Mask, Mask, Mask, Mask, Mask]:
    """Compute closing points and men, men in mills, reachable points, movable, removable men."""
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
    return is_man & np.where(walks, can_walk, can_fly)


def _build_closing_matrix(is_near: bool) -> NDArray[np.float32]:
    """Return whether a man on a point outside a mill can fill the gap in it, shape (48, 24)."""
    is_outside = _MILLS_THROUGH_POINT.reshape(-1, 1) & _BIT == 0
    can_go = np.repeat(_NEIGHBOUR_MASKS, 2)[:, None] & _BIT != 0
    closes: Mask = is_outside & can_go if is_near else is_outside
    return closes.astype(np.float32)


_WALKS_TO, _FLIES_TO = _build_closing_matrix(True), _build_closing_matrix(False)


Rows = NDArray[Any]
"""uint8 where all columns are 0 or 1, int8 for the integer model."""

MAX_MEN = 9
NUM_PHASES = 3


class InputColumns(NamedTuple):
    """The columns that a network reads."""

    width: int
    permutations: Permutations | None = None
    """How the symmetries of the board permute them; None where they do not."""

    def symmetric_permutations(self) -> Permutations:
        """Return the permutations; raise BadSpec if there are none."""
        if self.permutations is None:
            raise BadSpec("a symmetric network cannot read columns that are numbers of points")
        return self.permutations


class ColumnGroup(NamedTuple):
    """Some columns that an input model may have."""

    permutations: Permutations
    """How the symmetries of the board permute them, shape (16, columns)."""

    encode: Callable[[PositionBatch], list[Rows]]


@dataclass(frozen=True, slots=True, eq=False)
class InputModel:
    """One encoding of positions."""

    name: str

    groups: tuple[ColumnGroup, ...]

    is_binary: bool = True
    """Whether every column is 0 or 1."""

    def encode(self, positions: PositionBatch) -> Rows:
        """Encode positions, one row for each."""
        columns = [each for group in self.groups for each in group.encode(positions)]
        return np.concatenate(columns, axis=1)

    @property
    def width(self) -> int:
        """Number of columns of a position, without choices."""
        return sum(group.permutations.shape[1] for group in self.groups)

    def columns(self, choices: int) -> InputColumns:
        """Return the columns with that many chosen parts after the position."""
        if not self.is_binary:
            # Values of the integer model are classes, which no permutation of columns can map.
            return InputColumns(self.width + choices)
        permutations = concatenate_permutations(
            *(group.permutations for group in self.groups), *[CLASS_PERMUTATIONS] * choices
        )
        return InputColumns(permutations.shape[1], permutations)


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


def _encode_points(boards: Boards) -> NDArray[np.uint8]:
    return (boards[:, None] >> _READING_ORDER & 1).astype(np.uint8)


def _encode_board(positions: PositionBatch) -> list[Rows]:
    own, other = positions.own, positions.other
    return [_encode_points(own), _encode_points(other), _encode_points(~(own | other))]


def _encode_hands(positions: PositionBatch) -> list[Rows]:
    return [_THERMOMETER_9[positions.own_hand], _THERMOMETER_9[positions.other_hand]]


def _encode_counts(positions: PositionBatch) -> list[Rows]:
    own_men, other_men, *_ = positions.counts
    return [_THERMOMETER_9[own_men], _THERMOMETER_9[other_men]]


def _encode_phases(positions: PositionBatch) -> list[Rows]:
    return [_THERMOMETER_3[phases] for phases in _find_both_phases(positions)]


def _encode_features(positions: PositionBatch) -> list[Rows]:
    own, other, own_hand, other_hand = positions.position_columns
    free = ~(own | other) & ALL_POINTS
    own_phase, other_phase = _find_both_phases(positions)
    return [
        compute_features(
            Side(own, free, own_hand > 0, own_phase == 3),
            Side(other, free, other_hand > 0, other_phase == 3),
        )
    ]


def _encode_lines(positions: PositionBatch) -> list[Rows]:
    """Encode the sixteen lines of each board: ten states each, one-hot, shape (boards, 160)."""
    mine, yours = (
        count_men(men[:, None] & mill_masks(False)) for men in (positions.own, positions.other)
    )
    width = LINE_STATE_PERMUTATIONS.shape[1]
    return [ONE_HOT_LINE_STATES[4 * mine + yours].reshape(len(positions), width)]


def _encode_integers(positions: PositionBatch) -> list[Rows]:
    own, other = (_encode_points(men).astype(np.int8) for men in (positions.own, positions.other))
    own_men, other_men, *hands = positions.counts
    numbers = np.stack([*hands, own_men, other_men, *_find_both_phases(positions)], axis=1)
    return [own - other, numbers.astype(np.int8)]


def _find_both_phases(positions: PositionBatch) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    return positions.phases, find_phases(positions.other, positions.other_hand)


def _build_thermometer(size: int) -> NDArray[np.uint8]:
    """Return an array whose row n starts with n ones."""
    return np.tri(size + 1, size, -1, dtype=np.uint8)


_ONE_HOT_CLASSES = np.eye(NUM_CLASSES, dtype=np.uint8)
_THERMOMETER_9, _THERMOMETER_3 = _build_thermometer(MAX_MEN), _build_thermometer(NUM_PHASES)

_POINT_COLUMNS: Permutations = CLASS_PERMUTATIONS[:, 1:] - 1
"""Permutations of the points in reading order."""

_BOARD = ColumnGroup(concatenate_permutations(*[_POINT_COLUMNS] * 3), _encode_board)
_HANDS = ColumnGroup(trivial_permutations(2 * MAX_MEN), _encode_hands)
_COUNTS = ColumnGroup(trivial_permutations(2 * MAX_MEN), _encode_counts)
_PHASES = ColumnGroup(trivial_permutations(2 * NUM_PHASES), _encode_phases)
_FEATURES = ColumnGroup(
    concatenate_permutations(*[_POINT_COLUMNS] * len(FEATURE_NAMES)), _encode_features
)
_LINES = ColumnGroup(LINE_STATE_PERMUTATIONS, _encode_lines)
_INTEGERS = ColumnGroup(
    concatenate_permutations(_POINT_COLUMNS, trivial_permutations(6)), _encode_integers
)
_RAW = (_BOARD, _HANDS, _COUNTS, _PHASES)

INPUT_MODELS: MappingProxyType[str, InputModel] = MappingProxyType(
    {
        model.name: model
        for model in (
            InputModel("rawest", (_BOARD, _HANDS)),
            InputModel("rawer", (_BOARD, _HANDS, _PHASES)),
            InputModel("raw", _RAW),
            InputModel("integer", (_INTEGERS,), is_binary=False),
            InputModel("features", (*_RAW, _FEATURES)),
            InputModel("lines", (*_RAW, _FEATURES, _LINES)),
        )
    }
)
"""All input models by name."""
