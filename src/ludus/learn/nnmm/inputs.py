"""What networks see of a position: six ways of writing it as a row of numbers.

`docs/nnmm.md` lists every column. The men of the mover come first, then those of the enemy;
points are in reading order, as classes 1 to 24 are. Numbers of men are thermometers: 3 out of 9 is
111000000. A row may go on with the parts of the move that are already chosen, see `with_choices`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER
from ludus.learn.nnmm import features, lines
from ludus.learn.nnmm.parts import NUM_CLASSES

Rows = NDArray[Any]
"""uint8 where all columns are 0 or 1, int8 for the integer model."""

Boards = NDArray[np.uint32]
Hands = NDArray[np.uint8]

MAX_MEN = 9
PHASES = 3


@dataclass(frozen=True, slots=True)
class InputModel:
    """One way of writing positions."""

    name: str

    width: int
    """Columns for the position alone."""

    binary: bool
    """Whether every column is 0 or 1."""

    encode: Callable[[Boards, Boards, Hands, Hands], Rows]
    """Rows of positions: bitboards of the mover and the enemy, then their men in hand."""

    def width_after(self, choices: int) -> int:
        """Columns with so many parts of the move behind the position."""
        return self.width + choices * (NUM_CLASSES if self.binary else 1)


def with_choices(model: InputModel, inputs: Rows, choices: NDArray[np.integer[Any]]) -> Rows:
    """Rows with the earlier choices behind them, shape (rows, choices): 0 for none, or 1 to 24.

    Each is 25 columns of which one is 1, or one number in the integer model.
    """
    if not choices.shape[1]:
        return inputs
    if not model.binary:
        return np.concatenate([inputs, choices], axis=1, dtype=np.int8)
    chosen = _ONE_OF[choices].reshape(len(choices), -1)
    return np.concatenate([inputs, chosen], axis=1, dtype=np.uint8)


def _points(boards: Boards) -> NDArray[np.uint8]:
    return (boards[:, None] >> _ORDER & 1).astype(np.uint8)


def _counts(boards: Boards) -> NDArray[np.intp]:
    counts: NDArray[np.intp] = _points(boards).sum(axis=1, dtype=np.intp)
    return counts


def _phases(boards: Boards, hands: Hands) -> NDArray[np.intp]:
    """1 while a side places men, 3 when it has three or fewer, else 2."""
    return np.where(hands > 0, 1, np.where(_counts(boards) <= 3, 3, 2))


def _rawest(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    return np.concatenate(_board(own, other) + _hands(own_hand, other_hand), axis=1)


def _rawer(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    phases = [_SCALE_3[_phases(own, own_hand)], _SCALE_3[_phases(other, other_hand)]]
    return np.concatenate(_board(own, other) + _hands(own_hand, other_hand) + phases, axis=1)


def _raw(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    counts = [_SCALE_9[_counts(own)], _SCALE_9[_counts(other)]]
    phases = [_SCALE_3[_phases(own, own_hand)], _SCALE_3[_phases(other, other_hand)]]
    columns = _board(own, other) + _hands(own_hand, other_hand) + counts + phases
    return np.concatenate(columns, axis=1)


def _integer(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    men = _points(own).astype(np.int8) - _points(other).astype(np.int8)
    phases = _phases(own, own_hand), _phases(other, other_hand)
    numbers = np.stack([own_hand, other_hand, _counts(own), _counts(other), *phases], axis=1)
    return np.concatenate([men, numbers], axis=1, dtype=np.int8, casting="unsafe")


def _with_features(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    free = ~(own | other) & features.ALL_POINTS
    sides = (
        features.Side(men, free, hand > 0, (hand == 0) & (_counts(men) <= 3))
        for men, hand in ((own, own_hand), (other, other_hand))
    )
    raw = _raw(own, other, own_hand, other_hand)
    return np.concatenate([raw, features.features(*sides)], axis=1)


def _with_lines(own: Boards, other: Boards, own_hand: Hands, other_hand: Hands) -> Rows:
    rows = _with_features(own, other, own_hand, other_hand)
    return np.concatenate([rows, lines.line_states(own, other)], axis=1)


def _board(own: Boards, other: Boards) -> list[NDArray[np.uint8]]:
    return [_points(own), _points(other), _points(~(own | other))]


def _hands(own_hand: Hands, other_hand: Hands) -> list[NDArray[np.uint8]]:
    return [_SCALE_9[own_hand], _SCALE_9[other_hand]]


def _thermometer(size: int) -> NDArray[np.uint8]:
    """Row n has n ones, from the left."""
    return np.tri(size + 1, size, -1, dtype=np.uint8)


_ORDER = np.array(READING_ORDER, dtype=np.uint32)
_ONE_OF = np.eye(NUM_CLASSES, dtype=np.uint8)
_SCALE_9, _SCALE_3 = _thermometer(MAX_MEN), _thermometer(PHASES)

_FEATURES = 114 + len(POINTS) * len(features.NAMES)

INPUTS: MappingProxyType[str, InputModel] = MappingProxyType(
    {
        model.name: model
        for model in (
            InputModel("rawest", 90, True, _rawest),
            InputModel("rawer", 96, True, _rawer),
            InputModel("raw", 114, True, _raw),
            InputModel("integer", 30, False, _integer),
            InputModel("features", _FEATURES, True, _with_features),
            InputModel("lines", _FEATURES + lines.WIDTH, True, _with_lines),
        )
    }
)
"""All of them by name."""
