"""Move generation in readable Python; native code generates the same moves in the same order."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.games.backgammon.board import (
    BAR,
    HOME,
    OFF,
    Board,
    Move,
    Step,
    View,
    make_board,
    make_view,
)

if TYPE_CHECKING:
    from ludus.games.backgammon.position import Position


def legal_moves(position: "Position") -> list[Move]:
    """Return every legal move after a roll: one for each board it can lead to."""
    return list(generate_plays(position).values())


def apply_move(position: "Position", move: Move) -> Board | None:
    """Return the men after a legal move; None for any other move."""
    for view, legal in generate_plays(position).items():
        if legal == move:
            return make_board(view, position.turn)
    return None


def generate_plays(position: "Position") -> dict[View, Move]:
    """Return every board the roll can lead to, as the mover counts, with one move to it."""
    assert position.dice is not None
    found = _longest_plays(make_view(position.board, position.turn), position.dice)
    return {view: Move(position.turn, steps) for view, steps in found.items()}


def _longest_plays(view: View, dice: tuple[int, int]) -> dict[View, tuple[Step, ...]]:
    """Return the plays that use as many dice as possible, and the larger one if only one."""
    high, low = dice
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    best: dict[View, tuple[Step, ...]] = {view: ()}
    longest = 0
    for order in orders:
        # If the larger die can be played, playing the smaller one alone is illegal.
        enough = 2 if order == (low, high) and longest == 1 else 1
        for end, steps in _generate_sequences(view, order, BAR):
            if len(steps) > longest and len(steps) >= enough:
                longest, best = len(steps), {}
            if len(steps) == longest and len(steps) >= enough:
                best.setdefault(end, steps)
    return best


def _generate_sequences(
    view: View, dice: tuple[int, ...], rearmost: int
) -> Iterator[tuple[View, tuple[Step, ...]]]:
    """Generate every way to play dice in this order, each step from no further back than the last.

    Playing the rearmost man first loses no play: what blocks him stays, and a man in front of him
    can neither be kept from moving nor, while he is behind, be borne off with a die too large. A
    sequence ends where no further step of this kind is possible.
    """
    stuck = True
    if dice:
        for start in range(rearmost, OFF, -1):
            moved = move_man(view, start, dice[0])
            if moved is None:
                continue
            stuck = False
            end, first = moved
            for view_after, rest in _generate_sequences(end, dice[1:], start):
                yield view_after, (first, *rest)
    if stuck:
        yield view, ()


def move_man(view: View, start: int, die: int) -> tuple[View, Step] | None:
    """Move one man by one die; None where that is illegal."""
    own, other = list(view.own), list(view.other)
    end = max(start - die, OFF)
    if not own[start] or (own[BAR] and start != BAR):
        return None
    if end == OFF and not _may_bear_off(own, start, die):
        return None
    if end != OFF and other[end] > 1:
        return None
    hit = end != OFF and other[end] == 1
    own[start] -= 1
    own[end] += 1
    if hit:
        other[end] -= 1
        other[OFF] += 1  # the other side's bar
    return View(tuple(own), tuple(other)), Step(start, end, hit)


def _may_bear_off(own: list[int], start: int, die: int) -> bool:
    """Return whether all men are home and a die larger than needed moves the rearmost man."""
    if any(own[HOME.stop :]):
        return False
    return start == die or not any(own[start + 1 : HOME.stop])
