"""Which rolls hit a blot and which let a man out: the reference of native/core/gammon/shots.hpp.

A walker moves up from his bar, place 0. He makes his journey alone, with one die or both (up to
four steps of a double), and lands on no point that two men hold. Men on the bar go first: with one
there, another man may move only with the die that is left after entering, with two there nobody
else moves unless a double leaves steps over. That both dice must be played where they can be is
left aside, as players at the board do when they count shots.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ludus.games.backgammon.moves import ROLLS
from ludus.games.backgammon.view import BAR, View

NUM_ROLLS = 36
STEPS_OF_DOUBLE = 4


@dataclass(frozen=True, slots=True)
class Walkers:
    """One side on its way up, and what stands against it."""

    men: frozenset[int]
    """Points with at least one of its men."""

    on_bar: int
    """Its men on the bar."""

    blots: frozenset[int]
    """The other side's single men."""

    blocks: frozenset[int]
    """Points that the other side holds."""


@dataclass(frozen=True, slots=True)
class Shots:
    """In how many of 36 rolls blots are hit."""

    any: int = 0
    """At least one of them."""

    at: Mapping[int, int] = field(default_factory=dict)
    """Each of them, by the point where it stands."""


def walkers_against(view: View) -> Walkers:
    """The other side before the viewer's men."""
    points = range(1, BAR)
    return Walkers(
        men=frozenset(point for point in points if view.their[point]),
        on_bar=view.their[0],
        blots=frozenset(point for point in points if view.own[point] == 1),
        blocks=frozenset(point for point in points if view.own[point] > 1),
    )


def reached(walkers: Walkers, high: int, low: int) -> set[int]:
    """The points on which a man can land with this roll."""
    entering = {die for die in (high, low) if die not in walkers.blocks}
    if walkers.on_bar and not entering:
        return set()
    if high == low:
        spare = max(STEPS_OF_DOUBLE - walkers.on_bar, 0)
        starts = [(0, spare + 1)] if walkers.on_bar else []
        starts += [(man, spare) for man in walkers.men]
        return {end for man, steps in starts for end in _journey(man, (high,) * steps, walkers)}
    if walkers.on_bar > 1:
        return entering
    ends: set[int] = set()
    for first, second in ((high, low), (low, high)):
        if walkers.on_bar:
            ends.update(_journey(0, (first, second), walkers))
            if second in entering:
                ends.update(end for man in walkers.men for end in _journey(man, (first,), walkers))
        else:
            ends.update(
                end for man in walkers.men for end in _journey(man, (first, second), walkers)
            )
    return ends


def _journey(man: int, dice: tuple[int, ...], walkers: Walkers) -> Iterator[int]:
    """Where a man lands, die by die, until a point is held against him."""
    for die in dice:
        man += die
        if man in walkers.blocks:
            return
        yield man


def shots(walkers: Walkers) -> Shots:
    """The rolls that hit."""
    any_hit, at = 0, dict.fromkeys(sorted(walkers.blots), 0)
    for high, low in ROLLS:
        ways = 1 if high == low else 2
        hit = reached(walkers, high, low) & walkers.blots
        any_hit += ways if hit else 0
        for point in hit:
            at[point] += ways
    return Shots(any_hit, at)


def escapes(walkers: Walkers) -> int:
    """Rolls of 36 with which the rearmost man gets past the six points in front of him."""
    if not walkers.men and not walkers.on_bar:
        return NUM_ROLLS
    rear = 0 if walkers.on_bar else min(walkers.men)
    alone = Walkers(
        frozenset({rear} - {0}), int(rear == 0), blots=frozenset(), blocks=walkers.blocks
    )
    return sum(
        1 if high == low else 2
        for high, low in ROLLS
        if any(end > rear + 6 for end in reached(alone, high, low))
    )
