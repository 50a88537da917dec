"""Teaching the scorer: all experts at once, each on examples of its own."""

import itertools
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.learn.scholar import pace
from ludus.learn.scholar.course import Course
from ludus.learn.scholar.critical import OVER, best_moves
from ludus.learn.scholar.examples import DRAW, Examples, ExampleSource
from ludus.learn.scholar.experts import NUM_EXPERTS
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.lessons import Lessons, pairs
from ludus.learn.scholar.pupil import Pupil
from ludus.learn.scholar.seeing import Sight, tensor, tensors
from ludus.learn.scholar.shelves import Judged, Shelves
from ludus.learn.scholar.worth import DRAWN, RESULTS, WIN, worth
from ludus.learn.symmetric.networks import Symmetric


@dataclass(frozen=True)
class Bank:
    """Experts of one size, which are taught side by side."""

    upto: int
    """The expert after its last one; its first is the one after the bank before."""

    channels: int
    batch: int
    """Examples of each expert in a step."""

    blocks: int = 2
    repeats: int = 1
    """How often the blocks are gone through."""


@dataclass(frozen=True, kw_only=True)
class ScorerCourse(Course):
    """How the scorer is taught."""

    banks: tuple[Bank, ...]
    """All experts, from the first on."""

    care: float = 40.0
    """With which the scholar plays its own games: less than it will have, as doubts teach."""

    def experts(self) -> list[range]:
        """Those of each bank."""
        ends = [bank.upto for bank in self.banks]
        if ends != sorted(set(ends)) or ends[-1] != NUM_EXPERTS:
            raise BadSpec(f"banks of experts must end at {NUM_EXPERTS}, not at {ends}")
        return [range(*pair) for pair in itertools.pairwise([0, *ends])]


class ScorerTraining:
    """A scorer that learns, and where its examples come from."""

    def __init__(self, source: ExampleSource, course: ScorerCourse, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course = course
        self.experts = course.experts()
        self.sight = Sight(device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device)
        self.pupil = Pupil(self._networks, course.averaging, device)
        self._lesson = self.pupil.lesson(self._all_losses)
        self._begin(source)

    def _begin(self, source: ExampleSource) -> None:
        """The first lessons."""
        course = self.course
        self.lessons = Lessons(source, course.mixture, self.choose, self.teach, course.seed)
        for _ in range(course.rounds_ahead):
            self.lessons.round(own=False)

    def _networks(self) -> nn.ModuleList:
        return nn.ModuleList(
            Symmetric(
                MOVED, len(RESULTS), bank.channels, bank.blocks, len(experts), repeats=bank.repeats
            )
            for bank, experts in zip(self.course.banks, self.experts, strict=True)
        )

    @property
    def examples_a_step(self) -> int:
        banks = zip(self.course.banks, self.experts, strict=True)
        return sum(bank.batch * len(experts) for bank, experts in banks)

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; the loss of each."""
        if self.course.begins_round(self.pupil.steps):
            self.lessons.round(self.course.is_own(self.pupil.steps))
        return self.pupil.learn(self._lesson, rate)

    def _all_losses(self) -> torch.Tensor:
        """Of one batch for every expert."""
        banks = zip(self.pupil.networks.children(), self.course.banks, self.experts, strict=True)
        losses = [
            self._losses(network, self.shelves.take(bank.batch, slice(experts[0], experts[-1] + 1)))
            for network, bank, experts in banks
        ]
        return torch.cat(losses)

    def _losses(self, network: nn.Module, batch: Judged) -> torch.Tensor:
        outputs = network(self.sight.columns(batch[:4])).float()
        wanted = results(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        return losses.view(wanted.shape).mean(1)

    @torch.no_grad()
    def paces(self, expert: int, number: int = 1 << 16) -> pace.Rows:
        """What the last layer of an expert needs to say how far off the end is."""
        bank = next(at for at, experts in enumerate(self.experts) if expert in experts)
        network = list(self.pupil.averaged.children())[bank]
        assert isinstance(network, Symmetric)
        there = min(number, int(self.shelves.put[expert]))
        if not there:
            return pace.unknown(network.channels)
        some: Judged = self.shelves.take(there, slice(expert, expert + 1))
        one = torch.tensor([expert - self.experts[bank][0]], device=some.own.device)
        units = network.last_units(one, self.sight.columns(some[:4]))
        return pace.rows(units[0], some.value[0])

    def teach(self, found: Examples, error: torch.Tensor) -> None:
        """Put the positions after some moves on the shelves of those who judge them."""
        row, column = pairs(found, error, self.course.mixture)
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
        return self.scores_by(self.pupil.averaged, positions, self.course.care)

    def scores_by(
        self, networks: nn.Module, positions: list[torch.Tensor], care: float
    ) -> torch.Tensor:
        """The same by other weights, which may learn from it."""
        found = torch.zeros(len(positions[0]) + 1, device=positions[0].device)
        banks = list(networks.children())
        for part in self.sight.parts(positions, self.experts):
            network = banks[part.bank]
            assert isinstance(network, Symmetric)
            chances = network.by(part.experts, part.things).float().softmax(-1)
            found[part.rows] = worth(chances, care)
        return found[:-1]


def results(values: torch.Tensor) -> torch.Tensor:
    """What the oracle's values mean for the mover: LOSS, DRAWN or WIN."""
    won = tensor(values).long() % 2 * WIN
    return torch.where(values == DRAW, torch.full_like(won, DRAWN), won)
