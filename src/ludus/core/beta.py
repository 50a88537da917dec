"""The beta distribution, from which binomial and Student's probabilities follow.

Scipy has these functions, in 114 MB; a test compares the two.
"""

import math
from typing import Final

TOLERANCE: Final = 1e-15
SMALLEST: Final = 1e-300
"""Takes the place of a denominator of zero in the continued fraction."""


def compute_beta_cdf(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function, the probability of at most x.

    >>> round(compute_beta_cdf(2, 3, 0.5), 9)
    0.6875
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly below the mean
        return 1 - compute_beta_cdf(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    value = ratio = 1.0
    below = 0.0
    number = 0
    while True:
        number += 1
        half = number // 2
        if number % 2:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        below = 1 / (1 + term * below or SMALLEST)
        ratio = 1 + term / ratio or SMALLEST
        change = below * ratio
        value *= change
        if abs(change - 1) <= TOLERANCE:
            return value


def find_beta_quantile(a: float, b: float, probability: float) -> float:
    """Return the x below which a beta variable is with this probability, by bisection."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if compute_beta_cdf(a, b, middle) < probability:
            low = middle
        else:
            high = middle
    return middle


def find_student_quantile(freedom: float, probability: float) -> float:
    """Return the quantile of Student's distribution, for a probability above one half.

    >>> round(find_student_quantile(3, 0.975), 4)
    3.1824
    """
    x = find_beta_quantile(freedom / 2, 0.5, 2 * (1 - probability))
    return math.sqrt(freedom * (1 - x) / x)
