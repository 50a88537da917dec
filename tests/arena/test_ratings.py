"""Ratings and tests of significance, against known numbers and simulated players."""

import math
import random
from itertools import combinations

import pytest

from ludus.arena.ratings import Rating, compute_ratings
from ludus.core.errors import UnknownName
from ludus.core.statistics import compare_wins


@pytest.mark.parametrize(
    ("wins", "losses", "p_value"),
    [
        (9, 1, 22 / 1024),
        (10, 0, 2 / 1024),
        (5, 5, 1.0),
        (1, 0, 1.0),
        (60, 40, 0.05688793),  # R: binom.test(60, 100)
        (86, 14, 4.142e-14),
    ],
)
def test_exact_binomial_tests(wins, losses, p_value):
    decided = wins + losses
    tail = sum(math.comb(decided, k) for k in range(max(wins, losses), decided + 1)) / 2**decided
    assert compare_wins(wins, losses).p_value == pytest.approx(min(1, 2 * tail), rel=1e-9)
    assert compare_wins(wins, losses).p_value == pytest.approx(p_value, rel=1e-3)
    assert compare_wins(losses, wins).p_value == compare_wins(wins, losses).p_value


def test_tests_and_intervals_are_those_of_scipy():
    from scipy.stats import binomtest

    for wins, losses in [(10, 0), (0, 3), (7, 5), (61, 39), (5000, 5200)]:
        theirs, ours = binomtest(wins, wins + losses, 0.5), compare_wins(wins, losses)
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
        assert ours.interval == pytest.approx(theirs.proportion_ci(0.95, "exact"), rel=1e-9)
    assert compare_wins(10, 0).interval == (pytest.approx(0.025 ** (1 / 10)), 1.0)
    assert compare_wins(0, 0).p_value == 1.0
    assert compare_wins(0, 0).proportion is None


def test_without_draws_ratings_are_elos():
    found = compute_ratings(["a", "b"], {("a", "b"): (7600, 0, 2400)})
    difference = found["a"].elo - found["b"].elo
    assert difference == pytest.approx(400 * math.log10(7600 / 2400), abs=0.5)
    # The error of a share p of n games is √(p(1-p)/n), stretched by the slope of Elo's curve.
    share = 0.76
    error = 400 / math.log(10) / math.sqrt(10_000 * share * (1 - share))
    assert compute_ratings(["a", "b"], {("a", "b"): (7600, 0, 2400)}, "b")[
        "a"
    ].error == pytest.approx(error, rel=0.01)


def test_draws_count_half_a_point():
    """The score tells the difference as Elo's curve does, whatever is drawn."""
    for draws in (0, 2_000, 4_000):
        wins = 8_000 - draws // 2
        found = compute_ratings(["a", "b"], {("a", "b"): (wins, draws, 10_000 - draws - wins)})
        difference = found["a"].elo - found["b"].elo
        assert difference == pytest.approx(400 * math.log10(0.8 / 0.2), rel=0.001)
    # The more is drawn, the better a small advantage is known.
    few, many = (
        compute_ratings(["a", "b"], {("a", "b"): (half, 10_000 - 2 * half, half)})
        for half in (5000, 500)
    )
    assert many["a"].error < few["a"].error / 2


def test_anchors():
    scores = {("a", "b"): (30, 10, 20), ("a", "c"): (40, 5, 15), ("b", "c"): (30, 10, 20)}
    free, fixed = compute_ratings("abc", scores), compute_ratings("abc", scores, "b")
    assert sum(rating.elo for rating in free.values()) == pytest.approx(0, abs=1e-6)
    assert fixed["b"] == Rating(0.0, 0.0)
    assert fixed["a"].elo - fixed["c"].elo == pytest.approx(free["a"].elo - free["c"].elo)
    with pytest.raises(UnknownName, match="there is no player 'd'"):
        compute_ratings("abc", scores, "d")


def test_perfect_scores_have_finite_ratings():
    found = compute_ratings("abc", {("a", "b"): (200, 0, 0), ("b", "c"): (0, 200, 0)})
    assert 800 < found["a"].elo - found["b"].elo < 2500
    assert found["b"].elo == pytest.approx(found["c"].elo, abs=5)
    assert all(1 < rating.error < 1000 for rating in found.values())
    assert found["a"].error > 100
    assert compute_ratings("ab", {("a", "b"): (0, 0, 0)})["a"].elo == pytest.approx(0)


def _simulated(source, elos, drawish, games):
    scores = {}
    for one, other in combinations(elos, 2):
        score = 1 / (1 + 10 ** ((elos[other] - elos[one]) / 400))
        drawn = 2 * drawish * min(score, 1 - score)
        weights = score - drawn / 2, drawn, 1 - score - drawn / 2
        results = source.choices(range(3), weights, k=games)
        scores[one, other] = tuple(results.count(kind) for kind in range(3))
    return scores


@pytest.mark.parametrize("drawish", [0.0, 0.4, 0.9])
def test_simulated_players_are_recovered_within_their_errors(drawish):
    elos = {"a": 200, "b": 110, "c": 10, "d": -80, "e": -240}
    source = random.Random(1)
    squares = []
    for _ in range(60):
        found = compute_ratings(list(elos), _simulated(source, elos, drawish, 100))
        for player, elo in elos.items():
            squares.append(((found[player].elo - elo) / found[player].error) ** 2)
    # Errors in units of their standard error: a mean square of 1, and hardly ever beyond 3.5.
    assert 0.8 < sum(squares) / len(squares) < 1.25
    assert max(squares) < 4**2
    assert 0.92 < sum(square < 1.96**2 for square in squares) / len(squares) < 0.98
