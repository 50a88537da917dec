"""Training of networks of whole numbers, with their rounding in the loop.

The parameters are those of an `EquivariantNetwork`, of which 1 is `SUM_UNITS` in whole numbers;
weights are rounded for each evaluation.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ludus.learn.equivariant import fourier_torch, group
from ludus.learn.equivariant.fourier_torch import FourierCoefficients
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.equivariant.integers import (
    MAX_BIAS,
    MAX_COEFFICIENT,
    MAX_WEIGHT,
    MEAN_SHIFT,
    NUM_ROW_SHIFTS,
)
from ludus.learn.equivariant.integers_torch import (
    IntegerLayers,
    as_kernel,
    clip,
    coefficient_table,
    find_means,
    power_of_two,
    project,
    round_half_even,
    row_factors,
    split_rows,
    split_shifts,
)
from ludus.learn.equivariant.network import EquivariantNetwork

SUM_UNITS = 128
"""Units of 1 in whole numbers."""

MAX_ROW_SHIFT = 24
"""Shift of a row of zeros."""

LAST_SCALE = 2**MEAN_SHIFT / (GROUP_ORDER * SUM_UNITS)
"""Mean of the last units over the group, for 1 in whole numbers."""


class QuantizedRows(NamedTuple):
    """Weights rounded row by row."""

    integers: Tensor
    """Whole numbers of at most 127, with gradients."""

    shifts: Tensor
    """Binary places of each row, with columns of length 1."""

    @property
    def scaled(self) -> Tensor:
        return self.integers * power_of_two(-self.shifts)


def quantize_rows(weights: Tensor, dims: int = 1) -> QuantizedRows:
    """Round weights to int8, each row, or the rows of the last `dims` dimensions, by its shift."""
    axes = list(range(-dims, 0))
    largest = weights.detach().abs().amax(axes, keepdim=True)
    shifts = torch.floor(torch.log2(MAX_WEIGHT / largest))
    shifts = shifts.clamp(-MAX_ROW_SHIFT, MAX_ROW_SHIFT)
    return QuantizedRows(clip(round_half_even(weights * power_of_two(shifts)), MAX_WEIGHT), shifts)


class IntegerNetwork(EquivariantNetwork):
    """Networks as `EquivariantNetwork`, with invariant outputs, computed in whole numbers.

    The outputs are logits; `quantize` returns what a file stores.
    """

    def transform_layers(self, dtype: torch.dtype) -> Any:  # IntegerLayers in place of Fourier's
        """Return the rounded weights, to be used many times."""
        return self._round_layers(dtype)[0]

    def forward(self, inputs: Tensor) -> Tensor:
        layers = self.transform_layers(inputs.dtype)
        return project(find_means(inputs, layers), layers)

    def forward_experts(self, experts: Tensor, inputs: Tensor) -> Tensor:
        layers: IntegerLayers = self.transform_layers(inputs.dtype).select_experts(experts)
        return project(find_means(inputs, layers), layers)

    def last_units(self, inputs: Tensor, experts: Tensor | None = None) -> Tensor:
        """Return the means of the last units, (networks, positions, channels), which decide."""
        layers = self.transform_layers(inputs.dtype)
        if experts is not None:
            layers = layers.select_experts(experts)
        means: Tensor = find_means(inputs, layers) * LAST_SCALE
        return means

    def mean_units(self, inputs: Tensor, experts: Tensor) -> Tensor:
        return self.last_units(inputs, experts)

    @torch.no_grad()
    def load_quantized(self, networks: Sequence[Mapping[str, Any]]) -> None:
        """Set the weights to those of files, but for outputs that they have beyond ours."""

        def stack(name: str) -> Tensor:
            values = [torch.as_tensor(each[name]) for each in networks]
            return torch.stack(values).float().to(self.first.device)

        self.first.copy_(
            stack("first") * power_of_two(-stack("first_shift"))[..., None] / SUM_UNITS
        )
        self.first_bias.copy_(stack("first_bias")[:, None] / SUM_UNITS)
        for number, block in enumerate(self.blocks):
            name = f"blocks.{number}."
            for layer in ("1", "2"):
                rows = split_rows(stack(f"{name}layer{layer}"))
                shifts = split_shifts(stack(f"{name}shift{layer}"))
                factors = row_factors(rows[0].device)
                restored = (
                    each * power_of_two(-shift) / factor
                    for each, shift, factor in zip(rows, shifts, factors, strict=True)
                )
                kernel = _join_rows(*restored).view(block.get_parameter(f"layer{layer}").shape)
                if self.kernel_basis != "fourier":
                    kernel = fourier_torch.kernel_from_fourier(kernel)
                block.get_parameter(f"layer{layer}").copy_(kernel)
                bias = stack(f"{name}bias{layer}")[:, None] / SUM_UNITS
                block.get_parameter(f"bias{layer}").copy_(bias)
        number = self.last.shape[1]
        power: Tensor = power_of_two(-stack("last_shifts")[:, :number]) * math.log(2)
        self.last.copy_(stack("last")[:, :number] * power[..., None] / LAST_SCALE)
        self.last_bias.copy_((stack("last_bias")[:, :number] * power)[:, None])

    def _round_layers(self, dtype: torch.dtype) -> tuple[IntegerLayers, dict[str, Tensor]]:
        """Return the layers, and the tensors of all networks as a file has them."""
        first = quantize_rows(self.first * SUM_UNITS)
        bias = _round_bias(self.first_bias * SUM_UNITS)
        tensors = {
            "first": first.integers,
            "first_shift": first.shifts[..., 0],
            "first_bias": bias[:, 0],
        }
        filters = group.expand_lifting(first.scaled, self.input_permutations).to(dtype)
        biases, blocks = [bias], []
        for number, block in enumerate(self._blocks()):
            kernels = []
            for layer, kernel in (("1", block.layer1), ("2", block.layer2)):
                rounded = self._round_kernel(kernel)
                name = f"blocks.{number}."
                tensors[f"{name}layer{layer}"] = _join_rows(
                    *(each.integers for each in rounded)
                ).reshape(kernel.shape)
                tensors[f"{name}shift{layer}"] = _join_rows(
                    *(each.shifts for each in rounded)
                ).reshape(len(kernel), NUM_ROW_SHIFTS, -1)
                kernels.append(as_kernel(rounded[0].scaled, rounded[1].scaled, dtype))
            inner, added = (_round_bias(each * SUM_UNITS) for each in (block.bias1, block.bias2))
            tensors[f"blocks.{number}.bias1"] = inner[:, 0]
            tensors[f"blocks.{number}.bias2"] = added[:, 0]
            bias = bias + added
            biases.append(bias)
            blocks.append(fourier_torch.BlockWeights(kernels[0], inner, kernels[1]))
        # The outputs are compared with each other, so all have the same shift.
        last = quantize_rows(self.last * LAST_SCALE / math.log(2), dims=2)
        power = power_of_two(last.shifts)
        last_bias = _round_bias(self.last_bias / math.log(2) * power)
        tensors |= {
            "last": last.integers,
            "last_shifts": last.shifts[:, 0].expand(-1, self.last.shape[1]),
            "last_bias": last_bias[:, 0],
        }
        unit = math.log(2) / power
        layers = IntegerLayers(filters.mT, biases, blocks, last.integers * unit, last_bias * unit)
        return layers, tensors

    def _round_kernel(self, kernel: Tensor) -> tuple[QuantizedRows, QuantizedRows]:
        if self.kernel_basis != "fourier":
            kernel = fourier_torch.kernel_to_fourier(kernel)
        signs, planes = (
            quantize_rows(rows * factor)
            for rows, factor in zip(split_rows(kernel), row_factors(kernel.device), strict=True)
        )
        return signs, planes

    @torch.no_grad()
    def quantize(self) -> list[dict[str, Any]]:
        """Return the tensors of each network as a file has them, as numpy arrays."""
        _, tensors = self._round_layers(torch.float32)
        kinds = {name: torch.int32 if "bias" in name else torch.int8 for name in tensors}
        arrays = {
            name: each.to(kinds[name]).cpu().contiguous().numpy() for name, each in tensors.items()
        }
        return [
            {name: each[number] for name, each in arrays.items()}
            for number in range(len(self.first))
        ]


def _join_rows(signs: Tensor, planes: Tensor) -> Tensor:
    """Return what `split_rows` or `split_shifts` splits as one row for each network."""
    return torch.cat([signs.flatten(1), planes.flatten(1)], dim=1)


def _round_bias(bias: Tensor) -> Tensor:
    return clip(round_half_even(bias), MAX_BIAS)


CLIPPED = 1e-3
"""Proportion of the coefficients of a channel that `fit_units` lets be clipped."""

MAX_FACTOR = 4.0
"""Most that a channel is scaled up by beyond the others: one that is hardly ever active here may be
elsewhere."""


@torch.no_grad()
def fit_units(network: EquivariantNetwork, features: Tensor) -> None:
    """Rescale all channels so that the coefficients on these features fill the whole numbers.

    ReLU commutes with positive factors, so a network of real numbers computes the same after it.
    """
    sums, inner = _find_largest_coefficients(network, features)
    weights = {name: each.clone() for name, each in network.parameters_by_element().items()}
    outer = _find_factors(sums)
    weights["first"] *= outer[:, :, None]
    weights["first_bias"] *= outer[:, None]
    for number, largest in enumerate(inner):
        factor = _find_factors(largest)
        name = f"blocks.{number}."
        weights[f"{name}layer1"] *= factor[:, None, :, None] / outer[:, None, None]
        weights[f"{name}bias1"] *= factor[:, None]
        weights[f"{name}layer2"] *= outer[:, None, :, None] / factor[:, None, None]
        weights[f"{name}bias2"] *= outer[:, None]
    weights["last"] /= outer[:, None]
    for name, values in weights.items():
        network.load_by_element(name, values)


def _find_factors(largest: Tensor) -> Tensor:
    """Return the factors of channels with these largest coefficients, (networks, channels)."""
    least = largest.median(dim=1, keepdim=True).values / MAX_FACTOR
    return MAX_COEFFICIENT / largest.maximum(least.clamp(min=1.0))


def _find_largest_coefficients(
    network: EquivariantNetwork, features: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """Return the largest coefficients of all channels but for `CLIPPED` of them, (networks,
    channels): those of the sums, and those within each block."""
    layers = EquivariantNetwork.transform_layers(network, torch.float32)
    lifted = torch.bmm(features.float(), layers.filters)
    terms = fourier_torch.to_fourier(lifted.view(*lifted.shape[:2], GROUP_ORDER, -1))
    bias, *biases = layers.biases
    sums, inner = [], []
    for block, more in zip(layers.blocks, biases, strict=True):
        sums.append(_find_quantile(terms, bias))
        hidden = fourier_torch.convolve(fourier_torch.apply_relu(terms, bias), block.first)
        inner.append(_find_quantile(hidden, block.bias))
        hidden = fourier_torch.apply_relu(hidden, block.bias)
        terms = fourier_torch.convolve(hidden, block.second, plus=terms)
        bias = bias + more
    return torch.stack(sums).amax(0), inner


def _find_quantile(terms: FourierCoefficients, bias: Tensor) -> Tensor:
    """Return the largest rounded coefficients of activations, but for `CLIPPED` of them."""
    units = fourier_torch.rectify_to_group(terms, bias) * SUM_UNITS
    coefficients = torch.einsum("sg,egbk->esbk", coefficient_table(units.device), units).abs()
    number = max(int(CLIPPED * coefficients[0, 0, :, 0].numel()), 1)
    return coefficients.topk(number, dim=2).values[:, :, -1].amax(1)
