"""Features of a backgammon board after a move: shots, escapes, primes, blots, pips.

The reference implementation of native/core/gammon/shots.hpp and facts.hpp.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ludus.games.backgammon.board import BAR, HOME, OFF, ROLLS, View

NUM_ROLLS = 36
STEPS_OF_DOUBLE = 4


@dataclass(frozen=True, slots=True)
class AdvancingSide:
    """One side moving up from its bar, place 0, and the opposing blots and blocks.

    Shots and escapes are counted for a single man that moves with one die or both (up to four steps
    of a double) and lands on no block. Men on the bar enter first: with one there, another man
    moves only with the die left after entering; with two, only if a double leaves steps over.
    The rule that both dice must be played if possible is ignored, as is usual in counting shots.
    """

    men: frozenset[int]
    """Points with at least one man of this side."""

    on_bar: int
    """Number of this side's men on the bar."""

    opponent_blots: frozenset[int]
    """Points with a single opposing man."""

    opponent_blocks: frozenset[int]
    """Points with at least two opposing men."""


@dataclass(frozen=True, slots=True)
class ShotCounts:
    """Number of rolls out of 36 that hit blots."""

    any: int = 0
    """Rolls that hit at least one blot."""

    at: Mapping[int, int] = field(default_factory=dict)
    """Point of each blot to the rolls that hit it."""


def get_advancing_opponent(view: View) -> AdvancingSide:
    """Return the viewer's opponent as the advancing side."""
    points = range(1, BAR)
    return AdvancingSide(
        men=frozenset(point for point in points if view.other[point]),
        on_bar=view.other[0],
        opponent_blots=frozenset(point for point in points if view.own[point] == 1),
        opponent_blocks=frozenset(point for point in points if view.own[point] > 1),
    )


def find_reachable_points(mover: AdvancingSide, high: int, low: int) -> set[int]:
    """Return the points on which a man can land with this roll."""
    entering = {die for die in (high, low) if die not in mover.opponent_blocks}
    if mover.on_bar and not entering:
        return set()
    if high == low:
        spare = max(STEPS_OF_DOUBLE - mover.on_bar, 0)
        starts = [(0, spare + 1)] if mover.on_bar else []
        starts += [(man, spare) for man in mover.men]
        return {
            end for man, steps in starts for end in _iterate_landings(man, (high,) * steps, mover)
        }
    if mover.on_bar > 1:
        return entering
    ends: set[int] = set()
    for first, second in ((high, low), (low, high)):
        if mover.on_bar:
            ends.update(_iterate_landings(0, (first, second), mover))
            if second in entering:
                ends.update(
                    end for man in mover.men for end in _iterate_landings(man, (first,), mover)
                )
        else:
            ends.update(
                end for man in mover.men for end in _iterate_landings(man, (first, second), mover)
            )
    return ends


def _iterate_landings(man: int, dice: tuple[int, ...], mover: AdvancingSide) -> Iterator[int]:
    """Yield the points on which a man lands, die by die, until it is blocked."""
    for die in dice:
        man += die
        if man in mover.opponent_blocks:
            return
        yield man


def count_shots(mover: AdvancingSide) -> ShotCounts:
    """Count the rolls that hit any blot and each blot."""
    any_hit, at = 0, dict.fromkeys(sorted(mover.opponent_blots), 0)
    for high, low in ROLLS:
        ways = 1 if high == low else 2
        hit = find_reachable_points(mover, high, low) & mover.opponent_blots
        any_hit += ways if hit else 0
        for point in hit:
            at[point] += ways
    return ShotCounts(any_hit, at)


def count_escapes(mover: AdvancingSide) -> int:
    """Count the rolls out of 36 that bring the rearmost man past the six points in front of it."""
    if not mover.men and not mover.on_bar:
        return NUM_ROLLS
    rear = 0 if mover.on_bar else min(mover.men)
    alone = AdvancingSide(
        frozenset({rear} - {0}),
        int(rear == 0),
        opponent_blots=frozenset(),
        opponent_blocks=mover.opponent_blocks,
    )
    return sum(
        1 if high == low else 2
        for high, low in ROLLS
        if any(end > rear + 6 for end in find_reachable_points(alone, high, low))
    )


OPPONENT_HOME = range(19, BAR)
BUILDER_POINTS = range(4, 14)
"""Points from which men can still make home points."""


@dataclass(frozen=True, slots=True)
class BoardFeatures:
    """Counts shared by the conventional program's terms and the network's features.

    All are from the viewpoint of the side that has just moved; the other side rolls next.
    """

    own_pips: int
    their_pips: int

    has_contact: bool
    """Whether opposing men can still hit each other."""

    own_blot_shots: ShotCounts
    """Shots of the opponent's next roll at own blots."""

    their_blot_shots: ShotCounts
    """Shots at the opponent's blots if the own roll were next."""

    own_escapes: int
    """Rolls with which the own rearmost man escapes."""

    their_escapes: int

    home_points: int
    """Points made in the own home board."""

    their_home_points: int

    own_prime: int
    """Largest number of consecutive points made."""

    their_prime: int

    own_blots: int

    num_own_back_men: int
    """Own men in the opponent's home board or on the bar."""

    num_their_back_men: int

    anchors: int
    """Points made in the opponent's home board."""

    their_anchors: int


def compute_board_features(view: View) -> BoardFeatures:
    """Compute all counts of a board."""
    turned = view.flip()
    against, ours = get_advancing_opponent(view), get_advancing_opponent(turned)
    return BoardFeatures(
        own_pips=count_pips(view.own),
        their_pips=count_pips(turned.own),
        has_contact=has_contact(view),
        own_blot_shots=count_shots(against),
        their_blot_shots=count_shots(ours),
        own_escapes=count_escapes(ours),
        their_escapes=count_escapes(against),
        home_points=len(against.opponent_blocks & set(HOME)),
        their_home_points=len(ours.opponent_blocks & set(HOME)),
        own_prime=find_longest_run(against.opponent_blocks),
        their_prime=find_longest_run(ours.opponent_blocks),
        own_blots=len(against.opponent_blots),
        num_own_back_men=count_back_men(view),
        num_their_back_men=count_back_men(turned),
        anchors=len(against.opponent_blocks & set(OPPONENT_HOME)),
        their_anchors=len(ours.opponent_blocks & set(OPPONENT_HOME)),
    )


def count_pips(own: tuple[int, ...]) -> int:
    """Return the pip count: the pips needed to bear off all men."""
    return sum(place * men for place, men in enumerate(own))


def has_contact(view: View) -> bool:
    """Return whether the rearmost men of the sides have not yet passed each other."""
    own_rear = max((place for place in range(BAR + 1) if view.own[place]), default=OFF)
    their_rear = min((place for place in range(BAR + 1) if view.other[place]), default=BAR)
    return own_rear > their_rear


def find_longest_run(points: frozenset[int]) -> int:
    """Return the largest number of consecutive points."""
    longest = 0
    for point in points:
        length = 1
        while point + length in points:
            length += 1
        longest = max(longest, length)
    return longest


def count_back_men(view: View) -> int:
    """Count the viewer's men in the opponent's home board or on the bar."""
    return sum(view.own[place] for place in (*OPPONENT_HOME, BAR))


def compute_pips_at_risk(shots: ShotCounts) -> float:
    """Return the expected loss by hits: per blot, pips travelled times probability of a hit."""
    return sum(rolls * (BAR - point) for point, rolls in shots.at.items()) / 36


def count_builders(view: View) -> int:
    """Count spare men on BUILDER_POINTS: blots, and men beyond the second on a point."""
    men = [view.own[point] for point in BUILDER_POINTS]
    return sum(1 if count == 1 else max(count - 2, 0) for count in men)


def count_stacked_men(view: View) -> int:
    """Count men beyond the third on a point, which add no new possibilities."""
    return sum(max(view.own[point] - 3, 0) for point in range(1, BAR))


def count_home_gaps(view: View) -> int:
    """Count empty points in the own home board."""
    return sum(not view.own[point] for point in HOME)


def count_crossovers(view: View) -> int:
    """Count the quarters of the board that men outside the home board have still to cross."""
    return sum(view.own[place] * ((place - 1) // 6) for place in range(7, BAR + 1))
