"""Encodings of a backgammon move as input units (Tesauro and Sejnowski 1988).

This is the reference of native/core/gammon/encoding.hpp. Location 1 of the paper, where White
begins, is the mover's point 24: the paper counts in White's direction of play, players the other
way. The number of units is 24 times the units of a location, 12 for the men on the bars, 21 for the
roll, and the extra units.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ludus.core.spec import check_choice
from ludus.games.backgammon.batch import BoardRow, position_to_row
from ludus.games.backgammon.board import BAR, HOME, OFF, ROLLS, View
from ludus.games.backgammon.position import Position
from ludus.players.backgammon_features import (
    BoardFeatures,
    compute_board_features,
    compute_pips_at_risk,
    count_builders,
    count_crossovers,
    count_home_gaps,
    count_stacked_men,
)
from ludus.players.backgammon_heuristics import CONTACT_WEIGHTS, compute_terms

NUM_LOCATIONS: Final = 24
"""Points of the board."""

STATE_UNITS: Final = ("x≤-5", "x=-4", "x=-3", "x≤-2", "x=-1", "x=1", "x≥2", "x=3", "x=4", "x≥5")
"""Number of men x before the move: the mover's, or minus the other side's."""

CHANGE_UNITS: Final[tuple[tuple[str, ...], ...]] = (
    ("y=1", "y≥2", "y=3", "y=4", "y≥5", "y≤0"),
    ("clearing", "slotting", "breaking", "making", "stripping"),
    (
        *("x<1 & y=1", "x<2 & y≥2", "x<3 & y=3", "x<4 & y=4", "x<y & y≥5", "x=1 & y=0"),
        *("x≥2 & y=0", "x≥2 & y=1", "x≥3 & y=2", "x≥4 & y=3", "x≥5 & y=4", "x>y & y≥5"),
        "chance of a hit",
    ),
)
"""Change at a location, where y is the number of men after the move: the paper's Fig. 1a (where y
is not x), Fig. 1b, and columns K to W of Fig. 3.
"""

BAR_UNITS: Final = tuple(
    f"{whose} men on the bar {when}: {count}"
    for when in ("before", "after")
    for whose in ("own", "their")
    for count in ("1", "2", "3 or more")
)

ROLL_UNITS: Final = tuple(f"roll {roll}" for roll in ROLLS)


def _name_thresholds(what: str, *bounds: int) -> tuple[str, ...]:
    return tuple(f"{what} at least {bound}" for bound in bounds)


FEATURE_UNITS: Final = (
    *_name_thresholds("points in the own home", 1, 2, 3, 4, 5, 6),
    "chance that a blot is hit",
    *_name_thresholds("rolls that hit a blot", 1, 5, 9, 12, 15, 19, 25),
    "pips at risk, of 25",
    *_name_thresholds("own blots", 1, 2, 3, 4),
    "chances of hits in the own home, added",
    "chance to hit next time",
    *_name_thresholds("rolls that would hit next time", 1, 11, 17),
    "their man on the bar: share of the own home that is closed",
    "their man on the bar: chance that he stays there",
    "own pips, of 167",
    "their pips, of 167",
    *_name_thresholds("pips ahead", -40, -20, -8, 0, 8, 20, 40),
    "men can still meet",
    *_name_thresholds("own men in their home or on the bar", 1, 2, 3, 4),
    *_name_thresholds("own points in their home", 1, 2),
    "their 5 or 4 point is held",
    *_name_thresholds("their men in the own home or on the bar", 1, 2, 3, 4),
    "they hold a point in the own home",
    *_name_thresholds("own points in a row", 3, 4, 5, 6),
    "their rearmost man: share of rolls that keep him in",
    *_name_thresholds("their points in a row", 3, 4, 5, 6),
    "own rearmost man: share of rolls that let him out",
    "builders, of 8",
    "stacked men, of 8",
    "own men borne off, of 15",
    "their men borne off, of 15",
    "quarters to cross, of 30",
    "empty points in the own home, of 6",
    "own men on points 1 and 2, of 15",
    "points in their home, of 6",
)
"""Features of the board after the move."""

EXTRA_UNITS: Final[tuple[tuple[str, ...], ...]] = ((), FEATURE_UNITS, tuple(CONTACT_WEIGHTS))


@dataclass(frozen=True, slots=True)
class MoveEncoding:
    """An encoding of moves as input units."""

    name: str

    change_units: int
    """Encoding of a location's change: its final state (0), its kind (1), or exactly (2)."""

    extra_units: int
    """Extra units: none (0), features (1), or the conventional program's terms (2)."""

    @property
    def unit_names(self) -> tuple[str, ...]:
        """Meaning of every unit, in order."""
        located = tuple(
            f"location {location}: {unit}"
            for location in range(1, NUM_LOCATIONS + 1)
            for unit in (*STATE_UNITS, *CHANGE_UNITS[self.change_units])
        )
        return located + BAR_UNITS + ROLL_UNITS + EXTRA_UNITS[self.extra_units]

    @property
    def num_units(self) -> int:
        """Number of units."""
        return len(self.unit_names)


MOVE_ENCODINGS: Final = {
    encoding.name: encoding
    for encoding in (
        MoveEncoding("raw", 1, 0),
        MoveEncoding("features", 1, 1),
        MoveEncoding("tool", 1, 2),
        MoveEncoding("exact", 2, 1),
        MoveEncoding("unary", 0, 0),
        MoveEncoding("unary_features", 0, 1),
    )
}
"""The paper's 393, 459, 410 and 651 units, and Fig. 1a without and with features."""


def find_encoding(name: str) -> MoveEncoding:
    """Return an encoding by its name."""
    check_choice("there is no coding", name, MOVE_ENCODINGS)
    return MOVE_ENCODINGS[name]


@dataclass(frozen=True)
class EncodedMoves:
    """Sparse inputs: the active units of each move, concatenated."""

    offsets: NDArray[np.int64]
    """Offsets of the moves into `unit_indices` and `activations`, shape (moves + 1,)."""

    unit_indices: NDArray[np.uint16]
    """Unit numbers."""

    activations: NDArray[np.float32]
    """Activations."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def to_dense(self, size: int) -> NDArray[np.float32]:
        """Return the dense inputs, shape (moves, size)."""
        whole = np.zeros((len(self), size), np.float32)
        whole[np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.unit_indices] = (
            self.activations
        )
        return whole


def encode_moves(
    boards: BoardRow, rolls: BoardRow, encoding: MoveEncoding
) -> tuple[NDArray[np.int64], BoardRow, EncodedMoves]:
    """Return the offsets of each board's moves, the boards after them, and the encoded moves."""
    from ludus._native import gammon

    move_offsets, ends, offsets, unit_indices, activations = gammon.inputs(
        boards, rolls, encoding.change_units, encoding.extra_units
    )
    return move_offsets, ends, EncodedMoves(offsets, unit_indices, activations)


def encode_positions(
    positions: Sequence[Position], encoding: MoveEncoding
) -> tuple[NDArray[np.int64], EncodedMoves]:
    """Return the offsets of each position's moves, and the encoded moves."""
    boards = np.array([position_to_row(position) for position in positions], np.int8)
    rolls = np.array([position.dice for position in positions], np.int8)
    offsets, _, encoded = encode_moves(boards.reshape(-1, 52), rolls.reshape(-1, 2), encoding)
    return offsets, encoded


def compute_activations(
    encoding: MoveEncoding, before: View, dice: tuple[int, int], end: View
) -> list[float]:
    """Return the activation of every unit, given the roll and the boards before and after."""
    features = compute_board_features(end)
    units: list[float] = []
    for location in range(1, NUM_LOCATIONS + 1):
        point = BAR - location
        x = before.own[point] - before.other[point]
        y = end.own[point] - end.other[point]
        units += _encode_state(x)
        units += (_encode_final_state, _encode_change_kind, _encode_exact_change)[
            encoding.change_units
        ](x, y)
        if encoding.change_units == 2:
            units.append(features.own_blot_shots.at.get(point, 0) / 36)
    for men in (before.own[BAR], before.other[OFF], end.own[BAR], end.other[OFF]):
        units += [men == 1, men == 2, men >= 3]
    units += [tuple(roll) == tuple(dice) for roll in ROLLS]
    if encoding.extra_units == 1:
        units += _compute_features(end, features)
    elif encoding.extra_units == 2:
        units += compute_terms(end).values()
    return [float(unit) for unit in units]


def _encode_state(x: int) -> list[float]:
    return [x <= -5, x == -4, x == -3, x <= -2, x == -1, x == 1, x >= 2, x == 3, x == 4, x >= 5]


def _encode_final_state(x: int, y: int) -> list[float]:
    if x == y:
        return [0] * 6
    return [y == 1, y >= 2, y == 3, y == 4, y >= 5, y <= 0]


def _encode_change_kind(x: int, y: int) -> list[float]:
    clearing = x >= 1 and y == 0
    slotting = x < 1 and y == 1
    breaking = x >= 2 and y == 1
    making = x < 2 and y >= 2
    stripping = x >= 3 and y == 2
    return [clearing, slotting, breaking, making, stripping]


def _encode_exact_change(x: int, y: int) -> list[float]:
    return [
        x < 1 and y == 1,
        x < 2 and y >= 2,
        x < 3 and y == 3,
        x < 4 and y == 4,
        x < y and y >= 5,
        x == 1 and y == 0,
        x >= 2 and y == 0,
        x >= 2 and y == 1,
        x >= 3 and y == 2,
        x >= 4 and y == 3,
        x >= 5 and y == 4,
        x > y and y >= 5,
    ]


def _encode_thresholds(value: int, *bounds: int) -> list[float]:
    return [value >= bound for bound in bounds]


def _compute_features(end: View, features: BoardFeatures) -> list[float]:
    at_home = sum(rolls for point, rolls in features.own_blot_shots.at.items() if point in HOME)
    closed = features.home_points / 6 if end.other[OFF] else 0
    return [
        *_encode_thresholds(features.home_points, 1, 2, 3, 4, 5, 6),
        features.own_blot_shots.any / 36,
        *_encode_thresholds(features.own_blot_shots.any, 1, 5, 9, 12, 15, 19, 25),
        min(compute_pips_at_risk(features.own_blot_shots) / 25, 1),
        *_encode_thresholds(features.own_blots, 1, 2, 3, 4),
        min(at_home / 36, 1),
        features.their_blot_shots.any / 36,
        *_encode_thresholds(features.their_blot_shots.any, 1, 11, 17),
        closed,
        closed**2,
        features.own_pips / 167,
        features.their_pips / 167,
        *_encode_thresholds(features.their_pips - features.own_pips, -40, -20, -8, 0, 8, 20, 40),
        features.has_contact,
        *_encode_thresholds(features.num_own_back_men, 1, 2, 3, 4),
        *_encode_thresholds(features.anchors, 1, 2),
        end.own[20] > 1 or end.own[21] > 1,
        *_encode_thresholds(features.num_their_back_men, 1, 2, 3, 4),
        features.their_anchors > 0,
        *_encode_thresholds(features.own_prime, 3, 4, 5, 6),
        1 - features.their_escapes / 36,
        *_encode_thresholds(features.their_prime, 3, 4, 5, 6),
        features.own_escapes / 36,
        count_builders(end) / 8,
        count_stacked_men(end) / 8,
        end.own[OFF] / 15,
        end.other[BAR] / 15,
        count_crossovers(end) / 30,
        count_home_gaps(end) / 6,
        (end.own[1] + end.own[2]) / 15,
        features.their_home_points / 6,
    ]
