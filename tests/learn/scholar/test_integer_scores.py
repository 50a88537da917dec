"""Scores from whole numbers: near those of real numbers, and the same in numpy and torch."""

import numpy as np
import pytest

from ludus.learn.equivariant.inference import softmax
from ludus.learn.scholar.inference import penalize_length, utility
from ludus.learn.scholar.integer_scores import (
    LEVELS_PER_DOUBLING,
    MAX_LEVEL,
    find_scales,
    odds_table,
    score_outputs,
)
from ludus.learn.scholar.score_checks import compare_scores
from support.scholar import random_integers

SHIFTS = np.array([10.0, 10, 10, 8, 8])


def random_outputs(number=4000):
    """Logits of base 2 of results, and log2 of plies, as whole numbers with binary places."""
    source = np.random.default_rng(1)
    real = np.concatenate(
        [source.normal(0, 8, (number, 3)), source.uniform(0, 7, (number, 2))], axis=1
    )
    return np.rint(real * 2**SHIFTS)


@pytest.mark.parametrize("loss_aversion", [1.0, 400.0])
def test_scores_are_those_of_real_numbers_but_for_rounding(loss_aversion):
    outputs = random_outputs()
    real = outputs / 2**SHIFTS
    probabilities = softmax(real[:, :3] * np.log(2))
    expected = penalize_length(utility(probabilities, loss_aversion), real[:, 3:])
    found = score_outputs(outputs, find_scales(SHIFTS), loss_aversion)
    # Half a step of both odds, and the largest penalty is 7/64 instead of a tenth.
    assert np.abs(found - expected).max() < np.log(2) / LEVELS_PER_DOUBLING / 2 + 0.011


def test_native_code_numpy_and_torch_score_the_positions_of_games_alike():
    found = compare_scores(random_integers(1), ("native", "numpy", "torch"), 30_000)
    assert found["positions"] == 30_000
    assert found["different"] == {"numpy": 0, "torch": 0}


def test_the_table_holds_whole_numbers_times_powers_of_two():
    table = odds_table()
    assert len(table) == 2 * MAX_LEVEL + 1
    assert table[MAX_LEVEL] == 1
    mantissas, _ = np.frexp(table)
    assert (mantissas * 2**21 % 1 == 0).all()
    assert (np.diff(table) > 0).all()
    # A small chance of a loss decides between draws, however small.
    assert table[0] == 2.0**-256


def test_a_score_between_two_steps_depends_on_the_last_bit_of_a_scale():
    """So scales are exact: one from a function that is wrong in its last bit changes scores."""
    source = np.random.default_rng(2)
    outputs = random_outputs()
    # Odds in the middle between two steps, as one in 2^5 of usual ones is.
    outputs[:, 0] = outputs[:, 1] + 2.0**5 * source.integers(-100, 100, len(outputs)) + 2.0**4
    outputs[:, 2] = outputs[:, 1] - 2.0**12
    exact = find_scales(SHIFTS)
    assert (np.log2(exact) == -SHIFTS).all()
    wrong = score_outputs(outputs, np.nextafter(exact, 1), 400.0)
    assert (wrong != score_outputs(outputs, exact, 400.0)).mean() > 0.1
