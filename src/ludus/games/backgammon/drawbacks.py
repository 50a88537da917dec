"""What a move of checkers does worse than another: shots, hits, points, checkers borne off."""

from functools import lru_cache
from typing import Final, NamedTuple

from ludus.games.backgammon.board import BAR, HOME, OFF, ROLLS, Move, View, make_board, make_view
from ludus.games.backgammon.position import Action, Position, load_engine

NUM_ROLLS: Final = 36

MIN_MORE_SHOTS: Final = 2
"""Rolls by which one move must be safer than another, to be worth a word."""

MIN_STACK: Final = 5
"""Checkers on a point from which it counts as stacked."""


class Shots(NamedTuple):
    """What the other side can hit with its next roll."""

    rolls: int
    """Rolls out of 36 that hit."""

    checkers: int
    """Checkers that some roll hits."""


def find_drawbacks(position: Position, move: Action, better: Action) -> dict[str, str]:
    """Return what a move does worse than a better one, by its kind, as sentences on `it`."""
    if not (isinstance(move, Move) and isinstance(better, Move)):
        return {}
    side = position.turn
    before = make_view(position.board, side)
    after, other = _view_after(before, move), _view_after(before, better)
    return {
        **_compare_hits(move, better),
        **_compare_shots(position, after, other, better),
        **_compare_bearing_off(after, other, better),
        **_compare_points(before, after, other),
        **_compare_shape(after, other, better),
    }


def _view_after(view: View, move: Move) -> View:
    own, other = list(view.own), list(view.other)
    for step in move.steps:
        own[step.start] -= 1
        own[step.end] += 1
        if step.hit:
            other[step.end] -= 1
            other[0] += 1
    return View(tuple(own), tuple(other))


@lru_cache(maxsize=4096)
def count_shots(view: View, engine: str) -> Shots:
    """Return what the other side can hit with its next roll, in this side's view."""
    points, bar, off = make_board(view, 0)
    rolls, hit = 0, set()
    for roll in ROLLS:
        dice = (max(roll), min(roll))
        rolled = Position(points, bar, off, 1, dice, "", engine, None)
        moves = load_engine(engine).legal_moves(rolled)
        ends = {step.end for each in moves for step in each.steps if step.hit}
        rolls += (1 if roll.is_double else 2) * bool(ends)
        hit |= ends
    return Shots(rolls, len(hit))


def _compare_hits(move: Move, better: Move) -> dict[str, str]:
    hits, more = (sum(step.hit for step in each.steps) for each in (move, better))
    if hits >= more:
        return {}
    number = "a checker" if more == 1 else f"{more} checkers"
    fact = "it hits once" if hits else "it does not hit"
    return {"hit": f"{fact}; {better} sends {number} back"}


def _compare_shots(position: Position, after: View, other: View, better: Move) -> dict[str, str]:
    shots, fewer = (count_shots(each, position.engine) for each in (after, other))
    if shots.rolls - fewer.rolls < MIN_MORE_SHOTS:
        return {}
    open_checkers = "a checker" if shots.checkers == 1 else f"{shots.checkers} checkers"
    compared = f"{fewer.rolls}" if fewer.rolls else "none"
    return {
        "shots": f"it leaves {open_checkers} open to {shots.rolls} of {NUM_ROLLS} rolls "
        f"({shots.rolls / NUM_ROLLS:.0%}), {better} to {compared}"
    }


def _compare_bearing_off(after: View, other: View, better: Move) -> dict[str, str]:
    if after.own[OFF] >= other.own[OFF]:
        return {}
    more = other.own[OFF] - after.own[OFF]
    number = "one checker more" if more == 1 else f"{more} checkers more"
    return {"off": f"{better} bears off {number}"}


def _compare_points(before: View, after: View, other: View) -> dict[str, str]:
    """Compare the points that are held by two checkers or more."""
    found = {}
    for point in _order_points():
        held, kept, could = (each.own[point] > 1 for each in (before, after, other))
        if could and not kept:
            verb = "breaks" if held else "does not make"
            found[f"{verb} {point}"] = f"it {verb} the {point} point"
    return found


def _order_points() -> list[int]:
    """Return the points, those that are worth most first: home and bar point, then anchors."""
    first = [5, 4, 7, 6, 20, 21, 3, 18, 8, 2, 22]
    return [*first, *(point for point in range(1, BAR) if point not in first)]


def _compare_shape(after: View, other: View, better: Move) -> dict[str, str]:
    found = {}
    rear, ahead = (max(n for n, men in enumerate(each.own) if men) for each in (after, other))
    if rear > ahead and rear not in HOME:
        found["rear"] = f"its last checker stays on the {rear} point; {better} brings it forward"
    singles, fewer = (_count_singles(each) for each in (after, other))
    if singles > fewer:
        found["singles"] = f"it leaves {_count(singles)}, {better} {fewer or 'none'}"
    stack, lower = (max(each.own[1:BAR]) for each in (after, other))
    if stack > lower and stack >= MIN_STACK:
        point = after.own.index(stack, 1)
        found["stack"] = f"it piles {stack} checkers on the {point} point"
    return found


def _count_singles(view: View) -> int:
    return sum(men == 1 for men in view.own[1:BAR])


def _count(singles: int) -> str:
    return "a single checker" if singles == 1 else f"{singles} single checkers"
