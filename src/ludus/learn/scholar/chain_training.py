"""Training of the chain TO, FROM, REMOVE on the sets of all value-keeping choices."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn

from ludus.learn.common.optimizer import EmaOptimizer
from ludus.learn.common.replay_buffer import ReplayBuffer
from ludus.learn.equivariant.group import CHOICE_PERMUTATIONS, concatenate_permutations
from ludus.learn.equivariant.model import EquivariantNetwork
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.examples import NO_POINT, ExampleBatch, ExampleSource
from ludus.learn.scholar.model import ExpertChunks, TensorEncoder, as_tensor, as_tensors
from ludus.learn.scholar.training_data import ExampleGenerator, TrainingConfig, sample_one

MOVE_PARTS = ("to", "from", "take")


class ChainExamples(NamedTuple):
    """Positions, a value-keeping move in each, and all value-keeping choices of each part."""

    own: torch.Tensor
    other: torch.Tensor
    own_hand: torch.Tensor
    other_hand: torch.Tensor
    move: torch.Tensor
    """A value-keeping move, packed as in ChildBatch."""

    good_to: torch.Tensor
    """Bit set of the points to which value-keeping moves go; bit 24 is no point."""

    good_from: torch.Tensor
    """Bit set of their origins, among those that go to the same point."""

    good_take: torch.Tensor
    """Bit set of their captures, among those that also come from the same point."""


CHAIN_EXAMPLE_TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8, *[torch.int32] * 4)
"""Column types of ChainExamples."""


def unpack_part(move: torch.Tensor, part: int) -> torch.Tensor:
    """Return TO, FROM or TAKE of packed moves: a point, or NO_POINT."""
    return (move >> (8 * part)) & 0xFF


def make_chain_examples(found: ExampleBatch, calm: float) -> ChainExamples:
    """Make examples of all critical positions and a proportion `calm` of the others."""
    keeps = as_tensor(found.keeps)
    is_calm = torch.rand(len(keeps), device=keeps.device) < calm
    row = ((as_tensor(found.is_critical) | is_calm) & keeps.any(1)).nonzero()[:, 0]
    keeps, moves = keeps[row], as_tensor(found.children.move)[row]
    move = moves.gather(1, sample_one(keeps)[:, None])
    sets, good = [], keeps
    for part in range(len(MOVE_PARTS)):
        choices = unpack_part(moves, part)
        sets.append(_pack_choices(choices, good))
        good = good & (choices == unpack_part(move, part))
    positions = [column[row] for column in as_tensors(found.positions.columns)]
    return ChainExamples._make([*positions, move[:, 0], *sets])


def _pack_choices(choices: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """Convert (positions, moves) choices to bit sets of the good ones."""
    chosen = torch.zeros(len(choices), NO_POINT + 1, dtype=torch.int32, device=choices.device)
    chosen.scatter_reduce_(1, choices.long().clamp(max=NO_POINT), good.int(), "amax")
    weights = 1 << torch.arange(NO_POINT + 1, dtype=torch.int32, device=choices.device)
    return (chosen * weights).sum(1, dtype=torch.int32)


INPUT_PERMUTATIONS = tuple(
    concatenate_permutations(FEATURE_PERMUTATIONS, *[CHOICE_PERMUTATIONS] * part)
    for part in range(len(MOVE_PARTS))
)
"""Symmetries of each network's input: the position and the preceding choices."""


@dataclass(frozen=True, kw_only=True)
class ChainConfig(TrainingConfig):
    """Training parameters of the chain."""

    channels: tuple[int, int, int] = (72, 40, 32)
    """Channels of the networks for TO, FROM and REMOVE."""

    blocks: tuple[int, int, int] = (2, 2, 2)
    batch: int = 2048


class ChainTraining:
    """Joint training of three banks of experts."""

    def __init__(self, source: ExampleSource, course: ChainConfig, device: torch.device) -> None:
        torch.manual_seed(course.seed)
        self.course = course
        self.sight = TensorEncoder(device)
        self.shelves = ReplayBuffer(
            NUM_EXPERTS, course.shelf, device, ChainExamples, CHAIN_EXAMPLE_TYPES
        )
        self.pupil = EmaOptimizer(self._networks, course.averaging, device)
        self._lesson = self.pupil.lesson(self._losses)
        self.lessons = ExampleGenerator(
            source, course.mixture, self.choose, self.teach, course.seed
        )
        for _ in range(course.rounds_ahead):
            self.lessons.round(own=False)

    def _networks(self) -> nn.ModuleList:
        shapes = zip(INPUT_PERMUTATIONS, self.course.channels, self.course.blocks, strict=True)
        return nn.ModuleList(
            EquivariantNetwork(things, CHOICE_PERMUTATIONS, channels, blocks, NUM_EXPERTS)
            for things, channels, blocks in shapes
        )

    @property
    def examples_a_step(self) -> int:
        return self.course.batch * NUM_EXPERTS

    def step(self, rate: float) -> torch.Tensor:
        """Train on one batch for every expert and return the loss of each part."""
        if self.course.begins_round(self.pupil.steps):
            self.lessons.round(self.course.is_own(self.pupil.steps))
        return self.pupil.learn(self._lesson, rate) / NUM_EXPERTS

    def _losses(self) -> torch.Tensor:
        """Return the losses of one batch, summed over the experts."""
        batch: ChainExamples = self.shelves.take(self.course.batch)
        things = self.sight.columns(batch[:4])
        sets = (batch.good_to, batch.good_from, batch.good_take)
        losses = []
        for part, network in enumerate(self.pupil.networks.children()):
            losses.append(_set_cross_entropy(network(things).float(), sets[part]).mean(1).sum())
            things = torch.cat([things, _one_hot(unpack_part(batch.move, part), things)], dim=-1)
        return torch.stack(losses)

    def teach(self, found: ExampleBatch, error: torch.Tensor) -> None:
        """Add positions to the replay buffer. `error` is unused, because the target is the set of
        all value-keeping moves."""
        taught = make_chain_examples(found, self.course.mixture.calm)
        self.shelves.add(self.sight.experts(taught[:4]), taught)

    def choose(self, found: ExampleBatch) -> torch.Tensor:
        """Return the index of the chosen move in each position; 0 if it is not legal."""
        return self.is_chosen(found).int().argmax(1)

    def is_chosen(self, found: ExampleBatch) -> torch.Tensor:
        """Return the (positions, moves) mask of the chosen moves, empty rows if illegal."""
        chosen = self.moves(as_tensors(found.positions.columns))[:, None]
        is_it = chosen == as_tensor(found.children.move)
        return is_it & as_tensor(found.children.is_move)

    @torch.no_grad()
    def moves(self, positions: list[torch.Tensor]) -> torch.Tensor:
        """Choose packed moves part by part, ignoring legality."""
        device = positions[0].device
        found = torch.zeros(len(positions[0]) + 1, dtype=torch.int32, device=device)
        for asked in self.sight.parts(positions, [range(NUM_EXPERTS)]):
            move = torch.zeros_like(asked.rows, dtype=torch.int32)
            for part, choice in enumerate(self._choices(asked)):
                move |= (choice << (8 * part)).int()
            found[asked.rows] = move
        return found[:-1]

    def _choices(self, asked: ExpertChunks) -> Iterator[torch.Tensor]:
        things = asked.things
        for network in self.pupil.averaged.children():
            assert isinstance(network, EquivariantNetwork)
            choice = network.by(asked.experts, things).argmax(-1)
            yield choice
            things = torch.cat([things, _one_hot(choice, things)], dim=-1)


def _one_hot(choice: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return nn.functional.one_hot(choice.long(), NO_POINT + 1).to(like.dtype)


def _set_cross_entropy(outputs: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """Return the negative logarithm of the total probability of the good choices."""
    bits = torch.arange(NO_POINT + 1, device=good.device, dtype=good.dtype)
    # An empty set, from an empty ring of the replay buffer, allows every choice.
    is_good = ((good[..., None] >> bits) & 1 == 1) | (good == 0)[..., None]
    on_good = outputs.masked_fill(~is_good, -torch.inf).logsumexp(-1)
    return outputs.logsumexp(-1) - on_good
