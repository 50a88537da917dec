"""Training step of the Q-network in torch: temporal differences, RMSProp, target network.

As in the implementation from which Muggleton and Hocquette (2019) took their parameters: mean
squared error plus an L2 penalty on all weights and biases, each gradient clipped by its own norm,
running averages of squared gradients that start at 1, and a target network with its own initial
weights.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ludus.learn.dqn.inference import TENSOR_NAMES, FloatArray

if TYPE_CHECKING:
    from ludus.learn.dqn.train import Transitions

INITIAL_WEIGHT_STD = 0.1
"""Standard deviation of the initial weights."""

RMSPROP_DECAY = 0.9
RMSPROP_EPSILON = 1e-10

TensorDict = dict[str, torch.Tensor]


class QNetworkTrainer:
    """Online network, target network and optimizer state."""

    def __init__(self, shapes: dict[str, tuple[int, ...]], settings: Any, seed: int) -> None:
        torch.set_num_threads(1)  # the matrices are small
        self.settings = settings
        source = torch.Generator().manual_seed(seed)
        self.online = _initialise_weights(shapes, source)
        self.target = _initialise_weights(shapes, source)
        self.mean_squares = {name: torch.ones(shape) for name, shape in shapes.items()}
        for weights in self.online.values():
            weights.requires_grad_()

    def select_action(self, state: list[float]) -> int:
        """Return the action with the highest Q-value, legal or not."""
        with torch.no_grad():
            return int(_compute_q_values(self.online, torch.tensor([state])).argmax())

    def step(self, batch: "Transitions") -> None:
        """Make one optimizer step and move the target network towards the online one."""
        states, actions = torch.tensor(batch.state), torch.tensor(batch.action)[:, None]
        q_values = _compute_q_values(self.online, states).gather(1, actions)[:, 0]
        errors = q_values - self._compute_targets(batch)
        penalty = sum((weights.square().sum() for weights in self.online.values()), torch.zeros(()))
        loss = errors.square().mean() + self.settings.penalty * penalty
        gradients = torch.autograd.grad(loss, list(self.online.values()))
        with torch.no_grad():
            for name, gradient in zip(TENSOR_NAMES, gradients, strict=True):
                self._update_tensor(name, gradient)

    def _compute_targets(self, batch: "Transitions") -> torch.Tensor:
        """Return rewards plus the discounted target Q-values of the next states."""
        targets = torch.tensor(batch.reward)
        unfinished = np.flatnonzero(~np.isnan(batch.next_state[:, 0]))
        if len(unfinished):
            next_states = torch.tensor(batch.next_state[unfinished])
            with torch.no_grad():
                best = _compute_q_values(self.target, next_states).max(dim=1).values
            targets[unfinished] += self.settings.gamma * best
        return targets

    def _update_tensor(self, name: str, gradient: torch.Tensor) -> None:
        norm = float(gradient.norm())
        if norm > self.settings.clip:
            gradient = gradient * (self.settings.clip / norm)
        mean_squares, weights, target = (
            self.mean_squares[name],
            self.online[name],
            self.target[name],
        )
        mean_squares.mul_(RMSPROP_DECAY).add_(gradient.square(), alpha=1 - RMSPROP_DECAY)
        weights -= self.settings.rate * gradient / (mean_squares + RMSPROP_EPSILON).sqrt()
        target += self.settings.follow * (weights - target)

    def to_arrays(self) -> dict[str, FloatArray]:
        """Return all tensors for a file; those of the online network have no prefix."""
        return {
            prefix + name: tensor.detach().numpy().copy()
            for prefix, tensors in self._named_networks()
            for name, tensor in tensors.items()
        }

    def load_arrays(self, weights_by_prefix: dict[str, dict[str, FloatArray]]) -> None:
        """Restore tensors of `to_arrays`, given by prefix."""
        with torch.no_grad():
            networks = dict(self._named_networks())
            for prefix in weights_by_prefix:
                for name, tensor in networks[prefix].items():
                    tensor.copy_(
                        torch.from_numpy(np.ascontiguousarray(weights_by_prefix[prefix][name]))
                    )

    def _named_networks(self) -> tuple[tuple[str, TensorDict], ...]:
        return ("", self.online), ("target_", self.target), ("squares_", self.mean_squares)


def _initialise_weights(shapes: dict[str, tuple[int, ...]], source: torch.Generator) -> TensorDict:
    """Return normally distributed weights and zero biases."""
    return {
        name: INITIAL_WEIGHT_STD * torch.randn(shape, generator=source) * float(len(shape) > 1)
        for name, shape in shapes.items()
    }


def _compute_q_values(weights: TensorDict, states: torch.Tensor) -> torch.Tensor:
    hidden = torch.relu(states @ weights["w1"] + weights["b1"])
    hidden = torch.relu(hidden @ weights["w2"] + weights["b2"])
    return hidden @ weights["w3"] + weights["b3"]
