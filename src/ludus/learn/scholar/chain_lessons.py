"""Lessons for the chain: positions with the sets of good choices, part by part."""

from typing import NamedTuple

import torch

from ludus.learn.scholar.examples import NO_POINT, Examples
from ludus.learn.scholar.lessons import any_of
from ludus.learn.scholar.seeing import tensor, tensors

PARTS = ("to", "from", "take")


class Taught(NamedTuple):
    """Positions, a good move in each, and what else would have been good at each part of it."""

    own: torch.Tensor
    other: torch.Tensor
    own_hand: torch.Tensor
    other_hand: torch.Tensor
    move: torch.Tensor
    """A good move, packed as in Children."""

    good_to: torch.Tensor
    """Sets of points as bits, bit 24 for none: where good moves go to,"""

    good_from: torch.Tensor
    """where those come from that go to the same point,"""

    good_take: torch.Tensor
    """and what those take that also come from the same point."""


TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8, *[torch.int32] * 4)
"""Of the columns."""


def part_of(move: torch.Tensor, part: int) -> torch.Tensor:
    """TO, FROM or TAKE of packed moves: a point, or NO_POINT."""
    return (move >> (8 * part)) & 0xFF


def taught_by(found: Examples, calm: float) -> Taught:
    """What to teach of some positions: all critical ones, and a share of the others."""
    keeps = tensor(found.keeps)
    is_calm = torch.rand(len(keeps), device=keeps.device) < calm
    row = ((tensor(found.is_critical) | is_calm) & keeps.any(1)).nonzero()[:, 0]
    keeps, moves = keeps[row], tensor(found.children.move)[row]
    move = moves.gather(1, any_of(keeps)[:, None])
    sets, good = [], keeps
    for part in range(len(PARTS)):
        choices = part_of(moves, part)
        sets.append(_union(choices, good))
        good = good & (choices == part_of(move, part))
    positions = [column[row] for column in tensors(found.positions.columns)]
    return Taught._make([*positions, move[:, 0], *sets])


def _union(choices: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """(positions, moves) choices to sets of them, as bits."""
    chosen = torch.zeros(len(choices), NO_POINT + 1, dtype=torch.int32, device=choices.device)
    chosen.scatter_reduce_(1, choices.long().clamp(max=NO_POINT), good.int(), "amax")
    weights = 1 << torch.arange(NO_POINT + 1, dtype=torch.int32, device=choices.device)
    return (chosen * weights).sum(1, dtype=torch.int32)
