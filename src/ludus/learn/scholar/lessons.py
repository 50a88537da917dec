"""Lessons out of the solved game: which positions are put before the scholar.

A round looks at many positions with all their moves. Where some moves keep the value and others
do not, one of each becomes an example: what the scholar must learn is to tell them apart. Of
other positions some become examples too, so that no kind of position is quite unknown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ludus.learn.scholar.examples import Examples, ExampleSource, Games, Positions
from ludus.learn.scholar.experts import experts
from ludus.learn.scholar.shelves import Judged, Shelves

OVER = 0
"""The value of a position whose mover has lost: the rules say so, nobody needs to learn it."""


@dataclass(frozen=True)
class Mixture:
    """Where the positions of a round come from."""

    drawn: int = 1 << 15
    """Positions drawn at random, each kind of position as often as any other."""

    games: int = 1 << 15
    """Games that go on by one ply a round."""

    noise: float = 0.3
    """How often a ply of a game is any move, not one that keeps the value."""

    max_plies: int = 30
    """When games begin anew; they begin at random positions, and some at the start."""

    calm: float = 0.15
    """Share of positions that become examples although every move keeps their value."""


class Lessons:
    """Fills shelves, round by round."""

    def __init__(
        self, source: ExampleSource, shelves: Shelves, mixture: Mixture, on: torch.Tensor, seed: int
    ) -> None:
        """`on` is the table of experts, see `ludus.learn.scholar.experts`."""
        self.source, self.shelves, self.mixture, self.on = source, shelves, mixture, on
        self.rounds = seed << 32
        positions = self._fresh(mixture.games)
        self.games = Games(positions, 0 * positions.own)

    def round(self) -> Examples:
        """Look at every game and at drawn positions; games then go on by one ply."""
        drawn = self._fresh(self.mixture.drawn)
        columns = zip(self.games.positions.columns, drawn.columns, strict=True)
        roots = Positions(*(self.source.joined(pair) for pair in columns))
        found = self.source.examples(roots, seed=self._seed())
        self._put_pairs(found)
        self.games = self.source.advance(
            self.games,
            found[: self.mixture.games],
            drawn,
            self._seed(),
            self.mixture.noise,
            self.mixture.max_plies,
        )
        return found

    def put(self, found: Examples, row: torch.Tensor, column: torch.Tensor) -> None:
        """Put the positions after some moves on the shelves of those who judge them."""
        children = found.children
        picked = [_tensor(values)[row, column] for values in children.positions.columns]
        judged = Judged(*picked, _tensor(children.value)[row, column])
        going_on = (judged.value != OVER).nonzero()[:, 0]
        judged = Judged(*(values[going_on] for values in judged))
        self.shelves.add(expert_numbers(judged[:4], self.on), judged)

    def _put_pairs(self, found: Examples) -> None:
        is_move, keeps = _tensor(found.children.is_move), _tensor(found.keeps)
        is_critical = _tensor(found.is_critical)
        chance = torch.rand(keeps.shape, device=keeps.device)
        is_calm = ~is_critical & is_move.any(1) & (chance[:, 0] < self.mixture.calm)
        rows, columns = [], []
        for which, moves in ((is_critical, keeps), (is_critical, is_move & ~keeps), (is_calm, is_move)):
            row = which.nonzero()[:, 0]
            rows.append(row)
            columns.append(torch.where(moves[row], chance[row], -1.0).argmax(1))
        self.put(found, torch.cat(rows), torch.cat(columns))

    def _fresh(self, count: int) -> Positions:
        return self.source.draw(count, self._seed())

    def _seed(self) -> int:
        self.rounds += 1
        return self.rounds


def expert_numbers(columns: Sequence[torch.Tensor], on: torch.Tensor) -> torch.Tensor:
    """Which expert judges each position: of own men, other men, own hand, other hand."""
    own, other, own_hand, other_hand = columns
    numbers: torch.Tensor = experts(
        own_hand.long(), other_hand.long(), num_men(own), num_men(other), on
    )
    return numbers


def num_men(boards: torch.Tensor) -> torch.Tensor:
    """How many men stand on boards of 24 points."""
    bits = torch.arange(24, device=boards.device, dtype=boards.dtype)
    return ((boards[..., None] >> bits) & 1).sum(-1)


def _tensor(array: Any) -> torch.Tensor:
    return torch.as_tensor(array)
