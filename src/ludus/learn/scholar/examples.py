"""Examples from a solved game: positions, their exact values, and those of all their moves.

Everything comes in columns, one entry for each position: numpy arrays where the values are in main
memory or on disk, torch tensors where they are on a GPU. Both are made by the same compiled
functions, so the same seeds give the same positions.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.sectors import POINTS, Subspace

Array = Any
"""A numpy array, or a torch tensor on a GPU."""

DRAW = 255
NO_VALUE = 254
"""The value where there is no move, or where nothing is known."""

NO_POINT = 24
"""The part that a move does not have."""

MAX_MOVES = 64
"""Children that a row has room for: more than all but a few positions have moves."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions as their movers see them."""

    own: Array
    """The mover's men, int32: bit i for point i."""

    other: Array
    """The other side's men."""

    own_hand: Array
    """The mover's men in hand, uint8."""

    other_hand: Array

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, index: Any) -> "Positions":
        """Some of them: by a slice, a mask or numbers."""
        return Positions(*(column[index] for column in self.columns))

    @property
    def columns(self) -> tuple[Array, Array, Array, Array]:
        return self.own, self.other, self.own_hand, self.other_hand


@dataclass(frozen=True, slots=True)
class Children:
    """What the moves of positions lead to, in rows: entry [i, j] belongs to move j of position i.

    Moves come in the order of the game's `legal_moves`. Where a position has more than a row has
    room for, the row holds a random choice of them. The rest of a row is NO_VALUE and zeros.
    """

    count: Array
    """How many moves each position has, int32; not bounded by the row."""

    positions: Positions
    """After the moves, as the side that is then to move sees them."""

    value: Array
    """Their values, uint8, for that side."""

    move: Array
    """The moves, int32: to, from << 8 and take << 16, with NO_POINT for what there is not."""

    def __getitem__(self, index: Any) -> "Children":
        """The rows of some positions."""
        return Children(
            self.count[index], self.positions[index], self.value[index], self.move[index]
        )

    @property
    def is_move(self) -> Array:
        """Where there is a move."""
        return self.value != NO_VALUE


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions with all that perfect play says about them."""

    positions: Positions
    value: Array
    """For the mover, uint8: plies to the end, odd for a win and even for a loss; or DRAW."""

    children: Children

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: Any) -> "Examples":
        return Examples(self.positions[index], self.value[index], self.children[index])

    @property
    def keeps(self) -> Array:
        """Where there is a move that keeps the value: [i, j] as in `children`."""
        return keeps(self.value[:, None], self.children.value) & self.children.is_move

    @property
    def is_critical(self) -> Array:
        """Which positions have moves that keep the value and others that do not."""
        kept = self.keeps
        return kept.any(1) & (self.children.is_move & ~kept).any(1)


@dataclass(frozen=True, slots=True)
class Games:
    """Where many games stand."""

    positions: Positions
    plies: Array
    """Plies since each game began, int32."""


class ExampleSource(ABC):
    """A solved game to take examples from. Whoever trains need not know where its values are."""

    rules: Rules
    subspaces: Sequence[Subspace]
    """What is solved."""

    @abstractmethod
    def label(self, positions: Positions) -> Array:
        """The value of each position for its mover, uint8."""

    @abstractmethod
    def children(self, positions: Positions, max_moves: int = MAX_MOVES, seed: int = 0) -> Children:
        """All moves of each position; the seed chooses where there are more than `max_moves`."""

    @abstractmethod
    def draw(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> Positions:
        """Random positions that are not over, each of a subspace as likely as the others.

        The subspaces, by default all that are solved, are equally likely or have these weights.
        """

    @abstractmethod
    def advance(
        self,
        games: Games,
        examples: Examples,
        restarts: Positions,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: Array | None = None,
    ) -> Games:
        """One ply of every game, given what is known of where the games stand.

        A game goes on with its `chosen` move, packed as in Children, if that is not negative and
        in its row; else with a random one of those that keep the value, or, as often as `noise`
        says, of all. When it is over or `max_plies` long it begins anew at one of `restarts`.
        """

    @abstractmethod
    def columns(self, arrays: Sequence[NDArray[Any]]) -> list[Array]:
        """Arrays of numpy as columns of this source."""

    @abstractmethod
    def joined(self, arrays: Sequence[Array]) -> Array:
        """Columns, or rows, one after the other."""

    @abstractmethod
    def order(self, count: int, seed: int) -> Array:
        """The numbers below `count` in random order."""

    def examples(self, positions: Positions, max_moves: int = MAX_MOVES, seed: int = 0) -> Examples:
        """The positions with their values and those of all their moves."""
        return Examples(positions, self.label(positions), self.children(positions, max_moves, seed))

    def starts(self, count: int) -> Positions:
        """The start of the game, so many times."""
        board, hand = np.zeros(count, np.int32), np.full(count, self.rules.men, np.uint8)
        return Positions(*self.columns([board, board, hand, hand]))

    def joined_positions(self, parts: Sequence[Positions]) -> Positions:
        columns = zip(*(part.columns for part in parts), strict=True)
        return Positions(*(self.joined(column) for column in columns))

    def joined_examples(self, parts: Sequence[Examples]) -> Examples:
        children = [part.children for part in parts]
        return Examples(
            self.joined_positions([part.positions for part in parts]),
            self.joined([part.value for part in parts]),
            Children(
                self.joined([rows.count for rows in children]),
                self.joined_positions([rows.positions for rows in children]),
                self.joined([rows.value for rows in children]),
                self.joined([rows.move for rows in children]),
            ),
        )


def keeps(value: Array, child_value: Array) -> Array:
    """Whether a move to a position of one value keeps the other: a draw, or who wins."""
    is_draw = value == DRAW
    has_other_parity = ((value ^ child_value) & 1) == 1
    return ((child_value == DRAW) == is_draw) & (is_draw | has_other_parity)


def shares(
    subspaces: Sequence[Subspace], weights: Sequence[float] | None
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Subspaces and their weights as the compiled functions want them.

    A full board is left out: nobody can move there.
    """
    men = np.array(subspaces, np.int32).reshape(-1, 4)
    given = np.ones(len(men)) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (len(men),) or not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError("as many weights as subspaces, none of them negative")
    is_open = (men[:, 0] + men[:, 1] < POINTS) & (given > 0)
    men, given = men[is_open], given[is_open]
    if len(men) == 0:
        raise ValueError("there is no subspace to draw from")
    upto = np.cumsum(given) / given.sum()
    cumulative = np.minimum(np.floor(upto * 2**32), 2**32 - 1).astype(np.uint32)
    return np.ascontiguousarray(men), cumulative
