"""What can be counted on a board after a move: the reference of native/core/gammon/facts.hpp.

Everything is as the side sees it that has just moved; the other side rolls next.
"""

from dataclasses import dataclass

from ludus.games.backgammon.view import BAR, HOME, OFF, View
from ludus.players.tool.shots import Shots, escapes, shots, walkers_against

THEIR_HOME = range(19, BAR)
BUILDING = range(4, 14)
"""Points from which men can still build a board."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Counts that the terms of the conventional program and the network's features share."""

    own_pips: int
    their_pips: int

    has_contact: bool
    """Whether men can still meet."""

    exposure: Shots
    """Own blots before the other side's next roll."""

    chances: Shots
    """The other side's blots before the own next roll, were it now."""

    own_escapes: int
    """Rolls with which the own rearmost man gets out."""

    their_escapes: int

    home_points: int
    """Points made in the own home."""

    their_home_points: int

    own_prime: int
    """Most points made in a row."""

    their_prime: int

    own_blots: int

    own_back: int
    """Own men in the other side's home or on the bar."""

    their_back: int

    anchors: int
    """Own points in the other side's home."""

    their_anchors: int


def facts(view: View) -> Facts:
    """All counts of one board."""
    turned = view.turned()
    against, ours = walkers_against(view), walkers_against(turned)
    return Facts(
        own_pips=pips(view.own),
        their_pips=pips(turned.own),
        has_contact=has_contact(view),
        exposure=shots(against),
        chances=shots(ours),
        own_escapes=escapes(ours),
        their_escapes=escapes(against),
        home_points=len(against.blocks & set(HOME)),
        their_home_points=len(ours.blocks & set(HOME)),
        own_prime=longest_run(against.blocks),
        their_prime=longest_run(ours.blocks),
        own_blots=len(against.blots),
        own_back=back_men(view),
        their_back=back_men(turned),
        anchors=len(against.blocks & set(THEIR_HOME)),
        their_anchors=len(ours.blocks & set(THEIR_HOME)),
    )


def pips(own: tuple[int, ...]) -> int:
    """What a side must still roll to bear off all its men."""
    return sum(place * men for place, men in enumerate(own))


def has_contact(view: View) -> bool:
    """Whether the rearmost men of the sides have not yet passed each other."""
    own_rear = max((place for place in range(BAR + 1) if view.own[place]), default=OFF)
    their_rear = min((place for place in range(BAR + 1) if view.their[place]), default=BAR)
    return own_rear > their_rear


def longest_run(points: frozenset[int]) -> int:
    """The most points in a row."""
    longest = 0
    for point in points:
        length = 1
        while point + length in points:
            length += 1
        longest = max(longest, length)
    return longest


def back_men(view: View) -> int:
    """The viewer's men in the other side's home or on the bar."""
    return sum(view.own[place] for place in (*THEIR_HOME, BAR))


def pips_at_risk(exposure: Shots) -> float:
    """What hits would cost: the pips each blot has come so far, times its chance to be hit."""
    return sum(rolls * (BAR - point) for point, rolls in exposure.at.items()) / 36


def builders(view: View) -> int:
    """Men that a point can spare, blots among them, where they can still build."""
    men = [view.own[point] for point in BUILDING]
    return sum(1 if count == 1 else max(count - 2, 0) for count in men)


def stacked(view: View) -> int:
    """Men beyond the third on a point: they bear on nothing that the others do not."""
    return sum(max(view.own[point] - 3, 0) for point in range(1, BAR))


def gaps(view: View) -> int:
    """Empty points in the own home."""
    return sum(not view.own[point] for point in HOME)


def crossovers(view: View) -> int:
    """Quarters of the board that men outside the home have still to cross."""
    return sum(view.own[place] * ((place - 1) // 6) for place in range(7, BAR + 1))
