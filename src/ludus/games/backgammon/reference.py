"""The rules of moving, in readable Python. The compiled twin does the same, in the same order."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.games.backgammon.moves import Move, Step
from ludus.games.backgammon.view import BAR, HOME, OFF, Board, View, board_of, view_of

if TYPE_CHECKING:
    from ludus.games.backgammon.position import Position


def legal_moves(position: "Position") -> list[Move]:
    """Every legal move of a position whose dice are rolled: one for each board it can lead to."""
    return list(plays(position).values())


def after(position: "Position", move: Move) -> Board | None:
    """The men after a legal move; None for any other."""
    for view, legal in plays(position).items():
        if legal == move:
            return board_of(view, position.turn)
    return None


def plays(position: "Position") -> dict[View, Move]:
    """Every board the roll can lead to, as the mover sees it, with one move that leads there."""
    assert position.dice is not None
    found = _longest(view_of(position.board, position.turn), position.dice)
    return {view: Move(position.turn, steps) for view, steps in found.items()}


def _longest(view: View, dice: tuple[int, int]) -> dict[View, tuple[Step, ...]]:
    """The plays that use as many dice as can be used, and the larger one if only one can be."""
    high, low = dice
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    best: dict[View, tuple[Step, ...]] = {view: ()}
    longest = 0
    for order in orders:
        # With the larger die playable, the smaller one alone is not enough.
        enough = 2 if order == (low, high) and longest == 1 else 1
        for end, steps in _sequences(view, order, BAR):
            if len(steps) > longest and len(steps) >= enough:
                longest, best = len(steps), {}
            if len(steps) == longest and len(steps) >= enough:
                best.setdefault(end, steps)
    return best


def _sequences(
    view: View, dice: tuple[int, ...], rearmost: int
) -> Iterator[tuple[View, tuple[Step, ...]]]:
    """Every way to play dice in this order, each step from no further back than the one before.

    Nothing is lost by playing the man furthest back first: what blocks him stays, and a man in
    front of him can neither be kept from moving nor, while he is behind, be borne off with a
    die too large. A sequence ends where no further step of this kind can be made.
    """
    stuck = True
    if dice:
        for start in range(rearmost, OFF, -1):
            moved = step(view, start, dice[0])
            if moved is None:
                continue
            stuck = False
            end, first = moved
            for view_after, rest in _sequences(end, dice[1:], start):
                yield view_after, (first, *rest)
    if stuck:
        yield view, ()


def step(view: View, start: int, die: int) -> tuple[View, Step] | None:
    """One man moved by one die, or None where that is not allowed."""
    own, their = list(view.own), list(view.their)
    end = max(start - die, OFF)
    if not own[start] or (own[BAR] and start != BAR):
        return None
    if end == OFF and not _may_bear_off(own, start, die):
        return None
    if end != OFF and their[end] > 1:
        return None
    hit = end != OFF and their[end] == 1
    own[start] -= 1
    own[end] += 1
    if hit:
        their[end] -= 1
        their[OFF] += 1  # the other side's bar
    return View(tuple(own), tuple(their)), Step(start, end, hit)


def _may_bear_off(own: list[int], start: int, die: int) -> bool:
    """All men are home, and a die larger than needed moves the man furthest back."""
    if any(own[HOME.stop :]):
        return False
    return start == die or not any(own[start + 1 : HOME.stop])
