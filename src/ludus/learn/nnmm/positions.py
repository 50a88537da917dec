"""Between the game's positions and moves and what networks take and give."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ludus.core.errors import BadSpec
from ludus.datasets.morris.entries import NONE, POINT_OF_CLASS, Entries
from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER
from ludus.games.nine_mens_morris.move import Move
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.nnmm.inputs import MAX_MEN
from ludus.learn.nnmm.reading import Classes


def check_rules(rules: Rules) -> None:
    """Refuse rules whose positions networks cannot be shown."""
    if rules.men > MAX_MEN:
        raise BadSpec(f"the networks count to {MAX_MEN} men a side; these rules give {rules.men}")
    if rules.diagonals:
        raise BadSpec("the networks have learned the board without diagonals")


def as_entries(positions: Sequence[Any]) -> Entries:
    """Positions as their movers see them, without moves."""
    rows = []
    for position in positions:
        mover, bits, hands = position.mover, position.bits, position.hands
        rows.append((bits[mover], bits[1 - mover], hands[mover], hands[1 - mover]))
    own, other, own_hand, other_hand = np.array(rows, dtype=np.uint32).reshape(-1, 4).T
    nothing = np.full(len(rows), NONE, dtype=np.int8)
    hands = own_hand.astype(np.uint8), other_hand.astype(np.uint8)
    return Entries(own, other, *hands, nothing, nothing, nothing)


def as_moves(classes: Classes) -> list[Move]:
    """The moves that rows of TO, FROM and REMOVE stand for, legal or not."""
    return [_move(*row) for row in POINT_OF_CLASS[classes].tolist()]


def as_classes(moves: Iterable[Move]) -> list[tuple[int, int, int]]:
    """TO, FROM and REMOVE of each move."""
    return [(_CLASS[move.to], _CLASS[move.frm], _CLASS[move.take]) for move in moves]


def point_name(number: int) -> str:
    """What people call the point of a class that is not 0."""
    return POINTS[READING_ORDER[number - 1]]


def _move(to: int, frm: int, take: int) -> Move:
    return Move(*(None if point == NONE else point for point in (frm, to, take)))


_CLASS: dict[int | None, int] = {
    None: 0,
    **{point: number for number, point in enumerate(READING_ORDER, start=1)},
}
