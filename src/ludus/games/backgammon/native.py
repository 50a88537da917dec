"""The compiled twin of `reference`: the same moves in the same order, found faster."""

from typing import TYPE_CHECKING

from ludus._native import backgammon as compiled
from ludus.games.backgammon.moves import Move, Step
from ludus.games.backgammon.view import Men

if TYPE_CHECKING:
    from ludus.games.backgammon.position import Position

Tally = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Games won by side 0 and by side 1, each as single games, gammons and backgammons."""

compiled.use_types(Move, Step)


def legal_moves(position: "Position") -> list[Move]:
    """Every legal move of a position whose dice are rolled: one for each board it can lead to."""
    assert position.dice is not None
    return compiled.legal_moves(
        position.points, position.bar, position.off, position.turn, position.dice
    )


def after(position: "Position", move: Move) -> Men | None:
    """The men after a legal move; None for any other."""
    assert position.dice is not None
    if move.side != position.turn:
        return None
    return compiled.after(
        position.points, position.bar, position.off, position.turn, position.dice, move.steps
    )


def perft(position: "Position", depth: int) -> int:
    """The number of move sequences of this length; rolls count as moves."""
    p = position
    return compiled.perft(p.points, p.bar, p.off, p.turn, p.dice, p.opening, depth)


def playouts(position: "Position", games: int, seed: int) -> Tally:
    """How so many games end if both sides move at random from here."""
    p = position
    return compiled.playouts(p.points, p.bar, p.off, p.turn, p.dice, p.opening, games, seed)
