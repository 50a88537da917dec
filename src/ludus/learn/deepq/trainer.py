"""The network while it learns: temporal differences, RMSProp and a slow target, in torch.

As in the implementation that Muggleton and Hocquette (2019) took their parameters from: mean
squared error plus a penalty on all weights and biases, each gradient clipped by its own norm,
squared gradients averaged from 1 on, and a target network with first weights of its own.
"""

from typing import Any

import numpy as np
import torch

from ludus.learn.deepq.network import NAMES, Array
from ludus.learn.deepq.replay import Experience

SPREAD = 0.1
"""Standard deviation of the first weights."""

DECAY = 0.9
TINY = 1e-10

Tensors = dict[str, torch.Tensor]


class Trainer:
    """Two networks and the state of the optimizer."""

    def __init__(self, shapes: dict[str, tuple[int, ...]], settings: Any, seed: int) -> None:
        torch.set_num_threads(1)  # the matrices are small
        self.settings = settings
        source = torch.Generator().manual_seed(seed)
        self.online = _first_weights(shapes, source)
        self.target = _first_weights(shapes, source)
        self.squares = {name: torch.ones(shape) for name, shape in shapes.items()}
        for weights in self.online.values():
            weights.requires_grad_()

    def best(self, state: list[float]) -> int:
        """The output that is worth most, legal or not."""
        with torch.no_grad():
            return int(_values(self.online, torch.tensor([state])).argmax())

    def learn(self, batch: list[Experience]) -> None:
        """One step down the gradient, and the target a little nearer."""
        states = torch.tensor([item.state for item in batch])
        actions = torch.tensor([[item.action] for item in batch])
        found = _values(self.online, states).gather(1, actions)[:, 0]
        errors = found - self._goals(batch)
        penalty = sum((weights.square().sum() for weights in self.online.values()), torch.zeros(()))
        loss = errors.square().mean() + self.settings.penalty * penalty
        gradients = torch.autograd.grad(loss, list(self.online.values()))
        with torch.no_grad():
            for name, gradient in zip(NAMES, gradients, strict=True):
                self._step(name, gradient)

    def _goals(self, batch: list[Experience]) -> torch.Tensor:
        """Rewards, and what the target network expects of the positions after them."""
        goals = torch.tensor([item.reward for item in batch])
        going_on = [number for number, item in enumerate(batch) if item.after is not None]
        if going_on:
            after = torch.tensor([batch[number].after for number in going_on])
            with torch.no_grad():
                best = _values(self.target, after).max(dim=1).values
            goals[going_on] += self.settings.gamma * best
        return goals

    def _step(self, name: str, gradient: torch.Tensor) -> None:
        norm = float(gradient.norm())
        if norm > self.settings.clip:
            gradient = gradient * (self.settings.clip / norm)
        squares, weights, target = self.squares[name], self.online[name], self.target[name]
        squares.mul_(DECAY).add_(gradient.square(), alpha=1 - DECAY)
        weights -= self.settings.rate * gradient / (squares + TINY).sqrt()
        target += self.settings.follow * (weights - target)

    def arrays(self) -> dict[str, Array]:
        """Everything, for a file; the network itself under its plain names."""
        return {
            prefix + name: tensor.detach().numpy().copy()
            for prefix, tensors in self._parts()
            for name, tensor in tensors.items()
        }

    def restore(self, parts: dict[str, dict[str, Array]]) -> None:
        """Take up what `arrays` has given, by its prefixes."""
        with torch.no_grad():
            for prefix, tensors in self._parts():
                for name, tensor in tensors.items():
                    tensor.copy_(torch.from_numpy(np.ascontiguousarray(parts[prefix][name])))

    def _parts(self) -> tuple[tuple[str, Tensors], ...]:
        return ("", self.online), ("target_", self.target), ("squares_", self.squares)


def _first_weights(shapes: dict[str, tuple[int, ...]], source: torch.Generator) -> Tensors:
    """Random weights, and biases of zero."""
    return {
        name: SPREAD * torch.randn(shape, generator=source) * float(len(shape) > 1)
        for name, shape in shapes.items()
    }


def _values(weights: Tensors, states: torch.Tensor) -> torch.Tensor:
    hidden = torch.relu(states @ weights["w1"] + weights["b1"])
    hidden = torch.relu(hidden @ weights["w2"] + weights["b2"])
    return hidden @ weights["w3"] + weights["b3"]
