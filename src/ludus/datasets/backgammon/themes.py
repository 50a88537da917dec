"""What a position is about, in the words of players: the design of the data base rests on it.

Positions as they come up in play would be mostly of the same few kinds, and a network overlearns
what it sees most. So each theme has its share of the data base, whatever its share of play.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ludus.games.backgammon.view import BAR, HOME, OFF, View
from ludus.players.tool.facts import (
    THEIR_HOME,
    back_men,
    has_contact,
    longest_run,
    pips,
)

SHARES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "opening": 12,
        "middle": 22,
        "attack": 12,
        "entering": 10,
        "holding": 12,
        "containing": 8,
        "escaping": 6,
        "back_game": 4,
        "bearing_in": 8,
        "bearing_off": 6,
        "against_anchor": 4,
        "race": 6,
    }
)
"""How many of a hundred and ten positions belong to each theme."""

EARLY = 130
"""Pips both sides have at least while a game is in its opening."""

LONG_PRIME = 4
"""Points in a row that make a prime worth the name."""

HOLDING = frozenset(range(18, 23))
"""Anchors from which a side can wait for long."""

FAR_BEHIND = 40
"""Pips behind from where two anchors are a back game."""


def theme_of(view: View) -> str:
    """The theme of the board before a move, as the mover sees it."""
    if not has_contact(view):
        return "bearing_off" if _is_home(view) else "race"
    turned = view.turned()
    own, their = pips(view.own), pips(turned.own)
    own_points, their_points = _points(view.own), _points(turned.own)
    anchors = own_points & set(THEIR_HOME)
    if view.own[BAR]:
        return "entering"
    if view.their[OFF] or (back_men(turned) and _has_blot_in_home(view)):
        return "attack"
    if len(anchors) > 1 and own - their >= FAR_BEHIND:
        return "back_game"
    if _is_home(view):
        return "against_anchor"
    if back_men(view) == 0 and back_men(turned) and own < EARLY:
        return "bearing_in"
    if longest_run(own_points) >= LONG_PRIME and back_men(turned):
        return "containing"
    if longest_run(their_points) >= LONG_PRIME and back_men(view):
        return "escaping"
    if min(own, their) >= EARLY and view.own[24] and turned.own[24]:
        return "opening"
    if own_points & HOLDING or their_points & HOLDING:
        return "holding"
    return "middle"


def _points(men: tuple[int, ...]) -> frozenset[int]:
    return frozenset(point for point in range(1, BAR) if men[point] > 1)


def _is_home(view: View) -> bool:
    return not any(view.own[HOME.stop :])


def _has_blot_in_home(view: View) -> bool:
    """Whether the other side has a single man in the viewer's home."""
    return any(view.their[point] == 1 for point in HOME)
