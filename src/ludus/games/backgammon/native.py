"""The native equivalent of `reference`: the same moves in the same order, computed faster."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ludus._native import backgammon as compiled
from ludus.games.backgammon.board import BoardTuple, Move, Step

if TYPE_CHECKING:
    from ludus.games.backgammon.position import Position

Tally = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Games won by side 0 and by side 1, each as single games, gammons and backgammons."""

compiled.use_types(Move, Step)


def legal_moves(position: "Position") -> list[Move]:
    """Return every legal move after a roll: one for each board it can lead to."""
    assert position.dice is not None
    return compiled.legal_moves(
        position.points, position.bar, position.off, position.turn, position.dice
    )


def apply_move(position: "Position", move: Move) -> BoardTuple | None:
    """Return the men after a legal move; None for any other move."""
    assert position.dice is not None
    if move.side != position.turn:
        return None
    return compiled.after(
        position.points, position.bar, position.off, position.turn, position.dice, move.steps
    )


def perft(position: "Position", depth: int) -> int:
    """Return the number of move sequences of this length; rolls count as moves."""
    p = position
    if p.opening == "roll_off" and depth:
        return sum(perft(half, depth) for half in _split_roll_off(p))
    return compiled.perft(p.points, p.bar, p.off, p.turn, p.dice, bool(p.opening), depth)


def playouts(position: "Position", games: int, seed: int) -> Tally:
    """Play this number of random games from the position and return their results.

    Where a roll-off decides which side begins, each side begins half of the games.
    """
    p = position
    if p.opening == "roll_off":
        halves = [
            playouts(half, (games + 1 - half.turn) // 2, seed + half.turn)
            for half in _split_roll_off(p)
        ]
        first, second = (
            tuple(one + other for one, other in zip(*counts, strict=True))
            for counts in zip(*halves, strict=True)
        )
        return first, second
    return compiled.playouts(p.points, p.bar, p.off, p.turn, p.dice, bool(p.opening), games, seed)


def _split_roll_off(position: "Position") -> "tuple[Position, Position]":
    """Return the start as it is after either side has won the roll-off, before it has dice."""
    return replace(position, opening="first"), replace(position, opening="first", turn=1)
