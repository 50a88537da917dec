"""Sample backgammon positions by theme from games of the conventional program.

Positions as they occur in play would be mostly of a few kinds, and a network overfits to what is
frequent. Each theme therefore has a fixed proportion of the database.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from ludus._native import gammon
from ludus.games.backgammon import Backgammon, Position
from ludus.games.backgammon.batch import BoardRow, position_to_row, row_to_position, row_to_view
from ludus.games.backgammon.board import BAR, HOME, OFF, View
from ludus.players.backgammon_features import (
    OPPONENT_HOME,
    count_back_men,
    count_pips,
    find_longest_run,
    has_contact,
)

THEME_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
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
"""Number of positions of each theme in 110 positions."""

MIN_OPENING_PIPS = 130
"""Minimum pip count of both sides in the opening."""

LONG_PRIME = 4
"""Minimum number of points in a row of a prime."""

HOLDING_POINTS = frozenset(range(18, 23))
"""Anchors that make a holding game."""

FAR_BEHIND = 40
"""Pips behind from which two anchors are a back game."""


def classify_theme(view: View) -> str:
    """Return the theme of the board before a move, from the mover's point of view."""
    if not has_contact(view):
        return "bearing_off" if _is_home(view) else "race"
    flipped = view.flip()
    own, other = count_pips(view.own), count_pips(flipped.own)
    own_points, other_points = _points(view.own), _points(flipped.own)
    anchors = own_points & set(OPPONENT_HOME)
    if view.own[BAR]:
        return "entering"
    if view.other[OFF] or (count_back_men(flipped) and _has_blot_in_home(view)):
        return "attack"
    if len(anchors) > 1 and own - other >= FAR_BEHIND:
        return "back_game"
    if _is_home(view):
        return "against_anchor"
    if count_back_men(view) == 0 and count_back_men(flipped) and own < MIN_OPENING_PIPS:
        return "bearing_in"
    if find_longest_run(own_points) >= LONG_PRIME and count_back_men(flipped):
        return "containing"
    if find_longest_run(other_points) >= LONG_PRIME and count_back_men(view):
        return "escaping"
    if min(own, other) >= MIN_OPENING_PIPS and view.own[24] and flipped.own[24]:
        return "opening"
    if own_points & HOLDING_POINTS or other_points & HOLDING_POINTS:
        return "holding"
    return "middle"


def _points(men: tuple[int, ...]) -> frozenset[int]:
    return frozenset(point for point in range(1, BAR) if men[point] > 1)


def _is_home(view: View) -> bool:
    return not any(view.own[HOME.stop :])


def _has_blot_in_home(view: View) -> bool:
    """Return whether the other side has a blot in the viewer's home."""
    return any(view.other[point] == 1 for point in HOME)


OPENING: Final = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5"

SET_UPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "back_game": (
            "24:2,22:2,13:3,8:3,6:5 13:4,8:4,6:4,5:2,24:1",
            "23:2,22:2,13:4,8:2,6:3,5:2 13:2,9:2,8:3,7:2,6:3,4:3",
            "24:3,21:2,13:3,8:3,6:4 11:2,8:3,7:3,6:3,5:3,2:1",
            "24:2,21:2,16:1,13:3,8:3,6:4 13:3,8:3,7:3,6:3,5:2,2:1",
        ),
        "containing": (
            "13:3,8:3,7:2,6:3,5:2,4:2 24:2,13:4,8:3,6:4,3:2",
            "24:1,13:3,8:2,7:2,6:3,5:2,4:2 24:2,22:1,13:3,8:3,6:4,3:2",
            "13:2,9:2,8:2,7:3,6:3,5:2,3:1 24:3,13:4,6:4,4:2,3:2",
        ),
        "escaping": (
            "24:2,13:4,8:3,6:4,3:2 13:3,8:3,7:2,6:3,5:2,4:2",
            "24:2,22:1,13:3,8:3,6:4,3:2 24:1,13:3,8:2,7:2,6:3,5:2,4:2",
            "24:1,23:1,13:4,8:3,6:4,5:2 13:3,9:2,8:2,7:3,6:3,5:2",
        ),
        "against_anchor": (
            "6:4,5:3,4:3,3:3,2:2 24:2,6:3,5:3,4:3,3:2,2:2",
            "6:4,5:4,4:4,2:3 22:2,8:2,6:3,5:3,4:3,3:2",
            "6:3,5:3,3:3,2:2,1:2,off:2 21:2,7:2,6:3,5:3,4:3,3:2",
            "6:4,5:4,4:4,3:3 23:2,24:2,6:3,5:3,4:3,3:2",
        ),
        "bearing_in": (
            "13:2,9:2,8:3,6:4,5:4 21:2,13:3,8:3,6:4,5:3",
            "11:2,8:3,7:2,6:3,5:3,4:2 24:2,13:2,8:3,6:4,4:4",
            "12:1,8:3,7:3,6:4,4:4 20:2,14:2,7:2,6:4,5:3,4:2",
        ),
        "holding": (
            "20:2,13:4,8:3,6:6 21:2,13:4,8:3,6:6",
            "21:2,13:4,8:3,6:6 24:2,13:4,8:3,6:4,5:2",
            "18:2,13:4,8:3,6:6 24:2,13:3,8:4,6:4,5:2",
        ),
        "race": (
            "12:2,10:2,8:3,6:4,5:2,4:2 12:2,9:2,8:2,6:4,5:3,4:2",
            "13:1,9:3,7:3,6:4,5:2,3:2 11:1,9:3,7:2,6:4,4:3,3:2",
        ),
        "bearing_off": (
            "6:4,5:3,4:3,3:2,2:2,1:1 7:1,6:4,5:3,4:3,3:2,2:2",
            "6:3,5:2,4:2,3:1,1:1,off:6 6:2,5:3,4:2,2:2,off:6",
            "6:2,4:2,3:1,1:1,off:9 5:2,4:1,3:2,2:1,off:9",
        ),
    }
)
"""Set-ups that lead to themes which games from the opening reach too rarely.

A set-up is the men of both sides in position notation, each counted from its own side. Play from
there is random, so every game gives other positions of the same kind.
"""


NUM_GAMES: Final = 6
"""Number of games per batch while searching for a position of the theme."""

RANDOM_MOVE_RATE: Final = 0.1
"""Probability of a random move in these games, for variety."""

MIN_MOVES: Final = 3
"""Minimum number of legal moves of a sampled position."""

CYCLE: Final = sum(THEME_WEIGHTS.values())


@dataclass(frozen=True, slots=True)
class SampledPosition:
    """A position with its roll, side 0 to move, and its theme."""

    position: Position
    theme: str


def sample_position(number: int, seed: int) -> SampledPosition:
    """Sample position `number`; the same number and seed always give the same position."""
    theme = choose_theme(number)
    rng = random.Random(f"{seed}/{number}")
    while True:
        found = [sample for sample in _play_games(theme, rng) if sample.theme == theme]
        if found:
            return rng.choice(found)


def sample_played_position(number: int, seed: int) -> SampledPosition:
    """Sample position `number` as it occurs in a game from the opening, whatever its theme."""
    rng = random.Random(f"play/{seed}/{number}")
    return rng.choice(_play_from(OPENING, rng))


def choose_theme(number: int) -> str:
    """Return the theme of a position number, in the proportions of THEME_WEIGHTS.

    The themes are spread over the numbers: 37 is coprime to the cycle.

    >>> [choose_theme(number) for number in range(4)]
    ['opening', 'attack', 'containing', 'opening']
    """
    place = number * 37 % CYCLE
    return next(
        theme
        for theme, end in zip(THEME_WEIGHTS, accumulate(THEME_WEIGHTS.values()), strict=True)
        if place < end
    )


def _play_games(theme: str, rng: random.Random) -> list[SampledPosition]:
    """Return every position with enough moves from a few games of the conventional program."""
    set_ups = SET_UPS.get(theme, (OPENING,))
    # Half of the games of a rare theme begin normally: the theme must not be tied to the set-up.
    return _play_from(rng.choice(set_ups) if rng.random() < 0.5 else OPENING, rng)


def _play_from(set_up: str, rng: random.Random) -> list[SampledPosition]:
    """Return every position with enough moves from a few games that begin with a set-up."""
    is_opening = set_up == OPENING
    boards, rolls, facts = gammon.met_in_games(
        "tool",
        "tool",
        _make_row(set_up)[None],
        is_opening,
        NUM_GAMES,
        RANDOM_MOVE_RATE,
        rng.getrandbits(62),
    )
    return [
        SampledPosition(
            row_to_position(board, (int(roll[0]), int(roll[1]))), classify_theme(row_to_view(board))
        )
        for board, roll, (_, _, moves) in zip(boards, rolls, facts, strict=True)
        if moves >= MIN_MOVES
    ]


@cache
def _make_row(set_up: str) -> BoardRow:
    return position_to_row(Backgammon().parse(f"{set_up} 0 roll"))
