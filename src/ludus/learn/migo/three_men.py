"""Endings of Nine Men's Morris with three men against three, told by move, won and drawn.

Both sides fly, and whoever closes a mill takes one of three men and has won. A state is the men
of the side to move and those of the other side, as sets of bits, seen through that one of the 16
symmetries through which they make the smallest numbers. So the 2,691,920 positions are some
170,000 states, few enough for rules to be run on all of them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES, mills

State = tuple[int, int]

WON: State = (0, 0)
"""A mill was closed and a man taken: whichever it was, the side to move has lost."""


class ThreeMen:
    """The primitives, under the standard rules."""

    def move(self, state: State, /) -> Iterator[State]:
        if state == WON:
            return
        own, other = state
        for man in _men(own):
            rest = own ^ man
            for point in _men(_ALL & ~(own | other)):
                after = rest | point
                yield WON if after in _MILLS else canonical(other, after)

    def won(self, state: State, /) -> bool:
        return state == WON

    def drawn(self, state: State, /) -> bool:
        return False


_ALL = (1 << len(POINTS)) - 1
_MILLS = frozenset(sum(1 << point for point in mill) for mill in mills(False))


@cache
def _men(board: int) -> tuple[int, ...]:
    """The single men of a board."""
    return tuple(1 << point for point in range(len(POINTS)) if board >> point & 1)


@cache
def _images(board: int) -> tuple[int, ...]:
    """The board through every symmetry."""
    points = [point for point in range(len(POINTS)) if board >> point & 1]
    return tuple(sum(1 << symmetry[point] for point in points) for symmetry in SYMMETRIES)


def canonical(own: int, other: int) -> State:
    """The state of a position: the smallest of its symmetric ones."""
    return min(zip(_images(own), _images(other), strict=True))


def all_states() -> dict[State, int]:
    """Every state in which the game goes on, and of how many positions it is the state."""
    found: dict[State, int] = {}
    boards = [sum(1 << point for point in points) for points in combinations(range(24), 3)]
    for own in boards:
        if own != min(_images(own)):
            continue  # the own men of a canonical state are themselves the smallest
        for other in boards:
            if not own & other:
                state = canonical(own, other)
                found[state] = len(set(zip(_images(own), _images(other), strict=True)))
    return found
