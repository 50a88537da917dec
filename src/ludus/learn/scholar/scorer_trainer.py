"""Training of a scorer: on exact values, with a larger scorer's predictions too, or on moves."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import (
    LOST,
    MoveBatch,
    PositionBatch,
    classify,
)
from ludus.learn.equivariant.integer_network import (
    LAST_SCALE,
    IntegerNetwork,
    fit_units,
)
from ludus.learn.equivariant.integers_torch import IntegerLayers, evaluate_layers
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.scholar.best_experts import BestExperts
from ludus.learn.scholar.config import ScorerConfig
from ludus.learn.scholar.data import ExampleGenerator, NewExamples, select_moves
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.exact_scores import ExactScores
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.inference import (
    NUM_RESULTS,
    utility,
)
from ludus.learn.scholar.integer_scores import append_ply_rows, find_scales
from ludus.learn.scholar.network import (
    KERNEL_BASES,
    Arrays,
    PlyRegression,
    add_ply_outputs,
    as_tensor,
    build_expert,
    default_ply_regression,
    drop_ply_outputs,
    fit_ply_regression,
    split_experts,
    to_source_array,
)
from ludus.learn.scholar.trainer import DEAD_CHECK_BATCH, Trainer, make_replay_buffer
from ludus.learn.scholar.weights import INTEGERS, SCORER, ScholarWeights
from ludus.learn.weights import BadWeights


class ScorerTrainer(Trainer[ScorerConfig]):
    """Banks of experts that predict the result of a position."""

    weights_kind = SCORER

    def __init__(self, config: ScorerConfig, device: torch.device) -> None:
        self.experts = config.experts()
        super().__init__(config, device)
        self._exact: ExactScores | None = None
        """What plays in place of the networks in training."""

    @property
    def examples_per_step(self) -> int:
        banks = zip(self.config.banks, self.experts, strict=True)
        return sum(bank.batch * len(experts) for bank, experts in banks)

    def _make_networks(self) -> nn.ModuleList:
        network_class = IntegerNetwork if self.config.integers else EquivariantNetwork
        return nn.ModuleList(
            network_class(
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

    def _name_expert(self, bank: int, number: int) -> tuple[Any, ...]:
        return (self.experts[bank][number],)

    @torch.no_grad()
    def choose(self, examples: ExampleBatch) -> torch.Tensor:
        """Return the index of the move with the best score in each position."""
        return select_best_moves(examples, self.score)

    @torch.no_grad()
    def score(self, positions: PositionBatch) -> torch.Tensor:
        """Return the utilities of positions, from -1 to 1, for the side that is NOT to move."""
        if self._exact is not None:
            return self._exact(positions)
        return self.score_with(self.optimizer.ema_model, positions, self.config.loss_aversion)

    @contextmanager
    def play_with(self, weights: ScholarWeights) -> Iterator[None]:
        if weights.kind != INTEGERS:
            with super().play_with(weights):
                yield
            return
        device = next(self.optimizer.model.parameters()).device
        self._exact = ExactScores(weights, self.config.loss_aversion, device)
        try:
            yield
        finally:
            self._exact = None

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

    def fit_plies(self, expert: int) -> PlyRegression:
        """Return the last layer's rows of an expert that predict the plies to the end."""
        bank = next(at for at, experts in enumerate(self.experts) if expert in experts)
        return default_ply_regression(self.config.banks[bank].channels)

    def export(self, facts: Mapping[str, Any]) -> ScholarWeights:
        if self.config.integers:
            return ScholarWeights(INTEGERS, tuple(self._pack_integers()), facts)
        repeats = zip(self.config.banks, self.experts, strict=True)
        return replace(
            super().export(facts),
            repeats=tuple(bank.repeats for bank, experts in repeats for _ in experts),
        )

    def _pack_integers(self) -> Iterator[Arrays]:
        """Yield the rounded weights of each expert."""
        number = 0
        for bank in self.optimizer.ema_model.children():
            assert isinstance(bank, IntegerNetwork)
            for tensors in bank.quantize():
                weights, bias = (each.double().cpu().numpy() for each in self.fit_plies(number))
                yield append_ply_rows(tensors, weights, bias, LAST_SCALE)
                number += 1

    def _fill(self, model: nn.Module, weights: ScholarWeights) -> None:
        if weights.kind != INTEGERS:
            super()._fill(model, weights)
            return
        for bank, experts in zip(model.children(), self.experts, strict=True):
            if not isinstance(bank, IntegerNetwork):
                raise BadWeights("networks of whole numbers can only be trained as such")
            bank.load_quantized([weights.experts[number] for number in experts])

    def _pack_experts(self) -> Iterator[Arrays]:
        number = 0
        for bank in self.optimizer.ema_model.children():
            for expert in split_experts(bank):
                yield add_ply_outputs(expert, self.fit_plies(number))
                number += 1

    def _unpack_experts(self, experts: Sequence[Arrays]) -> Iterator[Sequence[Arrays]]:
        for bank in self.experts:
            yield [drop_ply_outputs(experts[number]) for number in bank]


ScoreFunction = Callable[[PositionBatch], torch.Tensor]
"""Maps positions to their utility for the side that is not to move."""

WON_SCORE = 2.0
"""Score above all others: the move wins the game by the rules."""


def select_best_moves(examples: ExampleBatch, score: ScoreFunction) -> torch.Tensor:
    """Return the index of the move with the best score in each row."""
    children = examples.children
    is_move = as_tensor(children.is_move)
    found = score(children.positions.map(as_tensor)[is_move])
    scores = torch.full(is_move.shape, -WON_SCORE, dtype=found.dtype, device=is_move.device)
    scores[is_move] = found
    scores[is_move & (as_tensor(children.value) == LOST)] = WON_SCORE
    return scores.argmax(1)


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


FITTING_POSITIONS = 2048
"""Positions of each expert to which the units of networks of whole numbers are fitted."""

KEPT_APART = 512
"""Positions of each expert on which its best weights are chosen."""


class ExactTrainer(ScorerTrainer):
    """Training of a scorer on exact values, each expert on examples of its own kind of position."""

    generator: ExampleGenerator

    def __init__(self, source: ExampleSource, config: ScorerConfig, device: torch.device) -> None:
        super().__init__(config, device)
        self.replay_buffer = make_replay_buffer(
            ValuedPositions, VALUED_POSITION_TYPES, config.buffer_size, device
        )
        self.generator = ExampleGenerator(
            source, config, self.choose, self.make_examples, self.replay_buffer
        )
        if config.integers:  # rounding makes them jump
            self.best_experts = BestExperts(self.optimizer, self._find_losses)

    def init_from(self, weights: ScholarWeights) -> None:
        super().init_from(weights)
        if not self.config.integers or weights.kind == INTEGERS:
            return
        for network, positions, _ in self._sample_positions(self.config.seed, FITTING_POSITIONS):
            fit_units(network, self.encoder.encode(positions))
        self.optimizer.ema_model.load_state_dict(self.optimizer.model.state_dict())

    @cached_property
    def _kept_apart(self) -> list[tuple[torch.Tensor, ValuedPositions]]:
        """Features and values of random positions of each expert of each bank."""
        found = []
        for _, positions, values in self._sample_positions(self.config.seed + 1, KEPT_APART):
            batch = ValuedPositions(*positions.position_columns, values)
            found.append((self.encoder.encode(positions), batch))
        return found

    def _find_losses(self, bank: int, network: nn.Module) -> torch.Tensor:
        """Return the losses of a bank's experts on positions kept apart."""
        features, batch = self._kept_apart[bank]
        return classification_losses(network(features).float(), batch)

    def _sample_positions(
        self, seed: int, number: int
    ) -> Iterator[tuple[EquivariantNetwork, PositionBatch, torch.Tensor]]:
        """Yield each bank of networks with random positions of each expert, and their values."""
        source, weights = self.generator.source, self.generator.weights
        drawn = source.sample_positions(2 * number * NUM_EXPERTS, seed, weights=weights)
        sampled, values = drawn.map(as_tensor), as_tensor(source.label(drawn))
        kinds = self.encoder.select_experts(sampled)
        rows = [(kinds == expert).nonzero()[:, 0] for expert in range(NUM_EXPERTS)]
        # Where only endings are solved, other experts have no positions of their own.
        rows = [
            each if len(each) else torch.arange(len(kinds), device=kinds.device) for each in rows
        ]
        turns = torch.arange(number, device=kinds.device)
        for network, _, experts in self._banks():
            chosen = torch.stack([rows[expert][turns % len(rows[expert])] for expert in experts])
            yield network, sampled[chosen], values[chosen]

    def _sample_inputs(self) -> Iterator[tuple[EquivariantNetwork, torch.Tensor]]:
        for network, batch_size, experts in self._banks():
            rings = slice(experts[0], experts[-1] + 1)
            batch = self.replay_buffer.sample(min(batch_size, DEAD_CHECK_BATCH), rings)
            yield network, self.encoder.encode(PositionBatch(*batch[:4]))

    def _banks(self) -> Iterator[tuple[EquivariantNetwork, int, range]]:
        """Yield each bank of networks with its batch size and its experts."""
        banks = zip(self.optimizer.model.children(), self.config.banks, self.experts, strict=True)
        for network, bank, experts in banks:
            assert isinstance(network, EquivariantNetwork)
            yield network, bank.batch, experts

    def _losses(self) -> torch.Tensor:
        """Return the loss of each expert on one batch."""
        losses = []
        for network, batch_size, experts in self._banks():
            rings = slice(experts[0], experts[-1] + 1)
            batch = self.replay_buffer.sample_in_turn(batch_size, rings)
            losses.append(self._bank_losses(network, experts, batch))
        return torch.cat(losses)

    def _bank_losses(
        self, network: nn.Module, experts: range, batch: ValuedPositions
    ) -> torch.Tensor:
        """Return the loss of each of the experts on its own examples."""
        outputs = network(self.encoder.encode(PositionBatch(*batch[:4]))).float()
        return classification_losses(outputs, batch)

    @torch.no_grad()
    def fit_plies(self, expert: int, number: int = 1 << 16) -> PlyRegression:
        """Fit the last layer's rows of an expert that predict the plies to the end."""
        bank = next(at for at, experts in enumerate(self.experts) if expert in experts)
        network = list(self.optimizer.ema_model.children())[bank]
        assert isinstance(network, EquivariantNetwork)
        filled = self.replay_buffer.num_filled(expert)
        if not filled:
            return super().fit_plies(expert)
        # Spread over the ring, and the same each time.
        some = torch.arange(min(number, filled), device=self.replay_buffer.num_added.device)
        rows = expert * self.replay_buffer.capacity + some * filled // len(some)
        sample = self.replay_buffer[rows]
        one = torch.tensor([expert - self.experts[bank][0]], device=rows.device)
        features = self.encoder.encode(PositionBatch(*sample[:4]))
        units = network.mean_units(features[None], one)
        return fit_ply_regression(units[0], sample.value)

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


def classification_losses(outputs: torch.Tensor, batch: ValuedPositions) -> torch.Tensor:
    """Return the mean cross entropy of each expert's outputs, (experts, positions, results)."""
    wanted = classify(batch.value)
    losses = functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten(), reduction="none")
    return losses.view(wanted.shape).mean(1)


SOFT_TARGETS = 0.7
"""Weight of the teacher's probabilities against exact results in a distillation."""


class DistillationTrainer(ExactTrainer):
    """Training of a small scorer on a large one's probabilities beside exact results.

    The large scorer's errors are rare, and its probabilities show which positions are similar;
    Hinton, Vinyals and Dean (2015).
    """

    def __init__(
        self,
        source: ExampleSource,
        config: ScorerConfig,
        device: torch.device,
        teacher: ScholarWeights,
    ) -> None:
        super().__init__(source, config, device)
        self.teacher = [
            _prepare_expert(teacher, number, device, self.encoder.dtype)
            for number in range(NUM_EXPERTS)
        ]

    def _bank_losses(
        self, network: nn.Module, experts: range, batch: ValuedPositions
    ) -> torch.Tensor:
        features = self.encoder.encode(PositionBatch(*batch[:4]))
        outputs = network(features).float()
        with torch.no_grad():
            logits = torch.cat(
                [
                    self.teacher[expert](features[number : number + 1])
                    for number, expert in enumerate(experts)
                ]
            )
            targets = logits[..., :NUM_RESULTS].float().softmax(-1)
        soft: torch.Tensor = -(targets * outputs.log_softmax(-1)).sum(-1).mean(1)
        exact = classification_losses(outputs, batch)
        return SOFT_TARGETS * soft + (1 - SOFT_TARGETS) * exact


def _prepare_expert(
    weights: ScholarWeights, number: int, device: torch.device, dtype: torch.dtype
) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a function from features, (1, positions, features), to an expert's logits.

    Its weights are transformed once.
    """
    if weights.kind == INTEGERS:
        tensors = weights.experts[number]
        integers = IntegerLayers.from_tensors(tensors, FEATURE_PERMUTATIONS, device, dtype)
        units = torch.as_tensor(find_scales(tensors["last_shifts"]) * math.log(2), device=device)
        return lambda features: evaluate_layers(features, integers) * units
    network = build_expert(weights, number).to(device)
    layers = network.transform_layers(dtype)
    return lambda features: network.project_lifted(torch.bmm(features, layers.filters), layers)


INVERSE_TEMPERATURE = 8.0
"""Factor from score differences to logits of moves."""


class ImitationTrainer(ScorerTrainer):
    """Training of the scorer on the moves of a teacher program that can err.

    The loss is the cross entropy of the teacher's move in the softmax over the scores of all legal
    moves.
    """

    capture = "nothing"  # the number of moves differs from step to step

    def __init__(
        self,
        source: ExampleSource,
        config: ScorerConfig,
        device: torch.device,
        entries: MoveBatch,
        batch: int = 2048,
    ) -> None:
        """Prepare the training; a step has `batch` positions, or all if there are fewer."""
        # Scores are learned directly, without probabilities, so loss aversion has no meaning.
        super().__init__(replace(config, loss_aversion=1.0), device)
        positions = PositionBatch(*source.to_columns(entries.position_columns))
        examples = source.examples(positions)
        moves, made = as_tensor(examples.children.move), as_tensor(entries.pack())
        is_made = moves == made.to(moves.device)[:, None]
        is_made &= as_tensor(examples.children.is_move)
        known = is_made.any(1).nonzero()[:, 0]
        if not len(known):
            raise BadSpec("the teacher has made no legal move at all")
        self.examples = examples[to_source_array(known)]
        self.targets = is_made[known].int().argmax(1)
        self.batch = min(batch, len(known))

    @property
    def examples_per_step(self) -> int:
        return self.batch

    def _losses(self) -> torch.Tensor:
        rows = torch.randint(len(self.targets), (self.batch,), device=self.targets.device)
        examples = self.examples[to_source_array(rows)]
        is_move, value = as_tensor(examples.children.is_move), as_tensor(examples.children.value)
        positions = examples.children.positions.map(as_tensor)[is_move]
        scores = torch.full(is_move.shape, -torch.inf, device=is_move.device)
        scores[is_move] = self.score_with(
            self.optimizer.model, positions, self.config.loss_aversion
        )
        # The rules detect that a game is won.
        scores = torch.where(is_move & (value == LOST), 1.0, scores)
        return functional.cross_entropy(INVERSE_TEMPERATURE * scores, self.targets[rows])[None]
