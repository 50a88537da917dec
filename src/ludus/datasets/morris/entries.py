"""Many positions, each with the move that is good in it, as arrays of one length.

Boards are bitboards, bit i for point i of `ludus.games.nine_mens_morris.board`, so that the oracle
and the compiled rules take them as they are. Learners want classes, see `classes`.
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER
from ludus.oracle.men import num_men

if TYPE_CHECKING:
    from collections.abc import Iterable

NONE = -1
"""Instead of a point, where a move does not have this part."""

PARTS = ("TO", "FROM", "REMOVE")
NUM_CLASSES = 1 + len(POINTS)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Positions as the side to move sees them, with a move. A move without TO is none at all."""

    own: NDArray[np.uint32]
    """The mover's men."""

    other: NDArray[np.uint32]
    """The other side's men."""

    own_hand: NDArray[np.uint8]
    """How many men the mover has in hand."""

    other_hand: NDArray[np.uint8]

    to: NDArray[np.int8]
    """The point a man goes to."""

    frm: NDArray[np.int8]
    """The point it leaves; NONE when it comes from the hand."""

    take: NDArray[np.int8]
    """The point from which a man of the other side is taken, or NONE."""

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, which: Any) -> Self:
        """Some of the entries: a slice, a mask, or their numbers."""
        return type(self)(*(column[which] for column in self.columns()))

    def columns(self) -> list[NDArray[Any]]:
        """The arrays, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def joined(cls, parts: "Iterable[Entries]") -> Self:
        """Several parts as one."""
        columns = zip(*(part.columns() for part in parts), strict=True)
        arrays = [np.concatenate(column) for column in columns]
        return cls(*arrays) if arrays else cls.empty()

    @classmethod
    def empty(cls) -> Self:
        board, hand = np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8)
        point = np.empty(0, dtype=np.int8)
        return cls(board, board, hand, hand, point, point, point)

    @property
    def own_men(self) -> NDArray[np.uint8]:
        """How many men the mover has on the board."""
        return num_men(self.own).astype(np.uint8)

    @property
    def other_men(self) -> NDArray[np.uint8]:
        return num_men(self.other).astype(np.uint8)

    @property
    def has_move(self) -> NDArray[np.bool_]:
        has: NDArray[np.bool_] = self.to != NONE
        return has

    @property
    def phases(self) -> NDArray[np.uint8]:
        """1 while the mover has men in hand; then 3 if it has three men or fewer, else 2."""
        moving = np.where(self.own_men <= 3, 3, 2)
        return np.where(self.own_hand > 0, 1, moving).astype(np.uint8)

    @property
    def classes(self) -> NDArray[np.int8]:
        """The moves as learners want them, shape (entries, 3): TO, FROM and REMOVE.

        0 is no such part, 1 to 24 are the points in reading order, as the thesis numbers them.
        """
        return _CLASS[np.stack([self.to, self.frm, self.take], axis=1)]


_CLASS = np.zeros(NUM_CLASSES, dtype=np.int8)
"""Point to class; the last one answers for NONE, which is -1."""
_CLASS[list(READING_ORDER)] = np.arange(1, NUM_CLASSES)

POINT_OF_CLASS: NDArray[np.int8] = np.array([NONE, *READING_ORDER], dtype=np.int8)
"""Class to point."""
