"""Intervals, and what makes a published and an own figure agree."""

import math

import pytest

from ludus.core.statistics import (
    Proportion,
    compute_difference_interval,
    compute_mean_interval,
)
from ludus.reproduce import BadExperiment, Measurement, PublishedRow
from ludus.reproduce.findings import ComparedRow


@pytest.mark.parametrize(("hits", "count"), [(0, 10), (3, 10), (10, 10), (83, 100), (1, 1)])
def test_the_interval_of_a_share_is_the_exact_one(hits, count):
    from scipy import stats

    exact = stats.binomtest(hits, count).proportion_ci(method="exact")
    found = Proportion(hits, count)
    assert found.interval == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert found.value == hits / count
    assert 0 < found.margin < 1


def test_the_quick_margin_is_near_the_exact_one():
    for hits in (20, 100, 170):
        low, high = Proportion(hits, 200).interval
        assert Proportion(hits, 200).margin == pytest.approx((high - low) / 2, rel=0.05)


@pytest.mark.parametrize(("hits", "count"), [(-1, 3), (4, 3), (0, 0)])
def test_impossible_proportions_are_refused(hits, count):
    with pytest.raises(ValueError, match="is not a proportion"):
        Proportion(hits, count)


def test_the_interval_of_a_mean_is_students():
    from scipy import stats

    values = [1.0, 2.5, 2.0, 4.5]
    exact = stats.ttest_1samp(values, 0).confidence_interval()
    mean, low, high = compute_mean_interval(values)
    assert (low, high) == pytest.approx((exact.low, exact.high))
    assert mean == 2.5


def test_the_interval_of_a_difference_of_normal_figures_is_the_usual_one():
    """Where both intervals are symmetric, errors add as squares."""
    low, high = compute_difference_interval(10, (10 - 3, 10 + 3), 4, (4 - 4, 4 + 4))
    assert (low, high) == (6 - 5, 6 + 5)


@pytest.mark.slow
def test_differences_of_two_shares_that_are_one_are_rarely_found():
    """Of 2000 pairs of samples with the same share about one in twenty must not agree."""
    import random

    source = random.Random(1)
    apart = 0
    for _ in range(2000):
        ours = sum(source.random() < 0.6 for _ in range(200))
        theirs = sum(source.random() < 0.6 for _ in range(100))
        row = PublishedRow(name="x", published=float(theirs), unit="%", games=100)
        apart += not ComparedRow(row, Measurement.proportion("x", ours, 200)).agrees
    assert 20 <= apart <= 120


def test_agreement_needs_to_know_an_uncertainty():
    bare = PublishedRow(name="x", published=5.0)
    assert ComparedRow(bare, Measurement("x", 5.0)).agrees is None
    assert ComparedRow(bare, Measurement("x", 5.0, 4.0, 6.0)).agrees is True
    assert ComparedRow(bare, Measurement("x", 7.0, 6.5, 7.5)).agrees is False
    assert (
        ComparedRow(
            PublishedRow(name="x", published=5.0, low=3.0, high=7.0), Measurement("x", 6.0)
        ).agrees
        is True
    )
    assert ComparedRow(PublishedRow(name="x"), Measurement("x", 6.0, 5.0, 7.0)).agrees is None
    assert ComparedRow(PublishedRow(name="x", published=5.0), None).difference is None


def test_within_asks_for_our_interval_alone():
    row = PublishedRow(name="x", published=80.0, unit="%", games=100)
    found = ComparedRow(row, Measurement.proportion("x", 8300, 10_000))
    assert found.is_within is False
    assert found.agrees is True
    assert found.difference == pytest.approx(3)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Measurement("x", math.nan),
        lambda: Measurement("x", math.inf),
        lambda: Measurement("x", 1.0, 0.5),
        lambda: Measurement("x", "1"),
        lambda: Measurement("x", None),
    ],
)
def test_a_figure_that_is_none_is_refused(wrong):
    with pytest.raises(BadExperiment):
        wrong()


def test_the_mean_of_one_run_has_no_interval():
    assert Measurement.mean("x", [4.0]) == Measurement("x", 4.0, count=1)
