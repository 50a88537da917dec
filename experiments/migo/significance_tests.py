"""The tests behind the paper's claims, on our runs and on what is known of the authors'."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ludus.reproduce import PublishedRow, require_package

SIGNIFICANT = 0.05

WINDOW = 20
CONVERGED = 0.25
"""A run has converged where the regret of the next WINDOW games is at most this share of what
random play would have."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Published statistics of several runs."""

    mean: float
    deviation: float
    """That of the population, as the authors' files have it."""

    runs: int

    @property
    def sample_deviation(self) -> float:
        return self.deviation * math.sqrt(self.runs / (self.runs - 1))


def get_published_summary(row: PublishedRow) -> Summary:
    return Summary(row.published or 0.0, row["deviation"], row["published_runs"])


def decide(p_value: float) -> bool | None:
    """Decide a one-sided test; False if the other side is significant."""
    if p_value < SIGNIFICANT:
        return True
    return False if p_value > 1 - SIGNIFICANT else None


def welch_test(less: Summary, more: Summary) -> float | None:
    """Welch's test that the first mean is not smaller; None if nothing varies."""
    if less.deviation == 0 and more.deviation == 0:
        return None
    found = require_package("scipy.stats", "Welch's test").ttest_ind_from_stats(
        less.mean, less.sample_deviation, less.runs,
        more.mean, more.sample_deviation, more.runs,
        equal_var=False, alternative="less",
    )  # fmt: skip
    return float(found.pvalue)


def mann_whitney_test(less: Sequence[float], more: Sequence[float]) -> tuple[float, float]:
    """The test that a run of the first kind does not tend to be smaller.

    The p value, and how often a run of the first kind is smaller than one of the second (equal
    ones count half).
    """
    stats = require_package("scipy.stats", "the test of Mann and Whitney")
    found = stats.mannwhitneyu(less, more, alternative="less", method="asymptotic")
    return float(found.pvalue), 1 - float(found.statistic) / (len(less) * len(more))


def summarize(values: Sequence[float]) -> Summary:
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / len(values)
    return Summary(mean, math.sqrt(variance), len(values))


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p values of several tests for their number (Holm).

    >>> adjust_holm([0.01, 0.04, 0.02])
    [0.03, 0.04, 0.04]
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def count_games_to_converge(regret: Sequence[int], random_regret: float) -> int:
    """Return the number of games until a run has converged; all of them if it has not."""
    most = CONVERGED * random_regret * WINDOW
    for played in range(len(regret) - WINDOW + 1):
        if sum(regret[played : played + WINDOW]) <= most:
            return played
    return len(regret)
