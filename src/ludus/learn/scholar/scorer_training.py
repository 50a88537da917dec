"""Teaching the scorer: all experts at once, each on examples of its own."""

from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn import functional

from ludus.learn.scholar.critical import OVER, best_moves
from ludus.learn.scholar.examples import DRAW, Examples, ExampleSource
from ludus.learn.scholar.experts import FIRST_FLYING, NUM_EXPERTS
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.lessons import Lessons, pairs
from ludus.learn.scholar.mixture import Mixture
from ludus.learn.scholar.pupil import Pupil
from ludus.learn.scholar.seeing import Sight, tensor, tensors
from ludus.learn.scholar.shelves import Judged, Shelves
from ludus.learn.symmetric.networks import Symmetric

LOSS, DRAWN, WIN = range(3)
"""The outputs: what a position is for its mover."""

BANKS = (slice(0, FIRST_FLYING), slice(FIRST_FLYING, NUM_EXPERTS))
"""Experts of one size: those for placing and moving, and those for flying, which is easy."""


@dataclass(frozen=True)
class ScorerCourse:
    """How the scorer is taught."""

    channels: tuple[int, int] = (96, 40)
    """Of the experts for placing and moving, and for flying."""

    blocks: int = 2

    batch: tuple[int, int] = (6144, 2048)
    """Examples of each expert in a step."""

    shelf: int = 1 << 20
    """Examples that wait for each expert."""

    averaging: float = 0.999
    """How slowly the averaged weights follow."""

    rounds_ahead: int = 20
    """Rounds of lessons before the first step."""

    steps_a_round: int = 2

    rounds_an_own: int = 8
    """Of so many rounds the scholar itself plays in one: to ask it takes time."""

    mixture: Mixture = field(default_factory=Mixture)
    seed: int = 1


class ScorerTraining:
    """A scorer that learns, and where its examples come from."""

    def __init__(self, source: ExampleSource, course: ScorerCourse, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course = course
        self.sight = Sight(device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device)
        self.pupil = Pupil(self._networks, course.averaging, device)
        self.lessons = Lessons(source, course.mixture, self.choose, self.teach, course.seed)
        for _ in range(course.rounds_ahead):
            self.lessons.round(own=False)

    def _networks(self) -> nn.ModuleList:
        course = self.course
        return nn.ModuleList(
            Symmetric(MOVED, 3, channels, course.blocks, bank.stop - bank.start)
            for bank, channels in zip(BANKS, course.channels, strict=True)
        )

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; the loss of each."""
        rounds, rest = divmod(self.pupil.steps, self.course.steps_a_round)
        if rest == 0:
            self.lessons.round(own=rounds % self.course.rounds_an_own == 0)
        by_bank = zip(self.pupil.networks.children(), self.course.batch, BANKS, strict=True)
        losses = [
            self._losses(network, self.shelves.take(batch, bank))
            for network, batch, bank in by_bank
        ]
        by_expert = torch.cat(losses)
        self.pupil.learn(by_expert.sum(), rate)
        return by_expert.detach()

    def _losses(self, network: nn.Module, batch: Judged) -> torch.Tensor:
        outputs = network(self.sight.columns(batch[:4])).float()
        wanted = results(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        return losses.view(wanted.shape).mean(1)

    def teach(self, found: Examples, error: torch.Tensor) -> None:
        """Put the positions after some moves on the shelves of those who judge them."""
        row, column = pairs(found, error, self.course.mixture.calm)
        children = found.children
        own, other, own_hand, other_hand, value = (
            values[row, column] for values in tensors([*children.positions.columns, children.value])
        )
        judged = Judged(own, other, own_hand, other_hand, value)
        # Whether a game is over the rules say; nobody needs to learn it.
        going_on = (judged.value != OVER).nonzero()[:, 0]
        judged = Judged._make(values[going_on] for values in judged)
        self.shelves.add(self.sight.experts(judged[:4]), judged)

    def choose(self, found: Examples) -> torch.Tensor:
        """The number of the move with the best score in each position."""
        return best_moves(found, self.score)

    @torch.no_grad()
    def score(self, positions: list[torch.Tensor]) -> torch.Tensor:
        """What positions are worth to the side that is NOT to move: from -1, lost, to 1."""
        found = torch.empty(len(positions[0]), device=positions[0].device)
        banks = list(self.pupil.averaged.children())
        for expert, which, things in self.sight.by_expert(positions):
            bank = int(expert >= FIRST_FLYING)
            network = banks[bank]
            assert isinstance(network, Symmetric)
            chances = network.alone(expert - BANKS[bank].start, things).float().softmax(-1)
            found[which] = chances[:, LOSS] - chances[:, WIN]
        return found


def results(values: torch.Tensor) -> torch.Tensor:
    """What the oracle's values mean for the mover: LOSS, DRAWN or WIN."""
    won = tensor(values).long() % 2 * WIN
    return torch.where(values == DRAW, torch.full_like(won, DRAWN), won)
