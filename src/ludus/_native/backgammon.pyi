"""Backgammon rules in C++. Positions are passed as the fields of `games.backgammon.Position`."""

from collections.abc import Sequence

from ludus.games.backgammon.board import Move, Step

def use_types(move: type[Move], step: type[Step], /) -> None:
    """Set the named-tuple types from which moves are built; called once."""

def legal_moves(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int],
    /,
) -> list[Move]:
    """Return every legal move, one for each board that the roll can lead to."""

def after(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int],
    steps: Sequence[tuple[int, int, bool]],
    /,
) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, int]] | None:
    """Return points, bar and off after a legal move; None for any other move."""

def perft(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int] | None,
    opening: bool,
    depth: int,
    /,
) -> int:
    """Return the number of move sequences of this length; rolls count as moves."""

def playouts(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int] | None,
    opening: bool,
    games: int,
    seed: int,
    /,
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return the random games won by side 0 and by side 1 as single games, gammons, backgammons."""
