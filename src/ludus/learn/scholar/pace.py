"""How far off the end is: two more things that a scorer says, read off what its experts have seen.

What an expert's last units hold tells results apart, and much of how soon they come with it. So
nothing more has to be learned: the last layer gets two rows, fitted by least squares.
"""

from typing import NamedTuple

import torch

from ludus.learn.scholar.critical import OVER
from ludus.learn.scholar.examples import DRAW
from ludus.learn.scholar.worth import LONG
from ludus.learn.symmetric.group import ORDER

LEAST = 1e-3
"""How much smaller weights are preferred, as a share of what the units are."""


class Rows(NamedTuple):
    """Of the last layer of one expert."""

    weights: torch.Tensor
    """(2, channels)"""

    bias: torch.Tensor
    """(2,)"""


def rows(units: torch.Tensor, values: torch.Tensor) -> Rows:
    """From last units (positions, 16 * channels) and the oracle's values of the positions."""
    seen = units.reshape(len(units), ORDER, -1).double().mean(1)
    one = torch.ones(len(seen), 1, dtype=seen.dtype, device=seen.device)
    seen = torch.cat([seen, one], dim=1)
    is_decided = (values != DRAW) & (values != OVER)
    found = []
    for is_win in (0, 1):
        which = is_decided & (values % 2 == is_win)
        found.append(_fitted(seen[which], values[which].double().log2()))
    both = torch.stack(found)
    return Rows(both[:, :-1], both[:, -1])


def unknown(channels: int) -> Rows:
    """Of an expert that has seen nothing: whatever it is, it takes long."""
    return Rows(torch.zeros(2, channels), torch.full((2,), LONG))


def _fitted(seen: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Weights and a bias. Where there are few examples they say little more than the mean, and
    where there are none, that it takes long."""
    size = seen.shape[1]
    products = seen.T @ seen
    less = torch.full((size,), 1.0, dtype=seen.dtype, device=seen.device)
    less[:-1] += LEAST * products.trace() / size
    mean = wanted.mean() if len(wanted) else torch.full_like(less[-1], LONG)
    found: torch.Tensor = torch.linalg.solve(products + less.diag(), seen.T @ (wanted - mean))
    found[-1] += mean
    return found
