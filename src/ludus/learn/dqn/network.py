"""The Q-network in torch, its training step, and its export.

Training is by temporal differences, RMSProp and a target network, as in the implementation from
which Muggleton and Hocquette (2019) took their parameters: mean squared error plus an L2 penalty on
all weights and biases, each gradient clipped by its own norm, running averages of squared gradients
that start at 1, and a target network with its own initial weights.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from ludus.core.game import AnyGame
from ludus.learn.dqn.weights import (
    TENSOR_NAMES,
    Arrays,
    FloatArray,
    list_actions,
    list_tensor_shapes,
)
from ludus.learn.onnx_export import ExportableNetwork, TensorInfo

if TYPE_CHECKING:
    from ludus.learn.dqn.train import Transitions

INITIAL_WEIGHT_STD = 0.1
"""Standard deviation of the initial weights."""

RMSPROP_DECAY = 0.9
RMSPROP_EPSILON = 1e-10


class QNetwork(nn.Module):
    """Two hidden layers of rectified linear units, and the values of all actions."""

    w1: nn.Parameter
    b1: nn.Parameter
    w2: nn.Parameter
    b2: nn.Parameter
    w3: nn.Parameter
    b3: nn.Parameter

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], source: torch.Generator) -> None:
        """Initialise with normally distributed weights and zero biases."""
        super().__init__()
        for name, shape in shapes.items():
            values = INITIAL_WEIGHT_STD * torch.randn(shape, generator=source)
            self.register_parameter(name, nn.Parameter(values * float(len(shape) > 1)))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(states @ self.w1 + self.b1)
        hidden = torch.relu(hidden @ self.w2 + self.b2)
        q_values: torch.Tensor = hidden @ self.w3 + self.b3
        return q_values


class QNetworkTrainer:
    """Online network, target network and optimizer state."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], settings: Any, seed: int) -> None:
        torch.set_num_threads(1)  # the matrices are small
        self.settings = settings
        source = torch.Generator().manual_seed(seed)
        self.online = QNetwork(shapes, source)
        self.target = QNetwork(shapes, source)
        self.mean_squares = {name: torch.ones(shape) for name, shape in shapes.items()}

    @torch.no_grad()
    def select_action(self, state: list[float]) -> int:
        """Return the action with the highest Q-value, legal or not."""
        return int(self.online(torch.tensor([state])).argmax())

    def step(self, batch: "Transitions") -> None:
        """Make one optimizer step and move the target network towards the online one."""
        weights = list(self.online.parameters())
        states, actions = torch.tensor(batch.state), torch.tensor(batch.action)[:, None]
        q_values = self.online(states).gather(1, actions)[:, 0]
        errors = q_values - self._compute_targets(batch)
        penalty = sum((each.square().sum() for each in weights), torch.zeros(()))
        loss = errors.square().mean() + self.settings.penalty * penalty
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for name, gradient in zip(TENSOR_NAMES, gradients, strict=True):
                self._update_tensor(name, gradient)

    @torch.no_grad()
    def _compute_targets(self, batch: "Transitions") -> torch.Tensor:
        """Return rewards plus the discounted target Q-values of the next states."""
        targets = torch.tensor(batch.reward)
        unfinished = np.flatnonzero(~np.isnan(batch.next_state[:, 0]))
        if len(unfinished):
            best = self.target(torch.tensor(batch.next_state[unfinished])).max(dim=1).values
            targets[unfinished] += self.settings.gamma * best
        return targets

    def _update_tensor(self, name: str, gradient: torch.Tensor) -> None:
        norm = float(gradient.norm())
        if norm > self.settings.clip:
            gradient = gradient * (self.settings.clip / norm)
        mean_squares = self.mean_squares[name]
        weights, target = self.online.get_parameter(name), self.target.get_parameter(name)
        mean_squares.mul_(RMSPROP_DECAY).add_(gradient.square(), alpha=1 - RMSPROP_DECAY)
        weights.sub_(self.settings.rate * gradient / (mean_squares + RMSPROP_EPSILON).sqrt())
        target.add_(self.settings.follow * (weights - target))

    def to_arrays(self) -> dict[str, FloatArray]:
        """Return all tensors for a file; those of the online network have no prefix."""
        return {
            prefix + name: tensor.numpy().copy()
            for prefix, tensors in self._tensors().items()
            for name, tensor in tensors.items()
        }

    def load_arrays(self, arrays: Mapping[str, Arrays]) -> None:
        """Set tensors of `to_arrays`, given by prefix."""
        tensors = self._tensors()
        for prefix, values in arrays.items():
            for name, tensor in tensors[prefix].items():
                tensor.copy_(torch.from_numpy(values[name]))

    def _tensors(self) -> dict[str, Mapping[str, torch.Tensor]]:
        online, target = self.online.state_dict(), self.target.state_dict()
        return {"": online, "target_": target, "squares_": self.mean_squares}


def describe_network(weights: Arrays, game: AnyGame) -> ExportableNetwork:
    """Return a Q-network for export: the values of all moves of a game."""
    shapes, actions = list_tensor_shapes(game), list_actions(game)
    network = QNetwork(shapes, torch.Generator())
    network.load_state_dict({name: torch.from_numpy(weights[name]) for name in shapes})
    meaning = "1 for a man of the mover, 0 for one of the other side, -1 for none"
    return ExportableNetwork(
        network,
        (TensorInfo("squares", shapes["w1"][0], meaning),),
        (TensorInfo("q_values", len(actions), "the value of each move, legal or not"),),
        "Values of the moves of a position",
        {"learner": "dqn", "game": game.id, "moves": list(actions)},
    )
