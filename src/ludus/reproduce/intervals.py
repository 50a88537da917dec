"""95% intervals: of a share, of a mean, and of the difference between two figures."""

import math
from collections.abc import Sequence

Interval = tuple[float, float]

OUTSIDE = 0.05 / 2
"""What a 95% interval leaves out on either side."""

NORMAL = 1.959963984540054
"""Standard errors from the middle of a normal distribution to the end of such an interval."""


def share_interval(hits: float, count: int) -> Interval:
    """Clopper and Pearson's exact interval of a share, from 0 to 1.

    A published percentage need not be a whole number of hits; the interval has a meaning for any.

    >>> [round(end, 3) for end in share_interval(0, 10)]
    [0.0, 0.308]
    """
    from scipy.special import betaincinv

    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"{hits} of {count} is not a share")
    low = betaincinv(hits, count - hits + 1, OUTSIDE) if hits else 0.0
    high = betaincinv(hits + 1, count - hits, 1 - OUTSIDE) if hits < count else 1.0
    return float(low), float(high)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of independent values and its interval by Student's distribution.

    >>> mean_interval([1.0, 1.0, 1.0])
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
    margin = float(stdtrit(count - 1, 1 - OUTSIDE)) * math.sqrt(spread / count)
    return mean, mean - margin, mean + margin


def difference_interval(ours: float, own: Interval, theirs: float, other: Interval) -> Interval:
    """The interval of `ours - theirs`, from the interval of either (Zou and Donner's MOVER).

    The ends of two intervals are combined as the two sides of a right angle: two independent
    figures are rarely wrong in opposite directions by as much as each may be. It needs nothing but
    the intervals, whatever they are intervals of.

    >>> difference_interval(5.0, (2.0, 8.0), 1.0, (-3.0, 5.0))
    (-1.0, 9.0)
    """
    middle = ours - theirs
    below = math.hypot(ours - own[0], other[1] - theirs)
    above = math.hypot(own[1] - ours, theirs - other[0])
    return middle - below, middle + above
