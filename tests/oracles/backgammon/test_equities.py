"""Compiled equities against the rules in Python: every position of small variants."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest

from ludus._native import equities
from ludus.games.backgammon.batch import generate_afterstates, row_to_position
from ludus.games.backgammon.board import BAR, OFF, ROLLS
from ludus.games.backgammon.position import make_position
from ludus.games.backgammon.rules import Rules
from ludus.oracles.backgammon.bearoff import compute_race, roll_distributions
from support.backgammon import all_sides, solve_hypergammon


@pytest.mark.parametrize(("men", "points", "size"), [(15, 6, 54264), (6, 6, 924), (3, 25, 3276)])
def test_ranks_number_all_placements(men, points, size):
    sides = all_sides(men, points)
    assert len({side.tobytes() for side in sides}) == size == comb(men + points, points)
    assert (sides.sum(axis=1) == men).all()
    assert not sides[:, points + 1 :].any()
    assert (equities.rank(sides, men, points) == np.arange(size)).all()
    on_board = sides[:, 1:].sum(axis=1)
    assert (np.diff(on_board) >= 0).all()  # fewer men come first


@pytest.mark.parametrize(
    ("side", "message"), [({1: 4}, "too many"), ({7: 1}, "place"), ({2: -1}, "place")]
)
def test_bad_placements_are_refused(side, message):
    row = np.zeros((1, 26), dtype=np.int8)
    for place, count in side.items():
        row[0, place] = count
    with pytest.raises(ValueError, match=message):
        equities.rank(row, 3, 6)


def make_bearoff_position(own, other, dice=None):
    return make_position((dict(own), dict(other)), 0, dice, Rules(), "python")


@cache
def moves_of(own):
    """The placements that each roll can lead to, by the rules in Python."""
    found = []
    for roll in ROLLS:
        position = make_bearoff_position(men_on(own), {1: 1, OFF: 14}, roll)
        ends = [position.play(move) for move in position.legal_moves()]
        weight = Fraction(1 if roll.is_double else 2, 36)
        found.append((weight, {tuple(max(men, 0) for men in end.points[:6]) for end in ends}))
    return found


def men_on(counts):
    men = {point: count for point, count in enumerate(counts, 1) if count}
    return {**men, OFF: 15 - sum(counts)}


NONE, OWN, CENTRED, THEIRS = range(4)
SEEN_BY_OTHER = {NONE: NONE, OWN: THEIRS, CENTRED: CENTRED, THEIRS: OWN}


@cache
def exact_equity(own, other, cube):
    """The equity of rolling as a fraction, by the definition."""
    if not any(other):
        return Fraction(-1)
    seen = SEEN_BY_OTHER[cube]
    return -sum(
        weight * min(decided_equity(other, end, seen) for end in ends)
        for weight, ends in moves_of(own)
    )


@cache
def decided_equity(own, other, cube):
    """The equity of the better of rolling and doubling."""
    rolled = exact_equity(own, other, cube)
    if cube in (NONE, THEIRS):
        return rolled
    return max(rolled, min(2 * exact_equity(own, other, THEIRS), Fraction(1)))


def test_two_sided_equities_by_the_definition():
    table = equities.two_sided(2, 6)
    sides = [tuple(side[1:7].tolist()) for side in all_sides(2, 6)]
    for own_rank, own in enumerate(sides[1:], 1):
        for other_rank, other in enumerate(sides):
            expected = [float(exact_equity(own, other, cube)) for cube in range(4)]
            assert table[:, own_rank, other_rank] == pytest.approx(expected, abs=1e-6)


def test_gammons_of_bearing_off_as_in_hypergammon():
    table, solver = equities.two_sided(2, 6, are_all=True), solve_hypergammon(2)
    ranks = equities.rank(all_sides(2, 6), 2, BAR)
    theirs = solver.equities()[np.ix_(ranks, ranks)]
    assert table[NONE, 1:, 1:] == pytest.approx(theirs[1:, 1:], abs=2e-6)


def test_two_sided_equities_do_not_depend_on_threads_and_are_verified():
    table = equities.two_sided(6, 6)
    assert np.array_equal(table, equities.two_sided(6, 6, threads=3))
    assert np.array_equal(table[:, :84, :84], equities.two_sided(3, 6))
    assert equities.verify_two_sided(table, 6, 6) == 0
    assert equities.verify_two_sided(table[NONE], 6, 6) == 0
    table[CENTRED, 100, 200] += 1e-4
    assert equities.verify_two_sided(table, 6, 6, threads=2) > 0


def test_rolls_of_one_side_by_the_definition():
    all_off, first_off = equities.one_sided(3, 6, 16)
    means = {}
    for rank, side in enumerate(all_sides(3, 6)):
        own = tuple(side[1:7].tolist())
        means[own] = (
            Fraction(0)
            if not rank
            else 1 + sum(weight * min(means[end] for end in ends) for weight, ends in moves_of(own))
        )
        assert all_off[rank] @ np.arange(16) == pytest.approx(float(means[own]))
        assert all_off[rank].sum() == pytest.approx(1)
        assert first_off[rank].sum() == pytest.approx(1)
        assert first_off[rank][0] == (side[OFF] > 0)


def test_rolls_of_fifteen_men():
    found = roll_distributions()
    assert found.all_off.shape == (54264, 32)
    one_roll, _ = found.find({1: 1})
    assert one_roll[1] == pytest.approx(1)
    assert compute_race(found.find({6: 1})[0], one_roll) == pytest.approx(27 / 36)
    # One man on each of the points 6 and 5 is borne off at once by 6 of 36 rolls.
    assert found.find({6: 1, 5: 1})[0][1] == pytest.approx(6 / 36)


def pairs_of(men):
    """All pairs of placements that share no point, as views of the side to move."""
    placements = [
        tuple(places.count(place) for place in range(26))
        for places in combinations_with_replacement(range(26), men)
    ]
    for own in placements:
        for other in placements:
            if own[OFF] < men and other[OFF] < men:
                shared = any(own[point] and other[BAR - point] for point in range(1, BAR))
                if not shared:
                    yield own, other


def derive_again(men, table, chances):
    """The largest difference between values and what follows by the game's own move generator."""
    largest = 0.0
    for own, other in pairs_of(men):
        row = np.array(own + other[::-1], dtype=np.int8)
        rank = equities.rank(np.array([own, other], dtype=np.int8), men, BAR)
        equity = 0.0
        for roll in ROLLS:
            ends = generate_afterstates(row_to_position(row, roll))
            after_own, after_other = (
                equities.rank(np.ascontiguousarray(sides), men, BAR)
                for sides in (ends[:, :26], ends[:, 26:][:, ::-1])
            )
            equity -= (1 if roll.is_double else 2) / 36 * table[after_other, after_own].min()
        win, gammon, backgammon, lost_gammon, lost_backgammon = chances[:, rank[0], rank[1]]
        from_chances = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
        largest = max(
            largest,
            abs(equity - table[rank[0], rank[1]]),
            abs(from_chances - table[rank[0], rank[1]]),
        )
    return largest


def test_one_man_a_side_by_the_rules():
    solver = solve_hypergammon(1)
    table, chances = solver.equities(), solver.chances()
    assert derive_again(1, table, chances) < 1e-6
    assert max(solver.find_errors()) < 1e-6
    # Bearing off the only man is a gammon, from the bar's quarter a backgammon.
    assert table[1, 1] == pytest.approx(2)
    assert table[1, 25] == pytest.approx(3)
    assert chances.min() >= 0
    assert chances.max() <= 1


@pytest.mark.slow
def test_two_men_a_side_by_the_rules():
    solver = solve_hypergammon(2, threads=2)
    assert derive_again(2, solver.equities(), solver.chances()) < 1e-6


@pytest.mark.parametrize("men", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_results_do_not_depend_on_threads(men):
    first, second = solve_hypergammon(men), solve_hypergammon(men, threads=3)
    assert np.array_equal(first.equities(), second.equities())
    assert np.array_equal(first.chances(), second.chances())


def test_a_wrong_value_is_found():
    solver = solve_hypergammon(1)
    table, chances = solver.equities(), solver.chances()
    solver.load(table, chances)
    assert max(solver.find_errors()) < 1e-6
    table[3, 4] += 1e-3
    solver.load(table, chances)
    assert solver.find_errors()[0] > 1e-4
    with pytest.raises(ValueError, match="not as many"):
        solver.load(table[1:], chances)


def test_calls_in_the_wrong_order_are_refused():
    game = equities.Hypergammon(1)
    with pytest.raises(ValueError, match="choose"):
        game.find_errors()
    game.choose()
    assert game.chances().shape == (5, game.size, game.size)
    game.load(game.equities(), np.zeros(0, np.float32))
    for use_chances in (game.chances, game.sweep_chances):
        with pytest.raises(ValueError, match="choose"):
            use_chances()
    assert game.find_errors()[0] > 0


def test_what_is_no_number_is_wrong():
    game = equities.Hypergammon(1)
    table = np.full((game.size, game.size), np.nan, np.float32)
    game.load(table, np.zeros((5, *table.shape), np.float32))
    assert game.find_errors()[0] == np.inf
    solved = equities.two_sided(2, 3)
    solved[1, 1] = np.nan
    assert equities.verify_two_sided(solved, 2, 3) > 0
