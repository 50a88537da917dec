"""Network architectures in torch, for training; inference.py evaluates the same in numpy."""

import math
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from ludus.learn.equivariant.group import CLASS_PERMUTATIONS
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import InputColumns
from ludus.learn.nnmm.parts import NUM_CLASSES


class FullyConnectedBlock(nn.Module):
    """A residual block of Fig. 5.1: twice norm, ReLU, dropout, linear layer; plus the input."""

    def __init__(self, design: NetworkConfig, units: int, skipped: float) -> None:
        super().__init__()
        self.norm1 = build_norm(design, design.first)
        self.layer1 = nn.Linear(design.first, units)
        self.norm2 = build_norm(design, units)
        self.layer2 = nn.Linear(units, design.first)
        self.drop1 = nn.Dropout(design.dropout)
        self.drop2 = nn.Dropout(design.dropout)
        self.skip = nn.Dropout(skipped)
        self.is_skipped = skipped > 0

    def forward(self, x: Tensor) -> Tensor:
        inner = self.layer1(self.drop1(torch.relu(self.norm1(x))))
        change = self.layer2(self.drop2(torch.relu(self.norm2(inner))))
        if self.training and self.is_skipped:
            # Each example has its own depth; scaling keeps the mean as it is without skipping.
            change = change * self.skip(torch.ones_like(x[:, :1]))
        return x + cast("Tensor", change)


class ResidualNetwork(nn.Module):
    """An input layer, stacked residual blocks, and the output layer."""

    def __init__(self, design: NetworkConfig, columns: InputColumns) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        self.first = nn.Linear(columns.width, design.first)
        self.blocks = nn.Sequential(
            *(
                FullyConnectedBlock(design, units, design.stochastic_depth * number / design.blocks)
                for number, units in enumerate(design.widths, 1)
            )
        )
        self.last = nn.Linear(design.first, design.outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.last(self.blocks(self.first(self.input_drop(x)))))


class DenseLayer(nn.Module):
    """A layer of Fig. 5.2: norm, ReLU, dropout, linear layer."""

    def __init__(self, design: NetworkConfig, inputs: int, units: int) -> None:
        super().__init__()
        self.norm = build_norm(design, inputs)
        self.drop = nn.Dropout(design.dropout)
        self.layer = nn.Linear(inputs, units)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.layer(self.drop(torch.relu(self.norm(x)))))


class DenseNetwork(nn.Module):
    """A network in which each layer, and the output, reads the outputs of all layers before it."""

    def __init__(self, design: NetworkConfig, columns: InputColumns) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        self.first = nn.Linear(columns.width, design.first)
        self.layers = nn.ModuleList()
        read = design.first
        for units in design.widths:
            self.layers.append(DenseLayer(design, read, units))
            read += units
        self.last = nn.Linear(read, design.outputs)

    def forward(self, x: Tensor) -> Tensor:
        given = self.first(self.input_drop(x))
        for layer in self.layers:
            given = torch.cat([given, layer(given)], dim=1)
        return cast("Tensor", self.last(given))


class FeedForwardLayer(nn.Module):
    """A layer of a feed-forward network: linear layer, norm, ReLU, dropout."""

    def __init__(self, design: NetworkConfig, inputs: int, units: int) -> None:
        super().__init__()
        self.layer = nn.Linear(inputs, units)
        self.norm = build_norm(design, units)
        self.drop = nn.Dropout(design.dropout)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.drop(torch.relu(self.norm(self.layer(x)))))


class FeedForwardNetwork(nn.Module):
    """A feed-forward network."""

    def __init__(self, design: NetworkConfig, columns: InputColumns) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        widths = (columns.width, *design.widths)
        self.layers = nn.Sequential(
            *(
                FeedForwardLayer(design, before, units)
                for before, units in zip(widths, design.widths, strict=False)
            )
        )
        self.last = nn.Linear(widths[-1], design.outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.last(self.layers(self.input_drop(x))))


class SingleEquivariantNetwork(EquivariantNetwork):
    """A single network that is equivariant to the symmetries of the board."""

    def __init__(self, design: NetworkConfig, columns: InputColumns) -> None:
        super().__init__(
            columns.symmetric_permutations(),
            CLASS_PERMUTATIONS if design.outputs == NUM_CLASSES else design.outputs,
            design.first,
            design.blocks,
            dropout=design.dropout,
            input_dropout=design.input_dropout,
        )

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x[None])[0]


def build_norm(design: NetworkConfig, units: int) -> nn.Module:
    """Return batch normalisation, or the identity."""
    return nn.BatchNorm1d(units) if design.batch_normalisation else nn.Identity()


NETWORK_CLASSES: dict[str, Callable[[NetworkConfig, InputColumns], nn.Module]] = {
    "residual": ResidualNetwork,
    "dense": DenseNetwork,
    "feedforward": FeedForwardNetwork,
    "symmetric": SingleEquivariantNetwork,
}
"""Builders by architecture, which are also in `config.ARCHITECTURES` and in inference.py."""


def build_network(
    design: NetworkConfig, columns: InputColumns, generator: torch.Generator
) -> nn.Module:
    """Build an untrained network that reads these columns."""
    network = NETWORK_CLASSES[design.architecture](design, columns)
    initialise_network(network, generator)
    return network


def initialise_network(network: nn.Module, generator: torch.Generator) -> None:
    """Initialise by He's method: weights normal with mean 0 and variance 2 / inputs; biases 0."""
    if isinstance(network, EquivariantNetwork):
        network.initialise(generator)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.Linear):
                spread = math.sqrt(2 / module.in_features)
                module.weight.normal_(0, spread, generator=generator)
                module.bias.zero_()
