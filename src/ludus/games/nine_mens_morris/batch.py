"""Batches of Morris positions and moves in columns, value codes, and the batched move generator.

Columns are numpy arrays, or torch tensors where they are made on a GPU. This module never imports
torch, and native code only where moves are generated: training on a GPU needs no compiled modules.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.games.nine_mens_morris.bitboards import (
    Array,
    Boards,
    Mask,
    count_men,
    find_least_images,
    find_phases,
    point_bits,
    transform_boards,
)
from ludus.games.nine_mens_morris.board import NUM_POINTS, PASS, Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.rules import Rules

if TYPE_CHECKING:
    from ludus._native import sampling
    from ludus.games.nine_mens_morris.game import NineMensMorris
    from ludus.games.nine_mens_morris.position import MorrisPosition

LOST, NO_VALUE, DRAW = 0, 254, 255
"""Value codes, uint8. Other codes are the plies to the end of the game, odd where the mover wins
and even where it loses; LOST is a game that the mover has lost, NO_VALUE an unknown value."""

RESULT_NAMES = ("loss", "draw", "win", "unknown")
"""Results for the mover, see `classify`."""

LOSS, DRAWN, WIN, UNKNOWN = range(len(RESULT_NAMES))
"""Indices in RESULT_NAMES."""


def classify(values: Array) -> Array:
    """Return the results of value codes: LOSS, DRAWN, WIN or UNKNOWN, indices in RESULT_NAMES."""
    is_draw, is_unknown = values == DRAW, values == NO_VALUE
    return values % 2 * WIN - is_draw * (WIN - DRAWN) + is_unknown * UNKNOWN


def keeps_value(value: Array, child_value: Array) -> Array:
    """Return where a move to a child of the second value keeps the first: the draw, or the winner.

    No move from or to a position of unknown value does.
    """
    is_draw, is_known = value == DRAW, (value != NO_VALUE) & (child_value != NO_VALUE)
    has_other_parity = ((value ^ child_value) & 1) == 1
    return is_known & ((child_value == DRAW) == is_draw) & (is_draw | has_other_parity)


NO_POINT = NUM_POINTS
"""Stands for a part that a move does not have."""

PARTS = ("TO", "FROM", "REMOVE")
"""Parts of a move, in the order of Galassi 2018."""

PartPoints = NDArray[np.int8]
"""Points of moves, shape (moves, 3): TO, FROM and REMOVE, or NO_POINT."""


def moves_to_points(moves: Iterable[Move]) -> PartPoints:
    """Return the points of moves, shape (moves, 3)."""
    rows = [
        [NO_POINT if part is None else part for part in (move.to, move.frm, move.take)]
        for move in moves
    ]
    return np.array(rows, dtype=np.int8).reshape(-1, len(PARTS))


def points_to_moves(points: NDArray[np.integer[Any]]) -> list[Move]:
    """Return moves, legal or not, from their points; without any point, a pass."""
    rows = ([None if part == NO_POINT else part for part in row] for row in points.tolist())
    return [Move(frm, to, take) for to, frm, take in rows]


def pack_moves(points: PartPoints) -> NDArray[np.int32]:
    """Return each move as one number: to | from << 8 | take << 16."""
    to, frm, take = points.T.astype(np.int32)
    packed: NDArray[np.int32] = to | frm << 8 | take << 16
    return packed


def unpack_moves(packed: NDArray[np.int32]) -> PartPoints:
    """Return the points of packed moves, shape (moves, 3)."""
    return np.array([unpack_part(packed, part) for part in range(len(PARTS))], dtype=np.int8).T


def unpack_part(packed: Array, part: int) -> Array:
    """Return the points of one part, by index in PARTS, of packed moves."""
    return packed >> 8 * part & 0xFF


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PositionBatch:
    """Positions from their movers' perspectives, as columns of one shape."""

    own: Array
    """The mover's men, int32: torch has no operations on uint32."""

    other: Array
    """The other side's men."""

    own_hand: Array
    """The mover's number of men in hand, uint8."""

    other_hand: Array

    def __repr__(self) -> str:
        """Return the number of entries; the columns may have millions."""
        shape = "×".join(map(str, self.own.shape))
        return f"<{type(self).__name__} of {shape} {'entry' if shape == '1' else 'entries'}>"

    @staticmethod
    def from_columns(
        own: ArrayLike, other: ArrayLike, own_hand: ArrayLike = 0, other_hand: ArrayLike = 0
    ) -> "PositionBatch":
        """Convert boards and hands, or one hand for all, to columns of the same shape."""
        given = (own, other, own_hand, other_hand)
        dtypes = (np.int32, np.int32, np.uint8, np.uint8)
        shape = np.broadcast_shapes(*map(np.shape, given))
        columns = (
            np.array(np.broadcast_to(np.asarray(each, dtype), shape))
            for each, dtype in zip(given, dtypes, strict=True)
        )
        return PositionBatch(*columns)

    @staticmethod
    def from_positions(positions: Iterable["MorrisPosition"]) -> "PositionBatch":
        """Convert positions of the game."""
        rows = []
        for position in positions:
            mover, bits, hands = position.mover, position.bits, position.hands
            rows.append((bits[mover], bits[1 - mover], hands[mover], hands[1 - mover]))
        return PositionBatch.from_columns(*np.array(rows, dtype=np.int32).reshape(-1, 4).T)

    @staticmethod
    def zeros(*shape: int) -> "PositionBatch":
        """Return empty boards and hands in numpy, to be filled."""
        boards, hands = np.zeros((2, *shape), np.int32), np.zeros((2, *shape), np.uint8)
        return PositionBatch(*boards, *hands)

    @classmethod
    def empty(cls) -> Self:
        """Return a batch without positions, in numpy."""
        dtypes = (np.int32, np.int32, np.uint8, np.uint8, np.int8, np.int8, np.int8)
        return cls(*(np.empty(0, dtype) for _, dtype in zip(fields(cls), dtypes, strict=False)))

    @classmethod
    def concatenate(
        cls, parts: Iterable[Self], join: Callable[[Sequence[Array]], Array] = np.concatenate
    ) -> Self:
        """Concatenate batches; `join` concatenates arrays, `torch.cat` for tensors."""
        columns = [join(column) for column in zip(*(part.columns for part in parts), strict=True)]
        return cls(*columns) if columns else cls.empty()

    def to_positions(self, game: "NineMensMorris") -> list["MorrisPosition"]:
        """Convert to positions of a game, White to move."""
        return [
            game.position(
                PositionFields((_list_points(own), _list_points(other)), (own_hand, other_hand), 0)
            )
            for own, other, own_hand, other_hand in zip(
                *(column.tolist() for column in self.position_columns), strict=True
            )
        ]

    def to_native(self) -> "sampling.Columns":
        """Return the columns for native functions: of the right dtypes, contiguous, flat."""
        own, other = (
            np.require(board, np.int32, ("C", "W")).reshape(-1) for board in (self.own, self.other)
        )
        own_hand, other_hand = (
            np.require(hand, np.uint8, ("C", "W")).reshape(-1)
            for hand in (self.own_hand, self.other_hand)
        )
        return own, other, own_hand, other_hand

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, index: Any) -> Self:
        """Select positions by a slice, a mask or indices."""
        return self.map(lambda column: column[index])

    def map(self, function: Callable[[Array], Array]) -> Self:
        """Apply a function to every column."""
        return type(self)(*map(function, self.columns))

    @property
    def columns(self) -> tuple[Array, ...]:
        """All columns, in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def position_columns(self) -> tuple[Array, Array, Array, Array]:
        """The columns of the positions, without moves."""
        return self.own, self.other, self.own_hand, self.other_hand

    @property
    def counts(self) -> tuple[Array, Array, Array, Array]:
        """Men of the mover and of the other side on the board, then in hand."""
        return count_men(self.own), count_men(self.other), self.own_hand, self.other_hand

    @property
    def totals(self) -> tuple[Array, Array]:
        """Men of the mover and of the other side, on the board and in hand."""
        own, other, own_hand, other_hand = self.counts
        return own + own_hand, other + other_hand

    @property
    def phases(self) -> NDArray[np.uint8]:
        """The phase of each mover, see `find_phases`."""
        return find_phases(self.own, self.own_hand)

    def can_fly(self, rules: Rules) -> Mask:
        """Return whether the mover may move a man to any free point."""
        may_fly: Mask = (self.own_hand == 0) & (count_men(self.own) <= 3) & rules.flying
        return may_fly

    def has_too_few_men(self, rules: Rules) -> Mask:
        """Return whether a side has too few men left to play."""
        own, other = self.totals
        few: Mask = (own < rules.lose_below) | (other < rules.lose_below)
        return few

    def has_too_many_men(self, rules: Rules) -> Mask:
        """Return whether a side has more men than the rules give it."""
        own, other = self.totals
        many: Mask = (own > rules.men) | (other > rules.men)
        return many

    def transform(self, permutation: Sequence[int]) -> "PositionBatch":
        """Return the images under a permutation of the points."""
        own, other = (transform_boards(board, permutation) for board in (self.own, self.other))
        return PositionBatch(own, other, self.own_hand, self.other_hand)

    def keys(self) -> NDArray[np.uint64]:
        """Return a number that identifies each state."""
        hands = self.own_hand.astype(np.uint64) << np.uint64(4) | self.other_hand
        boards = self.own.astype(np.uint64) << np.uint64(24) | self.other.astype(np.uint64)
        keys: NDArray[np.uint64] = boards << np.uint64(8) | hands
        return keys

    def canonical_keys(self) -> NDArray[np.uint64]:
        """Return a number that identifies each state up to symmetry."""
        keys: NDArray[np.uint64] = self.find_canonical()[0].astype(np.uint64)
        return keys

    def find_canonical(self) -> tuple[Array, Array]:
        """Return the canonical keys, int64, and the symmetry that leads to the canonical position.

        The symmetry is an index in SYMMETRIES. Works on numpy arrays and on tensors.
        """
        boards, symmetry = find_least_images(self.own, self.other)
        return boards << 8 | self.own_hand << 4 | self.other_hand, symmetry

    @staticmethod
    def from_keys(keys: Array) -> "PositionBatch":
        """Return the positions of keys, int64, as numpy arrays or tensors."""
        columns = (keys >> 32, keys >> 8 & 0xFFFFFF, keys >> 4 & 0xF, keys & 0xF)
        if isinstance(keys, np.ndarray):
            dtypes = (np.int32, np.int32, np.uint8, np.uint8)
            return PositionBatch(
                *(column.astype(dtype) for column, dtype in zip(columns, dtypes, strict=True))
            )
        own, other, own_hand, other_hand = columns
        return PositionBatch(own.int(), other.int(), own_hand.byte(), other_hand.byte())


def _list_points(board: int) -> frozenset[int]:
    return frozenset(point for point in range(NUM_POINTS) if board >> point & 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MoveBatch(PositionBatch):
    """Positions with one move each, for the side to move. NO_POINT as `to` means no move."""

    to: Array
    """The point a man goes to, int8."""

    frm: Array
    """The point it leaves; NO_POINT when it comes from the hand."""

    take: Array
    """The point from which a man of the other side is taken, or NO_POINT."""

    @classmethod
    def from_points(cls, positions: PositionBatch, points: PartPoints) -> Self:
        """Combine positions with the points of their moves, shape (positions, 3)."""
        return cls(*positions.position_columns, *points.T)

    @property
    def positions(self) -> PositionBatch:
        """The positions without the moves."""
        return PositionBatch(*self.position_columns)

    @property
    def points(self) -> PartPoints:
        """The points of the moves, shape (moves, 3)."""
        return np.stack([self.to, self.frm, self.take], axis=1)

    @property
    def has_move(self) -> Mask:
        has: Mask = self.to != NO_POINT
        return has

    @property
    def men_after(self) -> Boards:
        """The mover's men after the move."""
        men: Boards = self.own & ~point_bits(self.frm) | point_bits(self.to)
        return men

    def pack(self) -> NDArray[np.int32]:
        """Return each move as one number, as in ChildBatch."""
        return pack_moves(self.points)

    def to_moves(self) -> list[Move]:
        return points_to_moves(self.points)

    def play(self) -> PositionBatch:
        """Return the positions after the moves, from the perspective of the side then to move."""
        is_placed = (self.frm == NO_POINT) & self.has_move
        other = self.other & ~point_bits(self.take)
        return PositionBatch(other, self.men_after, self.other_hand, self.own_hand - is_placed)

    def transform(self, permutation: Sequence[int]) -> "MoveBatch":
        """Return the images of positions and moves under a permutation of the points."""
        images = np.array([*permutation, NO_POINT], dtype=np.int8)
        parts = (images[part] for part in (self.to, self.frm, self.take))
        return MoveBatch(*self.positions.transform(permutation).columns, *parts)


@dataclass(frozen=True, slots=True, eq=False)
class ChildBatch:
    """Positions after the moves, in rows: entry [i, j] belongs to move j of position i.

    Moves are in the order of the game's `legal_moves`, without passes. If a position has more moves
    than fit in a row, the row holds a random selection. The rest of a row is zeros.
    """

    count: Array
    """Number of moves of each position, int32; may exceed the row length."""

    positions: PositionBatch
    """Positions after the moves, from the perspective of the side then to move."""

    value: Array
    """Their value codes for that side, uint8; NO_VALUE where there is no move."""

    move: Array
    """The moves as numbers, int32, see `pack_moves`."""

    def __getitem__(self, index: Any) -> "ChildBatch":
        """Select the rows of some positions."""
        return ChildBatch(
            self.count[index], self.positions[index], self.value[index], self.move[index]
        )

    @property
    def is_move(self) -> Array:
        """Mask of the entries that hold a move."""
        length = self.move.shape[1]
        if isinstance(self.count, np.ndarray):
            return np.arange(length) < self.count[:, None]
        return self.count.new_ones(length).cumsum(0) <= self.count[:, None]


MAX_MOVES = 64
"""Default row length: only a few positions have more moves."""

GENERATION_BATCH = 16384
"""Positions whose moves are generated at a time, which bounds the memory of their rows."""

MAX_NATIVE_MEN = 12


def expand(
    positions: PositionBatch, rules: Rules, max_moves: int = MAX_MOVES, seed: int = 0
) -> ChildBatch:
    """Generate all moves of each position; the seed selects among more than `max_moves`.

    All values are NO_VALUE. A finished game has no moves. Raises ValueError for impossible boards
    and for more men than the rules give.
    """
    from ludus._native import sampling

    shape = len(positions), max_moves
    children, move = PositionBatch.zeros(*shape), np.zeros(shape, np.int32)
    count = np.zeros(len(positions), np.int32)
    sampling.expand(
        rules,
        positions.to_native(),
        max_moves,
        seed,
        count,
        children.to_native(),
        move.reshape(-1),
    )
    return ChildBatch(count, children, np.full(shape, NO_VALUE, np.uint8), move)


def count_moves(positions: PositionBatch, rules: Rules) -> NDArray[np.int32]:
    """Return the number of moves that `generate_moves` would list for each position."""
    count: NDArray[np.int32] = expand(*_without_limit(positions, rules), max_moves=1).count
    return count


def generate_moves(positions: PositionBatch, rules: Rules) -> tuple[NDArray[np.intp], MoveBatch]:
    """Generate all legal moves of all positions, each position's in the order of its rules.

    Returns the index of each move's position, ascending, and the positions, repeated, with the
    moves. A position that is over for lack of men or moves has none, and no pass is listed. The
    number of men that the rules give is not checked; at most 12 may be on the board.
    """
    checked, most = _without_limit(positions, rules)
    owners, points = [np.empty(0, np.intp)], [np.empty((0, len(PARTS)), np.int8)]
    for first in range(0, len(positions), GENERATION_BATCH):
        owner, found = _generate_batch(checked[first : first + GENERATION_BATCH], most)
        owners.append(first + owner)
        points.append(found)
    owner = np.concatenate(owners)
    repeated = PositionBatch(*positions.position_columns)[owner]
    return owner, MoveBatch.from_points(repeated, np.concatenate(points))


def _generate_batch(
    positions: PositionBatch, rules: Rules
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the index of each move's position and the points of the moves."""
    try:
        children = expand(positions, rules)
        if (num_moves := int(children.count.max())) > MAX_MOVES:
            children = expand(positions, rules, num_moves)
    except ImportError:
        # A GPU machine that trains may have no compiled modules; the reference rules are slow.
        from ludus.games.nine_mens_morris.game import NineMensMorris

        game = NineMensMorris(rules, engine="python")
        moves = [
            [move for move in position.legal_moves() if move != PASS]
            for position in positions.to_positions(game)
        ]
        owner = np.repeat(np.arange(len(moves)), [len(each) for each in moves])
        return owner, moves_to_points(move for each in moves for move in each)
    is_move = children.is_move
    return np.nonzero(is_move)[0], unpack_moves(children.move[is_move])


def _without_limit(positions: PositionBatch, rules: Rules) -> tuple[PositionBatch, Rules]:
    """Return positions and rules with the same moves, and no more men than the rules give.

    Native code refuses more men, but no move depends on how many are in hand beyond these.
    """
    own_men, other_men, *hands = positions.counts
    own_hand, other_hand = (
        np.minimum(hand, np.maximum(MAX_NATIVE_MEN - men, 0)).astype(np.uint8)
        for men, hand in zip((own_men, other_men), hands, strict=True)
    )
    checked = PositionBatch(positions.own, positions.other, own_hand, other_hand)
    return checked, replace(rules, men=MAX_NATIVE_MEN)
