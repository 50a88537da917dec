"""Positions as a network's inputs, and moves as its outputs."""

from typing import Any

from ludus.core.game import AnyGame
from ludus.games.hexapawn import Move
from ludus.games.squares import EMPTY

GAMES = frozenset({"noughts_and_crosses", "hexapawn"})


def features(position: Any) -> list[float]:
    """One number a square: 1 for a man of the mover, 0 for one of the other side, -1 for none.

    >>> from ludus.games import game
    >>> features(game("noughts_and_crosses").parse("X.O/.../... x"))[:3]
    [1.0, -1.0, 0.0]
    """
    board, mover = str(position).split()
    own = mover.upper()
    return [-1.0 if letter == EMPTY else float(letter == own) for letter in board if letter != "/"]


def outputs(game: AnyGame) -> tuple[str, ...]:
    """Every move of the game as it is written, in the order of the network's outputs.

    In noughts and crosses these are the squares; in hexapawn each step and each capture of
    either side is one.
    """
    if game.id == "noughts_and_crosses":
        return tuple(map(str, game.start().legal_moves()))
    size = game.rules.size
    return tuple(
        str(Move(square, to, size))
        for square in range(size * size)
        for to in _reached(square, size)
    )


def _reached(square: int, size: int) -> list[int]:
    row, column = divmod(square, size)
    return [
        next_row * size + next_column
        for next_row in (row - 1, row + 1)
        for next_column in (column - 1, column, column + 1)
        if 0 <= next_row < size and 0 <= next_column < size
    ]
