"""Lessons out of the solved game: which positions are put before the scholar.

A round looks at many positions with all their moves. Where some moves keep the value and others
do not, one of each becomes an example: what the scholar must learn is to tell them apart. Of
other positions some become examples too, so that no kind of position is quite unknown. Part of
the positions come out of the scholar's own games, and where it erred there it will stand again.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ludus.learn.scholar.examples import Examples, ExampleSource, Positions
from ludus.learn.scholar.experts import experts
from ludus.learn.scholar.mixture import Mixture, shares
from ludus.learn.scholar.playing import Play, PlayOptions

Choose = Callable[[Examples], torch.Tensor]
"""The number of the move that the scholar would play in each position."""

Teach = Callable[[Examples, torch.Tensor], None]
"""Take examples out of positions; the tensor has the number of a move in each that must be among
them, or -1."""


class Lessons:
    """Looks at positions, round by round, and hands them on."""

    def __init__(
        self,
        source: ExampleSource,
        mixture: Mixture,
        choose: Choose,
        teach: Teach,
        seed: int,
    ) -> None:
        self.source, self.mixture = source, mixture
        self.choose, self.teach = choose, teach
        self.weights = shares(source.subspaces, mixture)
        self.rounds = seed << 32
        options = PlayOptions(mixture.noise, mixture.max_plies, from_start=0.2, from_errors=0.3)
        self.play = Play(source, mixture.games, seed, options, weights=self.weights)

    def round(self, own: bool) -> None:
        """Look at drawn positions and at every game; `own`: let the scholar play on in them."""
        self.rounds += 1
        drawn = self.source.draw(self.mixture.drawn, self.rounds, weights=self.weights)
        found = self.source.examples(drawn, seed=self.rounds)
        self.teach(found, torch.full((len(found),), -1, device=tensor(found.value).device))
        self._play(own)

    def _play(self, own: bool) -> None:
        found = self.play.examples
        chosen = self.choose(found) if own else torch.zeros_like(tensor(found.value), dtype=torch.long)
        is_own = torch.rand(len(found), device=chosen.device) < (self.mixture.own if own else 0)
        move = tensor(found.children.move).gather(1, chosen[:, None])[:, 0]
        errs = ~tensor(found.keeps).gather(1, chosen[:, None])[:, 0] & own
        self.teach(found, torch.where(errs, chosen, -1))
        move = torch.where(is_own, move, -1)
        self.play.step(self.source.columns([move.numpy()])[0] if move.device.type == "cpu" else move)


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


def pairs(
    found: Examples, must: torch.Tensor, calm: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and columns of the moves to learn from: where it matters, a good one and a bad one.

    Where a move must be among them it is the bad one of four pairs: it was an error.
    """
    is_move, keeps = tensor(found.children.is_move), tensor(found.keeps)
    chance = torch.rand(keeps.shape, device=keeps.device)
    is_critical = tensor(found.is_critical)
    is_calm = ~is_critical & is_move.any(1) & (chance[:, 0] < calm)
    picks = [(is_critical, keeps), (is_critical & (must < 0), is_move & ~keeps), (is_calm, is_move)]
    rows, columns = [], []
    for which, moves in picks:
        row = which.nonzero()[:, 0]
        rows.append(row)
        columns.append(torch.where(moves[row], chance[row], -1.0).argmax(1))
    row = (is_critical & (must >= 0)).nonzero()[:, 0]
    for _ in range(4):
        rows.append(row)
        columns.append(must[row])
    for _ in range(3):
        rows.append(row)
        again = torch.rand(len(row), keeps.shape[1], device=keeps.device)
        columns.append(torch.where(keeps[row], again, -1.0).argmax(1))
    return torch.cat(rows), torch.cat(columns)


def tensor(array: Any) -> torch.Tensor:
    """An array or tensor as a tensor."""
    return torch.as_tensor(array)
