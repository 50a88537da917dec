"""The beta distribution against scipy's, over the counts that matches and papers have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from ludus.core.beta import compute_beta_cdf, find_beta_quantile, find_student_quantile

SHAPES = st.floats(0.5, 1e6)


@given(SHAPES, SHAPES, st.floats(1e-6, 1 - 1e-6))
def test_probabilities_are_those_of_scipy(a, b, probability):
    x = float(special.betaincinv(a, b, probability))
    assert compute_beta_cdf(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-7)


@given(SHAPES, SHAPES, st.sampled_from([0.001, 0.025, 0.5, 0.975]))
def test_quantiles_are_those_of_scipy(a, b, probability):
    expected = special.betaincinv(a, b, probability)
    assert find_beta_quantile(a, b, probability) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 99, 10_000])
def test_student_quantiles_are_those_of_scipy(freedom):
    expected = special.stdtrit(freedom, 0.975)
    assert find_student_quantile(freedom, 0.975) == pytest.approx(expected, rel=1e-10)


def test_certain_and_impossible_cases():
    assert (compute_beta_cdf(2, 3, -0.1), compute_beta_cdf(2, 3, 1)) == (0, 1)
    assert compute_beta_cdf(1, 1, 0.3) == pytest.approx(0.3)
    assert find_beta_quantile(1, 1, 0) == pytest.approx(0, abs=1e-300)
