"""Backgammon, compiled. Positions come as the fields of `ludus.games.backgammon.Position`."""

from collections.abc import Sequence

from ludus.games.backgammon.moves import Move, Step

def use_types(move: type[Move], step: type[Step], /) -> None:
    """Say once which types moves are made of, both of them tuples with names."""

def legal_moves(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int],
    /,
) -> list[Move]:
    """Every legal move, one for each board it can lead to."""

def after(
    points: Sequence[int],
    bar: Sequence[int],
    off: Sequence[int],
    turn: int,
    dice: tuple[int, int],
    steps: Sequence[tuple[int, int, bool]],
    /,
) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, int]] | None:
    """Points, bar and off after a legal move; None for any other."""

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
    """The number of move sequences of this length; rolls count as moves."""

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
    """Random games won by side 0 and by side 1, each as single games, gammons, backgammons."""
