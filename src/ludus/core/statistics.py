"""95% confidence intervals of proportions, means and differences, and the exact binomial test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ludus.core.beta import compute_beta_cdf, find_beta_quantile, find_student_quantile

Interval = tuple[float, float]

TAIL_PROBABILITY = 0.05 / 2
"""Probability outside a 95% interval on either side."""

NORMAL_QUANTILE = 1.959963984540054
"""Half the width of a 95% interval of a normal distribution, in standard errors."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """`hits` out of `count`.

    `hits` need not be an integer, because published percentages may not give one.

    >>> [round(end, 3) for end in Proportion(0, 10).interval]
    [0.0, 0.308]
    """

    hits: float
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.count or self.count < 1:
            raise ValueError(f"{self.hits} of {self.count} is not a proportion")

    @property
    def value(self) -> float:
        return self.hits / self.count

    @property
    def interval(self) -> Interval:
        """Clopper and Pearson's exact interval, within 0 to 1."""
        hits, misses, tail = self.hits, self.count - self.hits, TAIL_PROBABILITY
        low = find_beta_quantile(hits, misses + 1, tail) if hits else 0.0
        # From the other end, where a small quantile has all its digits.
        high = 1 - find_beta_quantile(misses, hits + 1, tail) if misses else 1.0
        return low, high

    @property
    def margin(self) -> float:
        """Half the width of the normal approximation; quick, and never zero.

        Half a case is added to both outcomes.
        """
        likely = (self.hits + 0.5) / (self.count + 1)
        return NORMAL_QUANTILE * math.sqrt(likely * (1 - likely) / self.count)


def estimate_mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent values and its standard error; the order has no effect.

    >>> estimate_mean([1.0, 3.0])
    (2.0, 1.0)
    """
    count = len(values)
    if not count:
        raise ValueError("no values have no mean")
    mean = math.fsum(values) / count
    if count == 1:
        return mean, math.inf
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, math.sqrt(variance / count)


def compute_mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of independent values and its interval by Student's distribution.

    >>> compute_mean_interval([1.0, 1.0, 1.0])
    (1.0, 1.0, 1.0)
    """
    mean, error = estimate_mean(values)
    if len(values) == 1:
        return mean, -math.inf, math.inf
    margin = find_student_quantile(len(values) - 1, 1 - TAIL_PROBABILITY) * error
    return mean, mean - margin, mean + margin


def compute_difference_interval(
    ours: float, own: Interval, theirs: float, other: Interval
) -> Interval:
    """Return the interval of `ours - theirs`, from the two intervals (Zou and Donner's MOVER).

    The distances to the ends are combined as a root of squares: two independent estimates are
    rarely wrong in opposite directions by their full margins. The method works for intervals of any
    kind.

    >>> compute_difference_interval(5.0, (2.0, 8.0), 1.0, (-3.0, 5.0))
    (-1.0, 9.0)
    """
    middle = ours - theirs
    below = math.hypot(ours - own[0], other[1] - theirs)
    above = math.hypot(own[1] - ours, theirs - other[0])
    return middle - below, middle + above


@dataclass(frozen=True, slots=True)
class WinComparison:
    """Comparison of two players by their decided games; draws are ignored."""

    p_value: float
    """The probability of a result at least as unequal if both win equally often."""

    proportion: float | None
    """Proportion of the decided games that the first player won; None if none is decided."""

    interval: tuple[float, float]
    """The exact (Clopper and Pearson's) 95% interval of the proportion."""


def compare_wins(wins: int, losses: int) -> WinComparison:
    """Run the two-sided exact binomial test of wins against losses, with p = 1/2.

    >>> round(compare_wins(9, 1).p_value, 6)
    0.021484
    """
    decided = wins + losses
    if not decided:
        return WinComparison(1.0, None, (0.0, 1.0))
    won = Proportion(wins, decided)
    fewer, more = sorted((wins, losses))
    # At most `fewer` of the decided games, by the binomial distribution.
    tail = compute_beta_cdf(more, fewer + 1, 0.5)
    p_value = min(1.0, 2 * tail)
    return WinComparison(p_value, won.value, won.interval)
