"""Exact binomial tests: is one of two players the better one, or was it luck?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the decided games of two players say. Draws say nothing about who is better."""

    p_value: float
    """The probability of a result at least as unequal if both win equally often."""

    share: float | None
    """Won by the first player, of the games that one of them won; None if nobody won one."""

    interval: tuple[float, float]
    """The exact (Clopper and Pearson's) 95% interval of the share."""


def compare(wins: int, losses: int) -> Comparison:
    """The two-sided exact binomial test of wins against losses, with p = 1/2.

    >>> round(compare(9, 1).p_value, 6)
    0.021484
    """
    from scipy.stats import binomtest

    decided = wins + losses
    if not decided:
        return Comparison(1.0, None, (0.0, 1.0))
    test = binomtest(wins, decided, 0.5)
    low, high = test.proportion_ci(0.95, method="exact")
    return Comparison(float(test.pvalue), wins / decided, (float(low), float(high)))
