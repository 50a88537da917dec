"""Nine Men's Morris endings with three men against three, as MIGO primitives.

Both sides fly, and the side that closes a mill captures one of three men and wins. A state is a
pair of bit sets, the mover's men and the opponent's, reduced to the smallest of its 16 symmetric
images: 2,691,920 positions are about 170,000 states.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from ludus.games.nine_mens_morris.bitboards import ALL_POINTS, mill_masks
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES

EndingState = tuple[int, int]
"""Boards of the side to move and of the other side, one bit per point."""

WON_STATE: EndingState = (0, 0)
"""A mill was closed and a man taken: whichever it was, the side to move has lost."""


class ThreeMenPrimitives:
    """The primitives, under the standard rules."""

    def move(self, state: EndingState, /) -> Iterator[EndingState]:
        if state == WON_STATE:
            return
        own, other = state
        for man in _split_men(own):
            rest = own ^ man
            for point in _split_men(ALL_POINTS & ~(own | other)):
                after = rest | point
                yield WON_STATE if after in _MILL_MASKS else canonicalize(other, after)

    def won(self, state: EndingState, /) -> bool:
        return state == WON_STATE

    def drawn(self, state: EndingState, /) -> bool:
        return False

    def format_move(self, state: EndingState, after: EndingState, /) -> str:
        return str(after)


_MILL_MASKS = frozenset(mill_masks(False).tolist())


@cache
def _split_men(board: int) -> tuple[int, ...]:
    """Return the single men of a board."""
    return tuple(1 << point for point in range(len(POINTS)) if board >> point & 1)


@cache
def _compute_images(board: int) -> tuple[int, ...]:
    """Return the image of the board under every symmetry."""
    points = [point for point in range(len(POINTS)) if board >> point & 1]
    return tuple(sum(1 << symmetry[point] for point in points) for symmetry in SYMMETRIES)


def canonicalize(own: int, other: int) -> EndingState:
    """Return the state of a position: the smallest of its symmetric images."""
    return min(zip(_compute_images(own), _compute_images(other), strict=True))


def count_states() -> dict[EndingState, int]:
    """Return every unfinished state with the number of its positions."""
    found: dict[EndingState, int] = {}
    boards = [sum(1 << point for point in points) for points in combinations(range(24), 3)]
    for own in boards:
        if own != min(_compute_images(own)):
            continue  # the own men of a canonical state are themselves the smallest
        for other in boards:
            if not own & other:
                state = canonicalize(own, other)
                found[state] = len(
                    set(zip(_compute_images(own), _compute_images(other), strict=True))
                )
    return found
