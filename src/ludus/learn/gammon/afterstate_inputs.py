"""Inputs of the strong networks: a board after a move, and what is counted on it.

This is the reference of native/core/gammon/afterstate_inputs.hpp. First come the units of the side
that has just moved, then those of the other side, which rolls next, each as that side counts; at
last whether men can still meet.
"""

from itertools import combinations_with_replacement
from typing import Final

from ludus.games.backgammon.board import BAR, HOME, View
from ludus.games.backgammon.coding import encode_men

ROLL_WAYS: Final = [
    (high, low, 1 if high == low else 2)
    for low, high in combinations_with_replacement(range(1, 7), 2)
]

MEN_UNITS: Final = (
    *tuple(
        f"{'bar' if place == BAR else place}: {unit}"
        for place in range(1, BAR + 1)
        for unit in ("n≥1", "n≥2", "n≥3", "(n-3)/2")
    ),
    "off, of 5",
    "off after 5, of 5",
    "off after 10, of 5",
)

FEATURE_UNITS: Final = (
    "pips, of 167",
    "rolls that hit a blot, of 36",
    "rolls that hit several blots, of 36",
    "rolls that hit a blot in the home, of 36",
    "pips at risk, of 25",
    "rolls with which the rearmost man escapes, of 36",
    "men on 13 or behind, times rolls with which each does not escape, of 144",
    "rolls with which a man on the bar escapes, of 36",
    "chance that a man on the bar does not enter",
    "the same, if there is a man on the bar",
    "points in the home, of 6",
    "longest prime, of 6",
    "most points of six in a row, in front of one of their men, of 6",
    "points in their home, of 3",
    "men in their home or on the bar, of 6",
    "builders, of 8",
    "stacked men, of 8",
    "gaps in the home, of 6",
    "quarters to cross, of 30",
    "blots, of 4",
    "pips outside the home of men on 7 to 18, of 60",
    "men on 1 and 2, of 15",
    "men that are not past all of theirs, of 15",
    "pips until they are past, of 167",
    "variance of the men's places, of 100",
)

UNIT_NAMES: Final = (
    *(f"{side} {unit}" for side in ("own", "their") for unit in (*MEN_UNITS, *FEATURE_UNITS)),
    "men can still meet",
)
"""The meaning of every input, in order."""

Men = tuple[int, ...]
"""One side's men by its own places, 0 (off) to 25 (bar)."""


def compute_inputs(end: View) -> list[float]:
    """Return the inputs of a board after a move, as the side that has just moved sees it."""
    own, other = end.own, end.other[::-1]
    units = [*encode_men(own), *_compute_features(own, other)]
    units += [*encode_men(other), *_compute_features(other, own)]
    return [*units, float(_rearmost(own) + _rearmost(other) > BAR)]


def _rearmost(men: Men) -> int:
    return max((place for place in range(1, BAR + 1) if men[place]), default=0)


def _compute_features(men: Men, other: Men) -> list[float]:
    blocked = {BAR - place for place in range(1, BAR) if other[place] > 1}
    points = {place for place in range(1, BAR) if men[place] > 1}
    blots = {place for place in range(1, BAR) if men[place] == 1}
    hits = _find_hits(men, other)
    rear = _rearmost(men)
    dances = (len(blocked & set(range(19, BAR))) / 6) ** 2
    others = {BAR - place for place in range(1, BAR + 1) if other[place]}
    others_rear = BAR - _rearmost(other)
    past = [(place, men[place]) for place in range(1, BAR + 1) if place > others_rear]
    on_board = sum(men[1:])
    pips = sum(place * count for place, count in enumerate(men))
    mean = pips / on_board if on_board else 0
    squares = sum(place * place * count for place, count in enumerate(men))
    return [
        pips / 167,
        sum(ways for hit, ways in hits if hit) / 36,
        sum(ways for hit, ways in hits if len(hit) > 1) / 36,
        sum(ways for hit, ways in hits if hit & set(HOME)) / 36,
        sum(ways * (BAR - place) for hit, ways in hits for place in hit) / 36 / 25,
        _count_escapes(rear, blocked) / 36 if rear > 12 else 1,
        sum(men[place] * (36 - _count_escapes(place, blocked)) for place in range(13, BAR + 1))
        / 144,
        _count_escapes(BAR, blocked) / 36,
        dances,
        dances if men[BAR] else 0,
        len(points & set(HOME)) / 6,
        _longest_run(points) / 6,
        _find_blockade(points, others) / 6,
        len(points & set(range(19, BAR))) / 3,
        sum(men[19:]) / 6,
        sum(1 if count == 1 else max(count - 2, 0) for count in men[4:14]) / 8,
        sum(max(count - 3, 0) for count in men[1:]) / 8,
        sum(men[place] == 0 for place in HOME) / 6,
        sum(men[place] * ((place - 1) // 6) for place in range(1, BAR + 1)) / 30,
        len(blots) / 4,
        sum(men[place] * (place - 6) for place in range(7, 19)) / 60,
        (men[1] + men[2]) / 15,
        sum(count for _, count in past) / 15,
        sum(count * (place - others_rear) for place, count in past) / 167,
        (squares / on_board - mean * mean) / 100 if on_board else 0,
    ]


def _find_hits(men: Men, other: Men) -> list[tuple[set[int], int]]:
    """Return for each roll of the other side the own blots that it can hit, and its ways."""
    # The other side walks up over the own places, from its bar, place 0.
    walkers = {BAR - place for place in range(1, BAR) if other[place]}
    found = []
    for high, low, ways in ROLL_WAYS:
        dice = [high] * 4 if high == low else [high, low]
        reached = _find_reached(walkers, other[BAR], dice, men)
        found.append(({place for place in reached if 0 < place < BAR and men[place] == 1}, ways))
    return found


def _find_reached(walkers: set[int], num_on_bar: int, dice: list[int], men: Men) -> set[int]:
    """Return the places that one man can reach; men on the bar enter first."""

    def is_open(place: int) -> bool:
        return place >= BAR or men[place] < 2

    def walk(starts: set[int], steps: list[int]) -> set[int]:
        reached: set[int] = set()
        for step in steps:
            starts = {start + step for start in starts if is_open(start + step)}
            reached |= starts
        return reached

    if len(dice) == 4:
        if num_on_bar == 0:
            return walk(walkers, dice)
        entered = walk({0}, dice[:1])
        if not entered:
            return set()
        return entered | walk(entered | walkers, dice[num_on_bar:])
    if num_on_bar == 0:
        return walk(walkers, dice) | walk(walkers, dice[::-1])
    entries = {die: walk({0}, [die]) for die in dice}
    reached = set[int]().union(*entries.values())
    if num_on_bar == 1:
        for die, then in (dice, dice[::-1]):
            reached |= walk(entries[die], [then])
            if entries[die]:
                reached |= walk(walkers, [then])
    return reached


def _count_escapes(place: int, blocked: set[int]) -> int:
    """Return the rolls of 36 with which a man gets past the six points in front of him."""
    count = 0
    for high, low, ways in ROLL_WAYS:
        orders = [[high] * 4] if high == low else [[high, low], [low, high]]
        for dice in orders:
            at = place
            has_escaped = False
            for die in dice:
                at -= die
                if at in blocked:
                    break
                has_escaped |= at < place - 6
            if has_escaped:
                count += ways
                break
    return count


def _longest_run(points: set[int]) -> int:
    longest = length = 0
    for place in range(1, BAR + 1):
        length = length + 1 if place in points else 0
        longest = max(longest, length)
    return longest


def _find_blockade(points: set[int], others: set[int]) -> int:
    return max(
        (
            len(points & set(range(first, first + 6)))
            for first in range(1, 20)
            if any(place <= first + 4 for place in others)
        ),
        default=0,
    )
