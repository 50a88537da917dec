"""95% confidence intervals of proportions, means and differences, and the exact binomial test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Interval = tuple[float, float]

TAIL_PROBABILITY = 0.05 / 2
"""Probability outside a 95% interval on either side."""

NORMAL_QUANTILE = 1.959963984540054
"""Half the width of a 95% interval of a normal distribution, in standard errors."""


def compute_proportion_interval(hits: float, count: int) -> Interval:
    """Return Clopper and Pearson's exact interval of a proportion, within 0 to 1.

    `hits` need not be an integer, because published percentages may not give one.

    >>> [round(end, 3) for end in compute_proportion_interval(0, 10)]
    [0.0, 0.308]
    """
    from scipy.special import betaincinv

    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"{hits} of {count} is not a proportion")
    low = betaincinv(hits, count - hits + 1, TAIL_PROBABILITY) if hits else 0.0
    high = betaincinv(hits + 1, count - hits, 1 - TAIL_PROBABILITY) if hits < count else 1.0
    return float(low), float(high)


def compute_mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of independent values and its interval by Student's distribution.

    >>> compute_mean_interval([1.0, 1.0, 1.0])
    (1.0, 1.0, 1.0)
    """
    from scipy.special import stdtrit

    count = len(values)
    if not count:
        raise ValueError("no values have no mean")
    mean = math.fsum(values) / count
    if count == 1:
        return mean, -math.inf, math.inf
    spread = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    margin = float(stdtrit(count - 1, 1 - TAIL_PROBABILITY)) * math.sqrt(spread / count)
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


BINOMIAL_TAIL = 0.05 / 2
"""Probability outside a 95% interval on either side."""


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
    # scipy.stats has this test, but takes seconds to import.
    from scipy.special import bdtr, betaincinv

    decided = wins + losses
    if not decided:
        return WinComparison(1.0, None, (0.0, 1.0))
    low = betaincinv(wins, losses + 1, BINOMIAL_TAIL) if wins else 0.0
    high = betaincinv(wins + 1, losses, 1 - BINOMIAL_TAIL) if losses else 1.0
    p_value = min(1.0, 2 * float(bdtr(min(wins, losses), decided, 0.5)))
    return WinComparison(p_value, wins / decided, (float(low), float(high)))
