"""Training of the chain TO, FROM, REMOVE on the sets of all value-keeping choices."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from ludus.games.nine_mens_morris.batch import (
    NO_POINT,
    PositionBatch,
    unpack_part,
)
from ludus.learn.equivariant.group import CHOICE_PERMUTATIONS
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.scholar.config import ChainConfig
from ludus.learn.scholar.data import ExampleGenerator, NewExamples, sample_one
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.inference import (
    CHAIN_INPUT_PERMUTATIONS,
    MOVE_PARTS,
    select_part_weights,
)
from ludus.learn.scholar.network import (
    KERNEL_BASES,
    Arrays,
    ExpertChunks,
    as_tensor,
    split_experts,
)
from ludus.learn.scholar.trainer import DEAD_CHECK_BATCH, Trainer, make_replay_buffer
from ludus.learn.scholar.weights import CHAIN


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

    @property
    def positions(self) -> PositionBatch:
        return PositionBatch(self.own, self.other, self.own_hand, self.other_hand)


CHAIN_EXAMPLE_TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8, *[torch.int32] * 4)
"""Column types of ChainExamples."""


def make_chain_examples(examples: ExampleBatch, uncritical: float) -> ChainExamples:
    """Make examples of all critical positions and a proportion `uncritical` of the others."""
    keeps = as_tensor(examples.keeps_value)
    is_sampled = torch.rand(len(keeps), device=keeps.device) < uncritical
    row = ((as_tensor(examples.is_critical) | is_sampled) & keeps.any(1)).nonzero()[:, 0]
    keeps, moves = keeps[row], as_tensor(examples.children.move)[row]
    move = moves.gather(1, sample_one(keeps)[:, None])
    sets, good = [], keeps
    for part in range(len(MOVE_PARTS)):
        choices = unpack_part(moves, part)
        sets.append(_pack_choices(choices, good))
        good = good & (choices == unpack_part(move, part))
    positions = examples.positions.map(as_tensor)[row]
    return ChainExamples._make([*positions.columns, move[:, 0], *sets])


def _pack_choices(choices: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """Convert (positions, moves) choices to bit sets of the good ones."""
    chosen = torch.zeros(len(choices), NO_POINT + 1, dtype=torch.int32, device=choices.device)
    chosen.scatter_reduce_(1, choices.long().clamp(max=NO_POINT), good.int(), "amax")
    weights = 1 << torch.arange(NO_POINT + 1, dtype=torch.int32, device=choices.device)
    return (chosen * weights).sum(1, dtype=torch.int32)


class ChainTrainer(Trainer[ChainConfig]):
    """Joint training of three banks of experts."""

    weights_kind = CHAIN
    generator: ExampleGenerator

    def __init__(self, source: ExampleSource, config: ChainConfig, device: torch.device) -> None:
        super().__init__(config, device)
        self.replay_buffer = make_replay_buffer(
            ChainExamples, CHAIN_EXAMPLE_TYPES, config.buffer_size, device
        )
        self.generator = ExampleGenerator(
            source, config, self.choose, self.make_examples, self.replay_buffer
        )

    def _make_networks(self) -> nn.ModuleList:
        shapes = zip(
            CHAIN_INPUT_PERMUTATIONS, self.config.channels, self.config.blocks, strict=True
        )
        return nn.ModuleList(
            EquivariantNetwork(
                permutations,
                CHOICE_PERMUTATIONS,
                channels,
                blocks,
                NUM_EXPERTS,
                kernel_basis=KERNEL_BASES[self.config.optimizer],
            )
            for permutations, channels, blocks in shapes
        )

    @property
    def examples_per_step(self) -> int:
        return self.config.batch * NUM_EXPERTS

    def find_loss(self, losses: torch.Tensor) -> float:
        return super().find_loss(losses) / NUM_EXPERTS

    def _name_expert(self, bank: int, number: int) -> tuple[Any, ...]:
        return MOVE_PARTS[bank], number

    def _sample_inputs(self) -> Iterator[tuple[EquivariantNetwork, torch.Tensor]]:
        batch = self.replay_buffer.sample(min(self.config.batch, DEAD_CHECK_BATCH))
        yield from self._networks_with_inputs(batch)

    def _pack_experts(self) -> Iterator[Arrays]:
        banks = [split_experts(bank) for bank in self.optimizer.ema_model.children()]
        for networks in zip(*banks, strict=True):
            yield {
                f"{part}.{name}": values
                for part, network in zip(MOVE_PARTS, networks, strict=True)
                for name, values in network.items()
            }

    def _unpack_experts(self, experts: Sequence[Arrays]) -> Iterator[Sequence[Arrays]]:
        for part in range(len(MOVE_PARTS)):
            yield [select_part_weights(expert, part) for expert in experts]

    def _losses(self) -> torch.Tensor:
        """Return the losses of one batch, summed over the experts."""
        batch = self.replay_buffer.sample_in_turn(self.config.batch)
        sets = (batch.good_to, batch.good_from, batch.good_take)
        losses = [
            _set_cross_entropy(network(features).float(), sets[part]).mean(1).sum()
            for part, (network, features) in enumerate(self._networks_with_inputs(batch))
        ]
        return torch.stack(losses)

    def _networks_with_inputs(
        self, batch: ChainExamples
    ) -> Iterator[tuple[EquivariantNetwork, torch.Tensor]]:
        """Yield the network of each part and its features: the position and the parts before."""
        features = self.encoder.encode(batch.positions)
        for part, network in enumerate(self.optimizer.model.children()):
            assert isinstance(network, EquivariantNetwork)
            yield network, features
            choice = _one_hot(unpack_part(batch.move, part), features)
            features = torch.cat([features, choice], dim=-1)

    def make_examples(self, examples: ExampleBatch, error: torch.Tensor) -> NewExamples:
        """Return positions and their experts; all value-keeping moves are targets, not `error`."""
        chain_examples = make_chain_examples(examples, self.config.mixture.uncritical)
        experts = self.encoder.select_experts(chain_examples.positions)
        return chain_examples, experts

    def choose(self, examples: ExampleBatch) -> torch.Tensor:
        """Return the index of the chosen move in each position; 0 if it is not legal."""
        return self.is_chosen(examples).int().argmax(1)

    def is_chosen(self, examples: ExampleBatch) -> torch.Tensor:
        """Return the (positions, moves) mask of the chosen moves, empty rows if illegal."""
        chosen = self.moves(examples.positions.map(as_tensor))[:, None]
        is_it = chosen == as_tensor(examples.children.move)
        return is_it & as_tensor(examples.children.is_move)

    def is_legal(self, examples: ExampleBatch) -> torch.Tensor:
        return self.is_chosen(examples).any(1)

    @torch.no_grad()
    def moves(self, positions: PositionBatch) -> torch.Tensor:
        """Choose packed moves part by part with the averaged networks, ignoring legality."""
        device = positions.own.device
        moves = torch.zeros(len(positions) + 1, dtype=torch.int32, device=device)
        for chunks in self.encoder.group_by_expert(positions, [range(NUM_EXPERTS)]):
            move = torch.zeros_like(chunks.rows, dtype=torch.int32)
            for part, choice in enumerate(_choose_parts(self.optimizer.ema_model, chunks)):
                move |= (choice << (8 * part)).int()
            moves[chunks.rows] = move
        return moves[:-1]


def _choose_parts(networks: nn.Module, chunks: ExpertChunks) -> Iterator[torch.Tensor]:
    features = chunks.features
    for network in networks.children():
        assert isinstance(network, EquivariantNetwork)
        choice = network.forward_experts(chunks.experts, features).argmax(-1)
        yield choice
        features = torch.cat([features, _one_hot(choice, features)], dim=-1)


def _one_hot(choice: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return nn.functional.one_hot(choice.long(), NO_POINT + 1).to(like.dtype)


def _set_cross_entropy(outputs: torch.Tensor, good: torch.Tensor) -> torch.Tensor:
    """Return the negative logarithm of the total probability of the good choices."""
    bits = torch.arange(NO_POINT + 1, device=good.device, dtype=good.dtype)
    # An empty set, from an empty ring of the replay buffer, allows every choice.
    is_good = ((good[..., None] >> bits) & 1 == 1) | (good == 0)[..., None]
    on_good = outputs.masked_fill(~is_good, -torch.inf).logsumexp(-1)
    return outputs.logsumexp(-1) - on_good
