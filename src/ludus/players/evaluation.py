"""What a position looks like to somebody who cannot see its end: men first, then freedom."""

from collections.abc import Callable
from typing import Any

from ludus.core.game import AnyGame
from ludus.games.nine_mens_morris.board import neighbours

MAN = 100
"""A man, in the unit of all evaluations."""

STEP = 4
"""A free point beside an own man."""

Evaluation = Callable[[Any], int]
"""How good a position is for its mover; zero is even."""


def evaluation(game: AnyGame) -> Evaluation:
    """The evaluation for a game; where nothing is known of the game, all positions are even."""
    if game.id == "nine_mens_morris":
        return _morris(game.rules.diagonals)
    if game.id == "hexapawn":
        return _hexapawn
    return lambda position: 0


def _morris(diagonals: bool) -> Evaluation:
    """More men, on the board or in hand, and more steps for them."""
    beside = [sum(1 << point for point in points) for points in neighbours(diagonals)]

    def steps(men: int, free: int) -> int:
        return sum((near & free).bit_count() for man, near in enumerate(beside) if men >> man & 1)

    def evaluate(position: Any) -> int:
        white, black = position.bits
        hands: tuple[int, int] = position.hands
        free = ~(white | black)
        men = white.bit_count() + hands[0] - black.bit_count() - hands[1]
        good_for_white: int = MAN * men + STEP * (steps(white, free) - steps(black, free))
        return -good_for_white if position.mover else good_for_white

    return evaluate


def _hexapawn(position: Any) -> int:
    """More pawns."""
    men: int = position.cells.count("W") - position.cells.count("B")
    return MAN * (-men if position.mover else men)
