"""What Vrajitoru's paper leaves open about its players, as options of theirs.

The defaults are the plainest reading. The experiment `vrajitoru-table-1` measures which one fits
the published table best.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from ludus.games.nine_mens_morris.board import mills
from ludus.games.nine_mens_morris.move import Move


@dataclass(frozen=True, slots=True)
class Reading:
    """How a player chooses among moves of the kind it looks for."""

    taking: Literal["any", "first", "threat"] = "any"
    """Which man it takes: any, the first on the board, or one that the other side's next mill
    needs if there is such a man."""

    among: Literal["moves", "men", "first"] = "moves"
    """How it draws: any move, any man and then any move of it, or the first that closes, opens or
    blocks, going over the board; a move without such a purpose is then any move."""


@dataclass(frozen=True, slots=True)
class OpeningReading(Reading):
    """The same for a player that opens mills."""

    opening: Literal["safe", "any"] = "safe"
    """Which mills it opens: those whose gap the other side cannot enter at once, or any."""


def narrowed(reading: Reading, position: Any, moves: list[Move], is_wanted: bool) -> list[Move]:
    """The moves that a reading leaves; `is_wanted` if they close, open or block."""
    if reading.among == "first" and is_wanted:
        moves = [move for move in moves if _way(move) == _way(moves[0])]
    if reading.taking == "any" or all(move.take is None for move in moves):
        return moves
    found: list[Move] = []
    for way in dict.fromkeys(map(_way, moves)):
        alike = [move for move in moves if _way(move) == way]
        found += alike[:1] if reading.taking == "first" else _against_threats(position, alike)
    return found


def drawn(reading: Reading, moves: Sequence[Move], source: Random) -> Move:
    """One of the moves."""
    if reading.among == "men":
        man = source.choice(list(dict.fromkeys(move.frm for move in moves)))
        moves = [move for move in moves if move.frm == man]
    return source.choice(moves)


def _way(move: Move) -> tuple[int | None, int | None]:
    """A move without the man it takes."""
    return move.frm, move.to


def _against_threats(position: Any, alike: list[Move]) -> list[Move]:
    """Those of the moves, which differ in the man they take, that leave fewer mills to close."""
    frm, to = _way(alike[0])
    own = position.men[position.mover] - {frm} | {to}
    other = position.men[1 - position.mover]
    now = _gaps(position, other, own)
    fewer = [move for move in alike if _gaps(position, other - {move.take}, own) < now]
    return fewer or alike


def _gaps(position: Any, men: Iterable[int], others: Iterable[int]) -> int:
    """Points that no man stands on and that would complete a mill of `men`."""
    mine, theirs = set(men), set(others)
    gaps = set()
    for mill in mills(position.rules.diagonals):
        missing = set(mill) - mine
        if len(missing) == 1:
            gaps |= missing - theirs
    return len(gaps)
