"""Dead experts: networks whose last hidden units are zero everywhere, and their replacement.

The output of such a network does not depend on the position, and no gradient reaches its layers, so
it never learns again. It happens to a few of many small networks trained at a high rate.
"""

import torch
from torch import nn

from ludus.learn.common.optimizer import EmaOptimizer
from ludus.learn.equivariant.model import EquivariantNetwork

MIN_ALIVE = 0.5
"""Proportion of positions with a positive unit below which a network counts as dead; it is 1 in
networks that learn."""

CHECK_INTERVAL = 100
"""Steps between checks."""


@torch.no_grad()
def find_dead_experts(network: EquivariantNetwork, features: torch.Tensor) -> list[int]:
    """Return the experts of a network that are dead on features, (experts, positions, features)."""
    units = network.forward_in_fourier_basis(features)
    alive = (units > 0).any(-1).float().mean(1)
    return (alive < MIN_ALIVE).nonzero()[:, 0].tolist()


def revive_experts(optimizer: EmaOptimizer, bank: int, dead: list[int]) -> list[tuple[int, int]]:
    """Replace dead experts of a bank by copies of their nearest neighbours that are alive.

    Returns pairs of dead expert and neighbour. If all are dead, the learning rate is too high for
    any of them, and nothing is done.
    """
    pairs = []
    models = [list(model.children())[bank] for model in (optimizer.model, optimizer.ema_model)]
    network = models[0]
    assert isinstance(network, EquivariantNetwork)
    number = len(network.first)
    alive = [expert for expert in range(number) if expert not in dead]
    for expert in dead if alive else []:
        nearest = min(alive, key=lambda other: abs(other - expert))
        for model in models:
            _copy_expert(model, nearest, expert)
        _copy_adam_state(optimizer, network, nearest, expert)
        pairs.append((expert, nearest))
    return pairs


@torch.no_grad()
def _copy_expert(network: nn.Module, source: int, target: int) -> None:
    for parameter in network.parameters():
        parameter[target] = parameter[source]


@torch.no_grad()
def _copy_adam_state(optimizer: EmaOptimizer, network: nn.Module, source: int, target: int) -> None:
    for parameter in network.parameters():
        for values in optimizer.adam.state.get(parameter, {}).values():
            if values.shape == parameter.shape:
                values[target] = values[source]
