"""What the training of scorers and chains has in common: networks, their optimizer, and steps."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import torch
from torch import nn

from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.optimizer import CaptureScope
from ludus.learn.replay_buffer import Columns, ReplayBuffer
from ludus.learn.scholar.config import TrainerConfig
from ludus.learn.scholar.data import ExampleGenerator
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.examples import ExampleBatch
from ludus.learn.scholar.network import (
    Arrays,
    TensorEncoder,
    build_optimizer,
    fill_bank,
    find_dead_experts,
    revive_experts,
)
from ludus.learn.scholar.weights import ScholarWeights, pack_weights
from ludus.learn.weights import BadWeights

if TYPE_CHECKING:
    from ludus.learn.scholar.best_experts import BestExperts

ConfigT = TypeVar("ConfigT", bound=TrainerConfig)

CHECK_INTERVAL = 100
"""Steps between checks for experts that are dead or have jumped."""

DEAD_CHECK_BATCH = 256
"""Positions of each expert in such a check."""


class Trainer(ABC, Generic[ConfigT]):
    """Networks in training, all experts at once."""

    weights_kind: ClassVar[str]
    """Kind of weights file."""

    capture: ClassVar[CaptureScope] = "step"

    generator: ExampleGenerator | None = None
    """Where the examples come from, if new ones are needed."""

    def __init__(self, config: ConfigT, device: torch.device) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.encoder = TensorEncoder(device)
        self.optimizer = build_optimizer(
            self._make_networks, config.averaging, device, config.optimizer, config.weight_decay
        )
        self._optimizer_step = self.optimizer.prepare_step(self._losses, self.capture)
        self.revived: list[tuple[Any, ...]] = []
        """Replaced experts: step, part of the move in a chain, expert, and the neighbour copied."""

        self.restored: list[tuple[Any, ...]] = []
        """Experts that got their best weights back: step and expert."""

        self.best_experts: BestExperts | None = None
        """Their weights; None where experts are never restored."""

    @property
    @abstractmethod
    def examples_per_step(self) -> int:
        """Number of positions of a step."""

    @abstractmethod
    def choose(self, examples: ExampleBatch) -> torch.Tensor:
        """Return the index of the averaged networks' move in each position."""

    @abstractmethod
    def _make_networks(self) -> nn.ModuleList:
        """Return banks of networks with random weights."""

    @abstractmethod
    def _losses(self) -> torch.Tensor:
        """Return the losses of one batch, which are summed."""

    @abstractmethod
    def _pack_experts(self) -> Iterator[Arrays]:
        """Yield the averaged weights of each expert as files have them."""

    @abstractmethod
    def _unpack_experts(self, experts: Sequence[Arrays]) -> Iterator[Sequence[Arrays]]:
        """Yield the weights of the experts of each bank."""

    @abstractmethod
    def _name_expert(self, bank: int, number: int) -> tuple[Any, ...]:
        """Return how `revived` names an expert of a bank."""

    def _sample_inputs(self) -> Iterator[tuple[EquivariantNetwork, torch.Tensor]]:
        """Yield each bank of networks with features of a few examples of each expert."""
        yield from ()

    def step(self, learning_rate: float) -> torch.Tensor:
        """Make one step and return the losses, which stay on the device."""
        if self.generator is not None:
            self.generator.prepare_step(self.optimizer.steps)
            if self.optimizer.steps % CHECK_INTERVAL == CHECK_INTERVAL - 1:
                self.revive_dead_experts()
                self.restore_experts()
        return self._optimizer_step(learning_rate)

    def find_loss(self, losses: torch.Tensor) -> float:
        """Return the mean over the experts of what `step` returned."""
        return float(losses.mean())

    def is_legal(self, examples: ExampleBatch) -> torch.Tensor | None:
        """Return where the chosen moves are legal; None if they always are."""
        return None

    def revive_dead_experts(self) -> None:
        """Replace experts that no longer learn by copies of their neighbours."""
        for bank, (network, features) in enumerate(self._sample_inputs()):
            for expert, neighbour in revive_experts(
                self.optimizer, bank, find_dead_experts(network, features)
            ):
                named = *self._name_expert(bank, expert), *self._name_expert(bank, neighbour)[-1:]
                self.revived.append((self.optimizer.steps, *named))

    def restore_experts(self, **limits: float) -> None:
        """Give experts that have jumped their best weights, by limits of `BestExperts.update`."""
        if self.best_experts is not None:
            for bank, expert in self.best_experts.update(**limits):
                self.restored.append((self.optimizer.steps, *self._name_expert(bank, expert)))

    def export(self, facts: Mapping[str, Any]) -> ScholarWeights:
        """Return the averaged weights, rounded for a file, with facts about the training."""
        return ScholarWeights(
            self.weights_kind, tuple(map(pack_weights, self._pack_experts())), facts
        )

    def init_from(self, weights: ScholarWeights) -> None:
        """Begin with the weights of a file; raise BadWeights if their shapes differ.

        Networks may have more blocks than those of the file.
        """
        self._fill(self.optimizer.model, weights)
        self.optimizer.ema_model.load_state_dict(self.optimizer.model.state_dict())

    @contextmanager
    def play_with(self, weights: ScholarWeights) -> Iterator[None]:
        """Choose moves with the weights of a file in the block."""
        averaged = self.optimizer.ema_model
        kept = {name: each.clone() for name, each in averaged.state_dict().items()}
        self._fill(averaged, weights)
        try:
            yield
        finally:
            averaged.load_state_dict(kept)

    def _fill(self, model: nn.Module, weights: ScholarWeights) -> None:
        if weights.kind != self.weights_kind:
            raise BadWeights(f"these networks are a {weights.kind}, not a {self.weights_kind}")
        experts = [weights.expert_weights(number) for number in range(len(weights.experts))]
        banks = zip(model.children(), self._unpack_experts(experts), strict=True)
        for bank, own in banks:
            fill_bank(bank, own)

    def close(self) -> None:
        """End the thread that generates examples, if there is one."""
        if self.generator is not None:
            self.generator.close()


def make_replay_buffer(
    example_type: Callable[..., Columns],
    dtypes: Sequence[torch.dtype],
    capacity: int,
    device: torch.device,
    num_rings: int = NUM_EXPERTS,
) -> ReplayBuffer[Columns]:
    """Return an empty buffer with a ring of this capacity for each expert."""
    columns = (torch.zeros(num_rings * capacity, dtype=dtype, device=device) for dtype in dtypes)
    return ReplayBuffer(example_type(*columns), num_rings)
