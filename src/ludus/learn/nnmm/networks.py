"""The architectures in torch, to be trained; `forward.py` has them in numpy, to play.

Outputs are scores, of which the loss takes the softmax. Layers are named alike in both files: what
`state_dict` calls them is what weights files call them.
"""

import math
from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.moved import moved_in
from ludus.learn.nnmm.parts import NUM_CLASSES
from ludus.learn.symmetric.group import CLASSES
from ludus.learn.symmetric.networks import Symmetric


class Block(nn.Module):
    """A residual unit of Fig. 5.1: twice normalise, rectify, drop out, weigh; and a way past it."""

    def __init__(self, design: Design, units: int, skipped: float) -> None:
        super().__init__()
        self.norm1 = norm(design, design.first)
        self.layer1 = nn.Linear(design.first, units)
        self.norm2 = norm(design, units)
        self.layer2 = nn.Linear(units, design.first)
        self.drop = nn.Dropout(design.dropout)
        self.skipped = skipped

    def forward(self, x: Tensor) -> Tensor:
        inner = self.layer1(self.drop(torch.relu(self.norm1(x))))
        change = self.layer2(self.drop(torch.relu(self.norm2(inner))))
        if self.training and self.skipped:
            # Each example has its own depth; scaling keeps the mean as it is without skipping.
            kept = 1 - self.skipped
            is_kept = torch.empty(len(x), 1, device=x.device, dtype=x.dtype).bernoulli_(kept)
            change = change * (is_kept / kept)
        return x + cast("Tensor", change)


class Residual(nn.Module):
    """A layer, residual blocks that are really stacked, and the output."""

    def __init__(self, design: Design, inputs: int) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        self.first = nn.Linear(inputs, design.first)
        self.blocks = nn.Sequential(
            *(
                Block(design, units, design.stochastic_depth * number / design.blocks)
                for number, units in enumerate(design.widths, 1)
            )
        )
        self.last = nn.Linear(design.first, design.outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.last(self.blocks(self.first(self.input_drop(x)))))


class DenseLayer(nn.Module):
    """A layer of Fig. 5.2: normalise, rectify, drop out, weigh."""

    def __init__(self, design: Design, inputs: int, units: int) -> None:
        super().__init__()
        self.norm = norm(design, inputs)
        self.drop = nn.Dropout(design.dropout)
        self.layer = nn.Linear(inputs, units)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.layer(self.drop(torch.relu(self.norm(x)))))


class Dense(nn.Module):
    """Each layer reads what all layers before it gave, and so does the output."""

    def __init__(self, design: Design, inputs: int) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        self.first = nn.Linear(inputs, design.first)
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


class PlainLayer(nn.Module):
    """A layer of a feed-forward network: weigh, normalise, rectify, drop out."""

    def __init__(self, design: Design, inputs: int, units: int) -> None:
        super().__init__()
        self.layer = nn.Linear(inputs, units)
        self.norm = norm(design, units)
        self.drop = nn.Dropout(design.dropout)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.drop(torch.relu(self.norm(self.layer(x)))))


class FeedForward(nn.Module):
    """Layer after layer."""

    def __init__(self, design: Design, inputs: int) -> None:
        super().__init__()
        self.input_drop = nn.Dropout(design.input_dropout)
        widths = (inputs, *design.widths)
        self.layers = nn.Sequential(
            *(
                PlainLayer(design, before, units)
                for before, units in zip(widths, design.widths, strict=False)
            )
        )
        self.last = nn.Linear(widths[-1], design.outputs)

    def forward(self, x: Tensor) -> Tensor:
        return cast("Tensor", self.last(self.layers(self.input_drop(x))))


class SymmetricNetwork(Symmetric):
    """The same answer, turned, for a position that is turned."""

    def __init__(self, design: Design, inputs: int) -> None:
        super().__init__(
            moved_in(inputs),
            CLASSES if design.outputs == NUM_CLASSES else design.outputs,
            design.first,
            design.blocks,
            dropout=design.dropout,
            input_dropout=design.input_dropout,
        )

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x[None])[0]


def norm(design: Design, units: int) -> nn.Module:
    """Batch normalisation, or nothing."""
    return nn.BatchNorm1d(units) if design.batch_normalisation else nn.Identity()


MODULES: dict[str, Callable[[Design, int], nn.Module]] = {
    "residual": Residual,
    "dense": Dense,
    "feedforward": FeedForward,
    "symmetric": SymmetricNetwork,
}
"""An architecture's name to what builds it; a further one is entered here and in `Design`."""


def build(design: Design, inputs: int, generator: torch.Generator) -> nn.Module:
    """An untrained network that reads `inputs` numbers."""
    network = MODULES[design.architecture](design, inputs)
    initialise(network, generator)
    return network


def initialise(network: nn.Module, generator: torch.Generator) -> None:
    """He's method for rectifiers: weights normal around 0, of variance 2 / inputs; biases 0."""
    if isinstance(network, Symmetric):
        network.initialise(generator)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.Linear):
                spread = math.sqrt(2 / module.in_features)
                module.weight.normal_(0, spread, generator=generator)
                module.bias.zero_()
