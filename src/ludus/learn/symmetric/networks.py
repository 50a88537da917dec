"""Symmetric residual networks in torch, one or several side by side."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.func import functional_call

from ludus.learn.symmetric import spectral, tied
from ludus.learn.symmetric.group import ORDER, STEPS, Permutations


class Symmetric(nn.Module):
    """`experts` networks of one shape: a look at the board, residual blocks, an answer.

    Takes (experts, positions, things) and gives (experts, positions, outputs). With `answers` as
    permutations the outputs turn with the board; as a number they are judgements, which do not.
    Blocks are as in Fig. 5.1 of Galassi's thesis: ReLU, weights, ReLU, weights, plus the input.
    """

    seen: torch.Tensor
    said: torch.Tensor
    kind: torch.Tensor
    step: torch.Tensor

    def __init__(
        self,
        things: Permutations,
        answers: Permutations | int,
        channels: int,
        blocks: int,
        experts: int = 1,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        repeats: int = 1,
    ) -> None:
        """`repeats` is how often the blocks are gone through, with the same weights."""
        super().__init__()
        self.repeats = repeats
        self.channels, self.dropout, self.input_dropout = channels, dropout, input_dropout
        self._constant("seen", tied.places(things))
        self._constant("step", STEPS)
        width = things.shape[1]
        self.first = nn.Parameter(torch.empty(experts, channels, width))
        self.first_bias = nn.Parameter(torch.zeros(experts, 1, channels))
        self.blocks = nn.ModuleList(_Block(experts, channels) for _ in range(blocks))
        if isinstance(answers, int):
            self.points = False
            self.last = nn.Parameter(torch.zeros(experts, answers, channels))
            self.last_bias = nn.Parameter(torch.zeros(experts, 1, answers))
        else:
            self.points = True
            self._constant("said", tied.places(answers))
            self.last = nn.Parameter(torch.zeros(experts, channels, answers.shape[1]))
            self.last_bias = nn.Parameter(torch.zeros(experts, 1, 2))
            self._constant("kind", _kinds(answers))
        self.initialise(None)

    def initialise(self, generator: torch.Generator | None) -> None:
        """He's method where a rectifier follows; what comes last, and what blocks add, is 0."""
        with torch.no_grad():
            _he(self.first, self.first.shape[-1], generator)
            for block in self.blocks:
                assert isinstance(block, _Block)
                _he(block.layer1, ORDER * self.channels, generator)

    def forward(self, things: torch.Tensor) -> torch.Tensor:
        things = nn.functional.dropout(things, self.input_dropout, self.training)
        if self.training and self.dropout:
            units = self.through_views(things)
        else:
            units = self.through_harmonics(things)
        if self.points:
            last, bias = tied.pointing(self.last, self.said), self.last_bias[..., self.kind]
        else:
            last, bias = tied.judging(self.last), self.last_bias
        return _affine(units, last, bias)

    def through_views(self, things: torch.Tensor) -> torch.Tensor:
        """The last units, (experts, positions, 16 * channels), layer by layer as they are."""
        first = tied.looking(self.first, self.seen)
        units = _affine(things, first, tied.biases(self.first_bias))
        for block in self._blocks():
            units = units + block(units, self.step, self.dropout)
        return torch.relu(units)

    def through_harmonics(self, things: torch.Tensor) -> torch.Tensor:
        """The same with a tenth of the work, without dropout."""
        looking = tied.looking(self.first, self.seen).to(things.dtype)
        looked = torch.bmm(things, looking.swapaxes(-2, -1))
        units = spectral.entered(looked.view(*looked.shape[:2], ORDER, self.channels))
        # A bias is the same in all views. So it can wait until the views are seen next.
        bias: torch.Tensor = self.first_bias
        layers = {
            block: [spectral.layer(each, things.dtype) for each in (block.layer1, block.layer2)]
            for block in dict.fromkeys(self._blocks())
        }
        for block in self._blocks():
            first, second = layers[block]
            inner = spectral.mixed(spectral.passed(units, bias), first)
            units = spectral.mixed(spectral.passed(inner, block.bias1), second, plus=units)
            bias = bias + block.bias2
        return spectral.left(units, bias).reshape(looked.shape)

    def _blocks(self) -> Iterator["_Block"]:
        for _ in range(self.repeats):
            for block in self.blocks:
                assert isinstance(block, _Block)
                yield block

    def by(self, experts: torch.Tensor, things: torch.Tensor) -> torch.Tensor:
        """(parts, positions, things) to outputs, each part by the network of that number."""
        answer: torch.Tensor = functional_call(self, self._of(experts), (things,))
        return answer

    def last_units(self, experts: torch.Tensor, things: torch.Tensor) -> torch.Tensor:
        """(parts, positions, 16 * channels): what their answers are made of."""
        found: torch.Tensor = functional_call(_Units(self), self._of(experts, "of."), (things,))
        return found

    def _of(self, experts: torch.Tensor, prefix: str = "") -> dict[str, torch.Tensor]:
        return {f"{prefix}{name}": value[experts] for name, value in self.named_parameters()}

    def _constant(self, name: str, values: Any) -> None:
        self.register_buffer(name, torch.as_tensor(values), persistent=False)


class _Units(nn.Module):
    """A network that stops before its answer."""

    def __init__(self, of: Symmetric) -> None:
        super().__init__()
        self.of = of

    def forward(self, things: torch.Tensor) -> torch.Tensor:
        return self.of.through_harmonics(things)


class _Block(nn.Module):
    """What is added to the units: two mixing layers, the second silent at first."""

    def __init__(self, experts: int, channels: int) -> None:
        super().__init__()
        self.layer1 = nn.Parameter(torch.empty(experts, ORDER, channels, channels))
        self.bias1 = nn.Parameter(torch.zeros(experts, 1, channels))
        self.layer2 = nn.Parameter(torch.zeros(experts, ORDER, channels, channels))
        self.bias2 = nn.Parameter(torch.zeros(experts, 1, channels))

    def forward(self, units: torch.Tensor, step: torch.Tensor, dropout: float) -> torch.Tensor:
        units = nn.functional.dropout(torch.relu(units), dropout, self.training)
        units = _affine(units, tied.mixing(self.layer1, step), tied.biases(self.bias1))
        units = nn.functional.dropout(torch.relu(units), dropout, self.training)
        return _affine(units, tied.mixing(self.layer2, step), tied.biases(self.bias2))


def _affine(units: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Each expert's own layer applied to its own positions."""
    return torch.baddbmm(bias.to(units.dtype), units, weights.to(units.dtype).swapaxes(-2, -1))


def _he(weights: torch.Tensor, inputs: int, generator: torch.Generator | None) -> None:
    weights.normal_(0, (2 / inputs) ** 0.5, generator=generator)


def _kinds(answers: Permutations) -> Any:
    """0 for what no symmetry moves, 1 for points: a bias must not prefer one point to another."""
    moved = (answers != answers[:1]).any(axis=0)
    return moved.astype("int64")
