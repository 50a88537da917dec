"""What each unit of a coding does, computed to be read: the reference of native coding.hpp."""

from ludus.games.backgammon.moves import ROLLS
from ludus.games.backgammon.view import BAR, HOME, OFF, View
from ludus.learn.gammon.codings import LOCATIONS, Coding
from ludus.players.tool.facts import (
    Facts,
    builders,
    crossovers,
    facts,
    gaps,
    pips_at_risk,
    stacked,
)
from ludus.players.tool.terms import terms


def activities(coding: Coding, before: View, dice: tuple[int, int], end: View) -> list[float]:
    """The activity of every unit: the board before the move, the roll, and the board after it."""
    found = facts(end)
    units: list[float] = []
    for location in range(1, LOCATIONS + 1):
        point = BAR - location
        x = before.own[point] - before.their[point]
        y = end.own[point] - end.their[point]
        units += _state(x)
        units += (_final, _kinds, _exact)[coding.change](x, y)
        if coding.change == 2:
            units.append(found.exposure.at.get(point, 0) / 36)
    for men in (before.own[BAR], before.their[OFF], end.own[BAR], end.their[OFF]):
        units += [men == 1, men == 2, men >= 3]
    units += [tuple(roll) == tuple(dice) for roll in ROLLS]
    if coding.beside == 1:
        units += _features(end, found)
    elif coding.beside == 2:
        units += terms(end).values()
    return [float(unit) for unit in units]


def _state(x: int) -> list[float]:
    return [x <= -5, x == -4, x == -3, x <= -2, x == -1, x == 1, x >= 2, x == 3, x == 4, x >= 5]


def _final(x: int, y: int) -> list[float]:
    if x == y:
        return [0] * 6
    return [y == 1, y >= 2, y == 3, y == 4, y >= 5, y <= 0]


def _kinds(x: int, y: int) -> list[float]:
    clearing = x >= 1 and y == 0
    slotting = x < 1 and y == 1
    breaking = x >= 2 and y == 1
    making = x < 2 and y >= 2
    stripping = x >= 3 and y == 2
    return [clearing, slotting, breaking, making, stripping]


def _exact(x: int, y: int) -> list[float]:
    return [
        x < 1 and y == 1,
        x < 2 and y >= 2,
        x < 3 and y == 3,
        x < 4 and y == 4,
        x < y and y >= 5,
        x == 1 and y == 0,
        x >= 2 and y == 0,
        x >= 2 and y == 1,
        x >= 3 and y == 2,
        x >= 4 and y == 3,
        x >= 5 and y == 4,
        x > y and y >= 5,
    ]


def _least(value: int, *bounds: int) -> list[float]:
    return [value >= bound for bound in bounds]


def _features(end: View, found: Facts) -> list[float]:
    at_home = sum(rolls for point, rolls in found.exposure.at.items() if point in HOME)
    closed = found.home_points / 6 if end.their[OFF] else 0
    return [
        *_least(found.home_points, 1, 2, 3, 4, 5, 6),
        found.exposure.any / 36,
        *_least(found.exposure.any, 1, 5, 9, 12, 15, 19, 25),
        min(pips_at_risk(found.exposure) / 25, 1),
        *_least(found.own_blots, 1, 2, 3, 4),
        min(at_home / 36, 1),
        found.chances.any / 36,
        *_least(found.chances.any, 1, 11, 17),
        closed,
        closed**2,
        found.own_pips / 167,
        found.their_pips / 167,
        *_least(found.their_pips - found.own_pips, -40, -20, -8, 0, 8, 20, 40),
        found.has_contact,
        *_least(found.own_back, 1, 2, 3, 4),
        *_least(found.anchors, 1, 2),
        end.own[20] > 1 or end.own[21] > 1,
        *_least(found.their_back, 1, 2, 3, 4),
        found.their_anchors > 0,
        *_least(found.own_prime, 3, 4, 5, 6),
        1 - found.their_escapes / 36,
        *_least(found.their_prime, 3, 4, 5, 6),
        found.own_escapes / 36,
        builders(end) / 8,
        stacked(end) / 8,
        end.own[OFF] / 15,
        end.their[BAR] / 15,
        crossovers(end) / 30,
        gaps(end) / 6,
        (end.own[1] + end.own[2]) / 15,
        found.their_home_points / 6,
    ]
