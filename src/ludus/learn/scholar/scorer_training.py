"""Training of the scorer on exact values, or by imitation of the moves of a dataset."""

import itertools
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import LOST, MoveBatch, PositionBatch, classify
from ludus.learn.common.optimizer import CaptureScope
from ludus.learn.equivariant.model import EquivariantNetwork
from ludus.learn.scholar import model
from ludus.learn.scholar.bounded_scores import build_expert
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.inference import NUM_RESULTS, utility
from ludus.learn.scholar.model import (
    KERNEL_BASES,
    TensorEncoder,
    as_tensor,
    build_optimizer,
    make_replay_buffer,
    select_best_moves,
)
from ludus.learn.scholar.revival import CHECK_INTERVAL, find_dead_experts, revive_experts
from ludus.learn.scholar.training_data import (
    ExampleGenerator,
    NewExamples,
    TrainingConfig,
    select_moves,
    to_source_array,
)
from ludus.learn.scholar.weights import ScholarWeights


class ValuedPositions(NamedTuple):
    """Positions from the mover's perspective with their exact values; tensors of one shape."""

    own: torch.Tensor
    other: torch.Tensor
    own_hand: torch.Tensor
    other_hand: torch.Tensor
    value: torch.Tensor
    """The oracle's code: plies to the end, odd for a win and even for a loss, or a draw."""


VALUED_POSITION_TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8, torch.uint8)
"""Column types of ValuedPositions."""


@dataclass(frozen=True)
class ExpertBank:
    """Experts of one size, trained together."""

    upto: int
    """Number after the bank's last expert; its first expert follows the bank before."""

    channels: int
    batch: int
    """Examples per expert and step."""

    blocks: int = 2
    repeats: int = 1
    """Number of passes through the blocks."""


@dataclass(frozen=True, kw_only=True)
class ScorerConfig(TrainingConfig):
    """Training parameters of the scorer."""

    banks: tuple[ExpertBank, ...]
    """Banks that cover all experts in order."""

    care: float = 40.0
    """Loss aversion in its own games; lower than in play: uncertain positions are instructive."""

    def experts(self) -> list[range]:
        """Return the experts of each bank."""
        ends = [bank.upto for bank in self.banks]
        if ends != sorted(set(ends)) or ends[-1] != NUM_EXPERTS:
            raise BadSpec(f"banks of experts must end at {NUM_EXPERTS}, not at {ends}")
        return [range(*pair) for pair in itertools.pairwise([0, *ends])]


DEAD_CHECK_BATCH = 256
"""Positions of each expert in a check for dead networks."""


class ScorerTraining:
    """Training of a scorer, all experts at once, each on examples of its own kind of position."""

    checkpoint_kind: ClassVar[str] = "ScorerTraining"
    """Name of the kind of training in checkpoints."""

    capture: ClassVar[CaptureScope] = "step"

    def __init__(self, source: ExampleSource, config: ScorerConfig, device: torch.device) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.experts = config.experts()
        self.encoder = TensorEncoder(device)
        self.replay_buffer = make_replay_buffer(
            ValuedPositions, VALUED_POSITION_TYPES, config.buffer_size, device
        )
        self.optimizer = build_optimizer(
            self._networks, config.averaging, device, config.optimizer, config.weight_decay
        )
        self._optimizer_step = self.optimizer.prepare_step(self._losses, self.capture)
        self.revived: list[tuple[int, int, int]] = []
        """Replaced experts: step, expert, and the neighbour copied."""

        self._prepare_data(source)

    def _prepare_data(self, source: ExampleSource) -> None:
        self.generator = ExampleGenerator(
            source, self.config, self.choose, self.make_examples, self.replay_buffer
        )

    def _networks(self) -> nn.ModuleList:
        return nn.ModuleList(
            EquivariantNetwork(
                FEATURE_PERMUTATIONS,
                NUM_RESULTS,
                bank.channels,
                bank.blocks,
                len(experts),
                repeats=bank.repeats,
                kernel_basis=KERNEL_BASES[self.config.optimizer],
            )
            for bank, experts in zip(self.config.banks, self.experts, strict=True)
        )

    @property
    def examples_per_step(self) -> int:
        banks = zip(self.config.banks, self.experts, strict=True)
        return sum(bank.batch * len(experts) for bank, experts in banks)

    def step(self, learning_rate: float) -> torch.Tensor:
        """Train on one batch for every expert and return the loss of each."""
        self.generator.prepare_step(self.optimizer.steps)
        if self.optimizer.steps % CHECK_INTERVAL == CHECK_INTERVAL - 1:
            self.revive_dead_experts()
        return self._optimizer_step(learning_rate)

    def revive_dead_experts(self) -> None:
        """Replace experts that no longer learn by copies of their neighbours."""
        banks = zip(self.optimizer.model.children(), self.config.banks, self.experts, strict=True)
        for number, (network, bank, experts) in enumerate(banks):
            assert isinstance(network, EquivariantNetwork)
            some = min(bank.batch, DEAD_CHECK_BATCH)
            batch = self.replay_buffer.sample(some, slice(experts[0], experts[-1] + 1))
            features = self.encoder.encode(PositionBatch(*batch[:4]))
            dead = find_dead_experts(network, features)
            for expert, neighbour in revive_experts(self.optimizer, number, dead):
                pair = experts[expert], experts[neighbour]
                self.revived.append((self.optimizer.steps, *pair))

    def _losses(self) -> torch.Tensor:
        """Return the loss of each expert on one batch."""
        banks = zip(self.optimizer.model.children(), self.config.banks, self.experts, strict=True)
        losses = []
        for network, bank, experts in banks:
            rings = slice(experts[0], experts[-1] + 1)
            batch = self.replay_buffer.sample_in_turn(bank.batch, rings)
            losses.append(self._bank_losses(network, experts, batch))
        return torch.cat(losses)

    def _bank_losses(
        self, network: nn.Module, experts: range, batch: ValuedPositions
    ) -> torch.Tensor:
        """Return the loss of each of the experts on its own examples."""
        outputs = network(self.encoder.encode(PositionBatch(*batch[:4]))).float()
        return self._classification_losses(outputs, batch)

    def _classification_losses(self, outputs: torch.Tensor, batch: ValuedPositions) -> torch.Tensor:
        wanted = classify(batch.value)
        losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
        return losses.view(wanted.shape).mean(1)

    @torch.no_grad()
    def fit_plies(self, expert: int, number: int = 1 << 16) -> model.PlyRegression:
        """Fit the last layer's rows of an expert that predict the plies to the end."""
        bank = next(at for at, experts in enumerate(self.experts) if expert in experts)
        network = list(self.optimizer.ema_model.children())[bank]
        assert isinstance(network, EquivariantNetwork)
        filled = self.replay_buffer.num_filled(expert)
        if not filled:
            return model.default_ply_regression(network.channels)
        # Spread over the ring, and the same each time.
        some = torch.arange(min(number, filled), device=self.replay_buffer.num_added.device)
        rows = expert * self.replay_buffer.capacity + some * filled // len(some)
        sample = self.replay_buffer[rows]
        one = torch.tensor([expert - self.experts[bank][0]], device=rows.device)
        features = self.encoder.encode(PositionBatch(*sample[:4]))
        units = network.last_units(one, features[None])
        return model.fit_ply_regression(units[0], sample.value)

    def make_examples(self, examples: ExampleBatch, error: torch.Tensor) -> NewExamples:
        """Return the positions after selected moves, and the expert of each."""
        row, column = select_moves(examples, error, self.config.mixture)
        positions = examples.children.positions.map(as_tensor)[row, column]
        value = as_tensor(examples.children.value)[row, column]
        # The rules detect that a game is over; it need not be learned.
        unfinished = (value != LOST).nonzero()[:, 0]
        positions, value = positions[unfinished], value[unfinished]
        experts = self.encoder.select_experts(positions)
        return ValuedPositions(*positions.position_columns, value), experts

    @torch.no_grad()
    def choose(self, examples: ExampleBatch) -> torch.Tensor:
        """Return the index of the move with the best score in each position."""
        return select_best_moves(examples, self.score)

    @torch.no_grad()
    def score(self, positions: PositionBatch) -> torch.Tensor:
        """Return the utilities of positions, from -1 to 1, for the side that is NOT to move."""
        return self.score_with(self.optimizer.ema_model, positions, self.config.care)

    def score_with(
        self, networks: nn.Module, positions: PositionBatch, loss_aversion: float
    ) -> torch.Tensor:
        """Return the utilities by other networks, differentiably."""
        utilities = torch.zeros(len(positions) + 1, device=positions.own.device)
        banks = list(networks.children())
        for part in self.encoder.group_by_expert(positions, self.experts):
            network = banks[part.bank]
            assert isinstance(network, EquivariantNetwork)
            probabilities = network.forward_experts(part.experts, part.features).float().softmax(-1)
            utilities[part.rows] = utility(probabilities, loss_aversion)
        return utilities[:-1]


SOFT_TARGETS = 0.7
"""Weight of the teacher's probabilities against exact results in a distillation."""


class DistillationTraining(ScorerTraining):
    """Training of a small scorer on a large one's probabilities beside exact results.

    The large scorer's errors are rare, and its probabilities show which positions are similar;
    Hinton, Vinyals and Dean (2015).
    """

    checkpoint_kind = "DistillationTraining"

    def __init__(
        self,
        source: ExampleSource,
        config: ScorerConfig,
        device: torch.device,
        teacher: ScholarWeights,
    ) -> None:
        super().__init__(source, config, device)
        experts = [build_expert(teacher, number).to(device) for number in range(NUM_EXPERTS)]
        # Transformed once: the teacher's weights stay.
        self.teacher = [(each, each.transform_layers(self.encoder.dtype)) for each in experts]

    def _bank_losses(
        self, network: nn.Module, experts: range, batch: ValuedPositions
    ) -> torch.Tensor:
        features = self.encoder.encode(PositionBatch(*batch[:4]))
        outputs = network(features).float()
        with torch.no_grad():
            logits = torch.cat(
                [
                    self._run_teacher(expert, features[number : number + 1])
                    for number, expert in enumerate(experts)
                ]
            )
            targets = logits[..., :NUM_RESULTS].float().softmax(-1)
        soft: torch.Tensor = -(targets * outputs.log_softmax(-1)).sum(-1).mean(1)
        exact = self._classification_losses(outputs, batch)
        return SOFT_TARGETS * soft + (1 - SOFT_TARGETS) * exact

    def _run_teacher(self, expert: int, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs of one of the teacher's experts, (1, positions, outputs)."""
        network, layers = self.teacher[expert]
        return network.project_lifted(torch.bmm(features, layers.filters), layers)


INVERSE_TEMPERATURE = 8.0
"""Factor from score differences to logits of moves."""


class ImitationTraining(ScorerTraining):
    """Training of the scorer on the moves of a teacher program that can err.

    The loss is the cross entropy of the teacher's move in the softmax over the scores of all legal
    moves.
    """

    checkpoint_kind = "TeacherTraining"
    capture = "nothing"  # the number of moves differs from step to step

    def __init__(
        self,
        source: ExampleSource,
        config: ScorerConfig,
        device: torch.device,
        entries: MoveBatch,
        batch: int = 2048,
    ) -> None:
        """Prepare the training; `batch` is the number of positions in a step."""
        self.entries, self.batch = entries, batch
        # Scores are learned directly, without probabilities, so loss aversion has no meaning.
        super().__init__(source, replace(config, care=1.0), device)

    def _prepare_data(self, source: ExampleSource) -> None:
        columns = source.to_columns(self.entries.position_columns)
        examples = source.examples(PositionBatch(*columns))
        moves, made = as_tensor(examples.children.move), as_tensor(self.entries.pack())
        is_made = moves == made.to(moves.device)[:, None]
        is_made &= as_tensor(examples.children.is_move)
        known = is_made.any(1).nonzero()[:, 0]
        if not len(known):
            raise BadSpec("the teacher has made no legal move at all")
        self.examples = examples[to_source_array(known)]
        self.targets = is_made[known].int().argmax(1)

    @property
    def examples_per_step(self) -> int:
        return self.batch

    def step(self, learning_rate: float) -> torch.Tensor:
        """Train on a batch of positions and return the loss."""
        return self._optimizer_step(learning_rate)

    def _losses(self) -> torch.Tensor:
        rows = torch.randint(len(self.targets), (self.batch,), device=self.targets.device)
        examples = self.examples[to_source_array(rows)]
        is_move, value = as_tensor(examples.children.is_move), as_tensor(examples.children.value)
        positions = examples.children.positions.map(as_tensor)[is_move]
        scores = torch.full(is_move.shape, -torch.inf, device=is_move.device)
        scores[is_move] = self.score_with(self.optimizer.model, positions, self.config.care)
        # The rules detect that a game is won.
        scores = torch.where(is_move & (value == LOST), 1.0, scores)
        return functional.cross_entropy(INVERSE_TEMPERATURE * scores, self.targets[rows])[None]
