"""Lessons for the chain: positions with the sets of good choices, part by part."""

from typing import NamedTuple

import torch

from ludus.learn.scholar.examples import NO_POINT, Examples, ExampleSource, Games, Positions
from ludus.learn.scholar.lessons import Mixture, expert_numbers
from ludus.learn.scholar.shelves import Shelves

TO, FROM, TAKE = range(3)


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


def part_of(move: torch.Tensor, part: int) -> torch.Tensor:
    """TO, FROM or TAKE of packed moves: a point, or NO_POINT."""
    return (move >> (8 * part)) & 0xFF


class ChainLessons:
    """Fills shelves, round by round, as `lessons.Lessons` does for the scorer."""

    def __init__(
        self, source: ExampleSource, shelves: Shelves, mixture: Mixture, on: torch.Tensor, seed: int
    ) -> None:
        self.source, self.shelves, self.mixture, self.on = source, shelves, mixture, on
        self.rounds = seed << 32
        positions = source.draw(mixture.games, self._seed())
        self.games = Games(positions, 0 * positions.own)

    def round(self) -> None:
        drawn = self.source.draw(self.mixture.drawn, self._seed())
        columns = zip(self.games.positions.columns, drawn.columns, strict=True)
        roots = Positions(*(self.source.joined(pair) for pair in columns))
        found = self.source.examples(roots, seed=self._seed())
        taught = taught_by(found, self.mixture.calm)
        self.shelves.add(expert_numbers(taught[:4], self.on), taught)
        self.games = self.source.advance(
            self.games,
            found[: self.mixture.games],
            drawn,
            self._seed(),
            self.mixture.noise,
            self.mixture.max_plies,
        )

    def _seed(self) -> int:
        self.rounds += 1
        return self.rounds


def taught_by(found: Examples, calm: float) -> Taught:
    """What to teach of some positions: all critical ones, and some of the others."""
    keeps = torch.as_tensor(found.keeps)
    chance = torch.rand(keeps.shape, device=keeps.device)
    is_wanted = torch.as_tensor(found.is_critical) | (chance[:, 0] < calm)
    row = (is_wanted & keeps.any(1)).nonzero()[:, 0]
    keeps, moves = keeps[row], torch.as_tensor(found.children.move)[row]
    picked = torch.where(keeps, chance[row], -1.0).argmax(1, keepdim=True)
    move = moves.gather(1, picked)
    sets, good = [], keeps
    for part in (TO, FROM, TAKE):
        choices = part_of(moves, part)
        sets.append(_union(choices, good))
        good = good & (choices == part_of(move, part))
    columns = [torch.as_tensor(column)[row] for column in found.positions.columns]
    return Taught(*columns, move[:, 0], *sets)


def _union(choices: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """(positions, moves) choices to sets of them, as bits."""
    chosen = torch.zeros(len(choices), NO_POINT + 1, dtype=torch.int32, device=choices.device)
    chosen.scatter_reduce_(1, choices.long().clamp(max=NO_POINT), good.int(), "amax")
    weights = 1 << torch.arange(NO_POINT + 1, dtype=torch.int32, device=choices.device)
    return (chosen * weights).sum(1, dtype=torch.int32)
