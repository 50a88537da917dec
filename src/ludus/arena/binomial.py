"""Exact binomial tests: is one of two players the better one, or was it luck?"""

from dataclasses import dataclass

OUTSIDE = 0.05 / 2
"""What a 95% interval leaves out on either side."""


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
    # scipy.stats has all this ready-made and takes seconds to import.
    from scipy.special import bdtr, betaincinv

    decided = wins + losses
    if not decided:
        return Comparison(1.0, None, (0.0, 1.0))
    low = betaincinv(wins, losses + 1, OUTSIDE) if wins else 0.0
    high = betaincinv(wins + 1, losses, 1 - OUTSIDE) if losses else 1.0
    p_value = min(1.0, 2 * float(bdtr(min(wins, losses), decided, 0.5)))
    return Comparison(p_value, wins / decided, (float(low), float(high)))
