"""The 17 terms of the conventional program and their weights, chosen by hand.

The reference of native/core/gammon/tool.hpp. A term lies near the range from 0 to 1; it has one
weight while men can still meet and another one in a race.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ludus.games.backgammon.view import OFF, View
from ludus.players.tool.facts import (
    builders,
    crossovers,
    facts,
    gaps,
    pips_at_risk,
    stacked,
)

POINT_VALUES: Final[Mapping[int, float]] = MappingProxyType(
    {1: 0.2, 2: 0.35, 3: 0.55, 4: 0.85, 5: 1.0, 6: 0.9}
    | {7: 0.8, 8: 0.5, 9: 0.3, 10: 0.25, 11: 0.2, 12: 0.2}
    | {13: 0.3, 14: 0.1, 15: 0.15, 16: 0.2, 17: 0.2, 18: 0.3}
    | {19: 0.3, 20: 0.9, 21: 0.8, 22: 0.55, 23: 0.3, 24: 0.2}
)
"""What it is worth to hold a point."""

CONTACT_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "race": 1.0,
        "exposure": -0.5,
        "risk": -1.6,
        "home": 0.9,
        "points": 1.2,
        "prime": 0.6,
        "blockade": 0.9,
        "escape": 0.5,
        "anchor": 0.25,
        "back_men": -0.5,
        "closing_out": 1.3,
        "trapped": 0.25,
        "chances": 0.5,
        "builders": 0.5,
        "stacked": -0.5,
        "off": 0.8,
        "waste": -0.2,
    }
)
RACE_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {name: {"race": 1.0, "off": 3.0, "waste": -0.6}.get(name, 0.0) for name in CONTACT_WEIGHTS}
)


def terms(end: View) -> dict[str, float]:
    """Every term of a board after a move, by name, as the side sees it that has moved."""
    found = facts(end)
    return {
        # Pips ahead.
        "race": min(max((found.their_pips - found.own_pips) / 100, -1.5), 1.5),
        # The chance that a blot is hit, and the pips that it would cost.
        "exposure": found.exposure.any / 36,
        "risk": pips_at_risk(found.exposure) / 25,
        # Points made: in the home, anywhere by their worth, and in a row.
        "home": found.home_points / 6,
        "points": sum(POINT_VALUES[point] for point in POINT_VALUES if end.own[point] > 1) / 5,
        "prime": max(found.own_prime - 2, 0) / 4,
        # How hard it is for their rearmost man to get out, and how easy for the own one.
        "blockade": 1 - found.their_escapes / 24,
        "escape": found.own_escapes / 24,
        # Safety and burden behind their lines.
        "anchor": float(found.anchors > 0),
        "back_men": found.own_back / 4,
        # Their men on the bar before a strong home, and their men behind the own lines.
        "closing_out": min(end.their[OFF], 2) * found.home_points / 12,
        "trapped": found.their_back / 4,
        # The chance to hit next time.
        "chances": found.chances.any / 36,
        # Men that can make points, and men heaped up.
        "builders": builders(end) / 8,
        "stacked": stacked(end) / 8,
        # Men borne off, and what stands in the way of bearing off.
        "off": end.own[OFF] / 15,
        "waste": (gaps(end) + end.own[1] + end.own[2]) / 15 + crossovers(end) / 30,
    }


def score(end: View) -> float:
    """What the conventional program thinks of a board after its move."""
    weights = CONTACT_WEIGHTS if facts(end).has_contact else RACE_WEIGHTS
    return sum(weights[name] * value for name, value in terms(end).items())
