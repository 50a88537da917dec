"""Counting shots: against the table every player learns, and against the rules themselves."""

from dataclasses import replace

import pytest

from ludus.games.backgammon.board import ROLLS, Roll, View, make_view
from ludus.games.backgammon.reference import generate_plays
from ludus.players.backgammon_features import (
    compute_board_features,
    count_escapes,
    count_shots,
    find_longest_run,
    get_advancing_opponent,
)
from support.backgammon import met

# Rolls of 36 that hit a lone blot at this distance in pips, as printed in the books on the game
# (for instance Magriel, Backgammon, 1976).
HITS = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
HITS |= {15: 1, 16: 1, 18: 1, 20: 1, 13: 0, 14: 0, 17: 0, 19: 0, 21: 0, 22: 0, 23: 0}


def board(own, their):
    """A view from counts on the viewer's places."""
    places = range(26)
    return View(tuple(own.get(p, 0) for p in places), tuple(their.get(p, 0) for p in places))


@pytest.mark.parametrize(("distance", "rolls"), HITS.items())
def test_shots_are_those_every_player_knows(distance, rolls):
    view = board({1 + distance: 1, 0: 14}, {1: 2, 25: 13})
    assert count_shots(get_advancing_opponent(view)).any == rolls


def test_blocked_ways_do_not_hit():
    """Six away with a point in between, on 4 pips: 4-2 goes by 2 first, 5-1 and 3-3 as before."""
    free = board({8: 1, 0: 14}, {2: 1, 25: 14})
    blocked = board({8: 1, 6: 2, 4: 2, 0: 10}, {2: 1, 25: 14})
    assert count_shots(get_advancing_opponent(free)).any == 17
    assert count_shots(get_advancing_opponent(blocked)).any == 17 - 2 - 1  # neither 4-2 nor 2-2


def test_men_on_the_bar_go_first():
    """The man on the bar must enter; with two there nobody else moves but after a double."""
    one = board({9: 1, 0: 14}, {0: 1, 3: 1, 25: 13})
    two = board({9: 1, 0: 14}, {0: 2, 3: 1, 25: 12})
    closed = board({9: 1, 1: 2, 2: 2, 3: 0, 4: 2, 5: 2, 6: 2, 0: 4}, {0: 1, 3: 1, 25: 13})
    # Any 6 hits from point 3 while the other die enters; 5-4 and 3-3 hit from the bar, and 2-2
    # from point 3 with the three steps that entering leaves.
    assert count_shots(get_advancing_opponent(one)).any == 11 + 2 + 1 + 1
    assert count_shots(get_advancing_opponent(two)).any == 2  # 3-3, and 6-6 with the man on 3
    assert count_shots(get_advancing_opponent(closed)).any == 2  # 6-3, entering with the 3


def test_counts_are_those_of_the_rules():
    """Every roll is played out by the rules. Both dice must be played where they can be, which
    counting shots leaves aside: so a few more shots are counted than there are, never fewer."""
    rolls = more = 0
    for position in met(games=6, seed=1)[::9]:
        other = position.play(position.legal_moves()[0])
        view = make_view(other.board, position.turn)
        walkers, counted = get_advancing_opponent(view), count_shots(get_advancing_opponent(view))
        hitting = dict.fromkeys(walkers.opponent_blots, 0)
        for high, low in ROLLS if not other.is_over else ():
            ways = 1 if high == low else 2
            ends = generate_plays(replace(other, engine="python").play(Roll(high, low)))
            hit = {p for p in walkers.opponent_blots for end in ends if end.other[25 - p] == 0}
            for point in hit:
                hitting[point] += ways
        for point, number in hitting.items():
            assert counted.at[point] >= number, (str(other), point)
            more += counted.at[point] - number
            rolls += number
    assert rolls > 500
    assert more <= rolls // 100


def test_nobody_escapes_a_full_prime():
    prime = dict.fromkeys(range(3, 9), 2)
    assert count_escapes(get_advancing_opponent(board({**prime, 0: 3}, {2: 1, 25: 14}))) == 0
    assert count_escapes(get_advancing_opponent(board({**prime, 0: 3}, {0: 1, 25: 14}))) == 0
    # Five points and the sixth pip open: from the edge, a six gets out and can walk on.
    five = dict.fromkeys(range(3, 8), 2)
    assert count_escapes(get_advancing_opponent(board({**five, 0: 5}, {2: 1, 25: 14}))) == 11


def test_facts_of_the_start():
    found = compute_board_features(board({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}))
    assert (found.own_pips, found.their_pips) == (167, 167)
    assert found.has_contact
    assert (found.home_points, found.num_own_back_men, found.anchors) == (1, 2, 1)
    assert found.own_prime == find_longest_run(frozenset({24, 13, 8, 6})) == 1
    assert found.own_blot_shots.any == found.their_blot_shots.any == 0
