"""Teaching the chain TO, FROM, REMOVE with sets of good choices instead of one."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from ludus.learn.scholar.chain_lessons import PARTS, TYPES, Taught, part_of, taught_by
from ludus.learn.scholar.course import Course
from ludus.learn.scholar.examples import NO_POINT, Examples, ExampleSource
from ludus.learn.scholar.experts import NUM_EXPERTS
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.lessons import Lessons
from ludus.learn.scholar.pupil import Pupil
from ludus.learn.scholar.seeing import Parts, Sight, tensor, tensors
from ludus.learn.scholar.shelves import Shelves
from ludus.learn.symmetric.group import CHOICES, joined
from ludus.learn.symmetric.networks import Symmetric

THINGS = tuple(joined(MOVED, *[CHOICES] * part) for part in range(len(PARTS)))
"""What each network sees: the position and the choices before its own."""


@dataclass(frozen=True, kw_only=True)
class ChainCourse(Course):
    """How the chain is taught."""

    channels: tuple[int, int, int] = (72, 40, 32)
    """Of the networks for TO, FROM and REMOVE."""

    blocks: tuple[int, int, int] = (2, 2, 2)
    batch: int = 2048


class ChainTraining:
    """Three banks of experts that are taught at the same time."""

    def __init__(self, source: ExampleSource, course: ChainCourse, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course = course
        self.sight = Sight(device)
        self.shelves = Shelves(NUM_EXPERTS, course.shelf, device, Taught, TYPES)
        self.pupil = Pupil(self._networks, course.averaging, device)
        self._lesson = self.pupil.lesson(self._losses)
        self.lessons = Lessons(source, course.mixture, self.choose, self.teach, course.seed)
        for _ in range(course.rounds_ahead):
            self.lessons.round(own=False)

    def _networks(self) -> nn.ModuleList:
        shapes = zip(THINGS, self.course.channels, self.course.blocks, strict=True)
        return nn.ModuleList(
            Symmetric(things, CHOICES, channels, blocks, NUM_EXPERTS)
            for things, channels, blocks in shapes
        )

    @property
    def examples_a_step(self) -> int:
        return self.course.batch * NUM_EXPERTS

    def step(self, rate: float) -> torch.Tensor:
        """Learn from one batch for every expert; the loss of each part."""
        if self.course.begins_round(self.pupil.steps):
            self.lessons.round(self.course.is_own(self.pupil.steps))
        return self.pupil.learn(self._lesson, rate) / NUM_EXPERTS

    def _losses(self) -> torch.Tensor:
        """Of one batch for every expert, summed over the experts."""
        batch: Taught = self.shelves.take(self.course.batch)
        things = self.sight.columns(batch[:4])
        sets = (batch.good_to, batch.good_from, batch.good_take)
        losses = []
        for part, network in enumerate(self.pupil.networks.children()):
            losses.append(_missing(network(things).float(), sets[part]).mean(1).sum())
            things = torch.cat([things, _one_of(part_of(batch.move, part), things)], dim=-1)
        return torch.stack(losses)

    def teach(self, found: Examples, error: torch.Tensor) -> None:
        """Put positions on the shelves of those who choose in them; errors need no mention, as
        what is taught is the set of all good moves."""
        taught = taught_by(found, self.course.mixture.calm)
        self.shelves.add(self.sight.experts(taught[:4]), taught)

    def choose(self, found: Examples) -> torch.Tensor:
        """The number of the chosen move in each position; of any where it is not legal."""
        return self.is_chosen(found).int().argmax(1)

    def is_chosen(self, found: Examples) -> torch.Tensor:
        """(positions, moves): where the chosen move is, if the rules know it."""
        chosen = self.moves(tensors(found.positions.columns))[:, None]
        is_it = chosen == tensor(found.children.move)
        return is_it & tensor(found.children.is_move)

    @torch.no_grad()
    def moves(self, positions: list[torch.Tensor]) -> torch.Tensor:
        """The moves, packed, part by part and without a look at the rules."""
        device = positions[0].device
        found = torch.zeros(len(positions[0]) + 1, dtype=torch.int32, device=device)
        for asked in self.sight.parts(positions, [range(NUM_EXPERTS)]):
            move = torch.zeros_like(asked.rows, dtype=torch.int32)
            for part, choice in enumerate(self._choices(asked)):
                move |= (choice << (8 * part)).int()
            found[asked.rows] = move
        return found[:-1]

    def _choices(self, asked: Parts) -> Iterator[torch.Tensor]:
        things = asked.things
        for network in self.pupil.averaged.children():
            assert isinstance(network, Symmetric)
            choice = network.by(asked.experts, things).argmax(-1)
            yield choice
            things = torch.cat([things, _one_of(choice, things)], dim=-1)


def _one_of(choice: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return nn.functional.one_hot(choice.long(), NO_POINT + 1).to(like.dtype)


def _missing(outputs: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """How little of the probability lies on the good choices, as its negative logarithm."""
    bits = torch.arange(NO_POINT + 1, device=good.device, dtype=good.dtype)
    # Where nothing is taught, on a shelf that is still empty, everything is good.
    is_good = ((good[..., None] >> bits) & 1 == 1) | (good == 0)[..., None]
    on_good = outputs.masked_fill(~is_good, -torch.inf).logsumexp(-1)
    return outputs.logsumexp(-1) - on_good
