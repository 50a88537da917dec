"""Stacked residual networks whose blocks are one function for autograd.

The function keeps units without copies of them, uses the kernels of `residual_kernels` between
matrix products, and computes the gradients of all weights of a kind in one product.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from ludus.learn.nnmm import FullyConnectedBlock, ResidualNetwork

from .residual_kernels import (
    ALIGNMENT,
    MAX_UNITS,
    NORM_EPSILON,
    Dropout,
    RunningStatistics,
    activate,
    compute_gradient,
    compute_norm_gradient,
    new_row_sums,
    normalise,
)


def is_fusable(network: nn.Module) -> bool:
    """Return whether a network is residual, with blocks of one width and no stochastic depth."""
    if not isinstance(network, ResidualNetwork):
        return False
    blocks = [block for block in network.blocks if isinstance(block, FullyConnectedBlock)]
    widths = {block.layer1.out_features for block in blocks}
    # The weights of all blocks are one array.
    if len(widths) != 1 or any(block.is_skipped for block in blocks):
        return False
    return max(network.first.out_features, *widths) <= MAX_UNITS


def get_kept_proportions(networks: Sequence[nn.Module]) -> list[float]:
    """Return the probability that an inner unit is not dropped, for each network."""
    return [1 - float(network.get_submodule("blocks.0.drop1").p) for network in networks]  # type: ignore[arg-type]


def forward_residual(
    state: Mapping[str, Tensor], inputs: Tensor, kept: Tensor, seed: Tensor, is_training: bool
) -> Tensor:
    """Return the logits of stacked residual networks, (networks, examples, classes).

    `state` has the names of the parameters and buffers of one network, and a first dimension for
    the networks. `kept` is the probability that a unit is not dropped, (networks,), and `seed` that
    of the dropout masks, one int64. In training norms use the statistics of the examples, and
    update their running ones.
    """
    columns, width = _count_missing(inputs), _count_missing(state["first.bias"])
    product = torch.bmm(
        functional.pad(inputs, (0, columns)),
        functional.pad(state["first.weight"], (0, columns, 0, width)).mT,
    )
    weights = _stack_blocks(state)
    dropout = Dropout(kept, seed)
    if weights.norm1 is None or weights.norm2 is None:
        keeps = torch.is_grad_enabled()
        total = _PlainBlocks.apply(product, *weights[:5], dropout, keeps)  # type: ignore[no-untyped-call]
    elif is_training:
        norms = weights.norm1, weights.norm2
        total = _NormedBlocks.apply(  # type: ignore[no-untyped-call]
            *(product, *weights[:5]),
            *(norms[0].weight, norms[0].shift, norms[1].weight, norms[1].shift),
            *(norms, dropout),
        )
    else:
        total = _evaluate_normed_blocks(product, weights, dropout)
    classes = _count_missing(state["last.bias"])
    last = functional.pad(state["last.weight"], (0, width, 0, classes))
    product = torch.bmm(total, last.mT)[..., : state["last.bias"].shape[1]]
    return product + state["last.bias"][:, None].to(product.dtype)


class Norms(NamedTuple):
    """Batch normalisation in the same place of all blocks."""

    weight: Tensor
    """(blocks, networks, columns), padded with zeros, as the next."""

    shift: Tensor
    running: list[RunningStatistics]
    """For each block."""


class StackedWeights(NamedTuple):
    """Weights of all blocks in single precision, padded with zeros.

    Inputs and results of a block have X columns, the units between its layers U.
    """

    first_bias: Tensor
    """(networks, X), of the layer before the blocks."""

    weight1: Tensor
    """(blocks, networks, U, X)."""

    bias1: Tensor
    """(blocks, networks, U)."""

    weight2: Tensor
    """(blocks, networks, X, U)."""

    bias2: Tensor
    """(blocks, networks, X)."""

    norm1: Norms | None
    norm2: Norms | None


def _stack_blocks(state: Mapping[str, Tensor]) -> StackedWeights:
    num_blocks = sum(name.endswith("layer1.weight") for name in state)
    width = _count_missing(state["blocks.0.layer2.bias"])
    inner = _count_missing(state["blocks.0.layer1.bias"])

    def list_blocks(name: str) -> list[Tensor]:
        return [state[f"blocks.{number}.{name}"] for number in range(num_blocks)]

    def stack(name: str, *padding: int) -> Tensor:
        return functional.pad(torch.stack(list_blocks(name)), padding)

    def stack_norms(name: str, missing: int) -> Norms | None:
        if f"blocks.0.{name}.weight" not in state:
            return None
        running = ("running_mean", "running_var", "num_batches_tracked")
        columns = zip(*(list_blocks(f"{name}.{each}") for each in running), strict=True)
        return Norms(
            stack(f"{name}.weight", 0, missing),
            stack(f"{name}.bias", 0, missing),
            [RunningStatistics(*each) for each in columns],
        )

    return StackedWeights(
        functional.pad(state["first.bias"], (0, width)),
        stack("layer1.weight", 0, width, 0, inner),
        stack("layer1.bias", 0, inner),
        stack("layer2.weight", 0, inner, 0, width),
        stack("layer2.bias", 0, width),
        stack_norms("norm1", width),
        stack_norms("norm2", inner),
    )


def _count_missing(tensor: Tensor) -> int:
    """Return the number of columns that are missing to a multiple of ALIGNMENT."""
    return -tensor.shape[-1] % ALIGNMENT


class _PlainBlocks(Function):
    """The sum of all blocks without norms, for a product to which no bias is added yet."""

    @staticmethod
    def forward(
        ctx: Any,
        product: Tensor,
        first_bias: Tensor,
        weight1: Tensor,
        bias1: Tensor,
        weight2: Tensor,
        bias2: Tensor,
        dropout: Dropout,
        keeps: bool,
    ) -> Tensor:
        """`keeps`: whether gradients will be computed, so that all units are needed later."""
        weight1, weight2 = weight1.to(product.dtype), weight2.to(product.dtype)
        num_blocks, slots = len(weight1), len(weight1) if keeps else 1
        units = product.new_empty(slots, *product.shape)
        inner = product.new_empty(slots, *product.shape[:2], weight1.shape[2])
        total = skip = None
        bias = first_bias
        for number in range(num_blocks):
            slot = number % slots
            total = torch.empty_like(product)
            activate(product, bias, skip, dropout, 2 * number, total, units[slot])
            torch.bmm(units[slot], weight1[number].mT, out=inner[slot])
            activate(inner[slot], bias1[number], None, dropout, 2 * number + 1, None, inner[slot])
            product = torch.bmm(inner[slot], weight2[number].mT)
            bias, skip = bias2[number], total
        activate(product, bias, skip, dropout, 0, product, None)
        if keeps:
            ctx.save_for_backward(units, inner, weight1, weight2, dropout.kept)
        return product

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        units, inner, weight1, weight2, kept = ctx.saved_tensors
        num_blocks = len(units)
        of_total = units.new_empty(num_blocks + 1, *units.shape[1:])
        of_total[num_blocks] = gradients[0]
        of_inner = torch.empty_like(inner)
        total_sums = new_row_sums(num_blocks, units)
        inner_sums = new_row_sums(num_blocks, inner)
        for number in reversed(range(num_blocks)):
            here = of_inner[number]
            torch.bmm(of_total[number + 1], weight2[number], out=here)
            compute_gradient(inner[number], here, None, kept, inner_sums[number])
            torch.bmm(here, weight1[number], out=of_total[number])
            compute_gradient(
                *(units[number], of_total[number], of_total[number + 1], kept),
                total_sums[number],
            )
        of_bias = total_sums.sum(dim=2)
        of_bias2 = torch.cat([of_bias[1:], _sum_rows(of_total[num_blocks])[None]])
        return (
            *(of_total[0], of_bias[0]),
            *(_multiply_rows(of_inner, units), inner_sums.sum(dim=2)),
            *(_multiply_rows(of_total[1:], inner), of_bias2),
            *(None, None),
        )


class _NormedBlocks(Function):
    """The sum of all blocks with norms in training, for a product without its bias."""

    @staticmethod
    def forward(
        ctx: Any,
        product: Tensor,
        first_bias: Tensor,
        weight1: Tensor,
        bias1: Tensor,
        weight2: Tensor,
        bias2: Tensor,
        norm1_weight: Tensor,
        norm1_shift: Tensor,
        norm2_weight: Tensor,
        norm2_shift: Tensor,
        norms: tuple[Norms, Norms],
        dropout: Dropout,
    ) -> Tensor:
        weight1, weight2 = weight1.to(product.dtype), weight2.to(product.dtype)
        num_blocks = len(weight1)
        total = product.new_empty(num_blocks, *product.shape)
        units = torch.empty_like(total)
        products = product.new_empty(num_blocks, *product.shape[:2], weight1.shape[2])
        inner = torch.empty_like(products)
        outer_statistics, inner_statistics = (
            [_new_statistics(each) for _ in range(num_blocks)] for each in norms
        )
        skip, bias = None, first_bias
        for number in range(num_blocks):
            normalise(
                *(product, bias, skip, total[number], norm1_weight[number], norm1_shift[number]),
                *(None, norms[0].running[number], outer_statistics[number]),
            )
            scale, constant = outer_statistics[number][2:]
            activate(total[number], constant, None, dropout, 2 * number, None, units[number], scale)
            torch.bmm(units[number], weight1[number].mT, out=products[number])
            normalise(
                *(products[number], None, None, None, norm2_weight[number], norm2_shift[number]),
                *(bias1[number], norms[1].running[number], inner_statistics[number]),
            )
            scale, constant = inner_statistics[number][2:]
            activate(
                *(products[number], constant, None, dropout, 2 * number + 1),
                *(None, inner[number], scale),
            )
            product = torch.bmm(inner[number], weight2[number].mT)
            bias, skip = bias2[number], total[number]
        activate(product, bias, skip, dropout, 0, product, None)
        torch._foreach_add_([each.num_batches for norm in norms for each in norm.running], 1)
        ctx.save_for_backward(total, units, products, inner, weight1, weight2, dropout.kept)
        ctx.statistics = outer_statistics, inner_statistics
        return product

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        total, units, products, inner, weight1, weight2, kept = ctx.saved_tensors
        outer_statistics, inner_statistics = ctx.statistics
        num_blocks = len(units)
        of_total = units.new_empty(num_blocks + 1, *units.shape[1:])
        of_total[num_blocks] = gradients[0]
        of_inner = torch.empty_like(inner)
        of_norm1, of_norm2 = (
            kept.new_empty(2, num_blocks, each.shape[1], each.shape[3]) for each in (units, inner)
        )
        for number in reversed(range(num_blocks)):
            here = of_inner[number]
            torch.bmm(of_total[number + 1], weight2[number], out=here)
            compute_norm_gradient(
                *(products[number], inner[number], here, None, kept),
                *(inner_statistics[number], of_norm2[:, number]),
            )
            torch.bmm(here, weight1[number], out=of_total[number])
            compute_norm_gradient(
                *(total[number], units[number], of_total[number], of_total[number + 1], kept),
                *(outer_statistics[number], of_norm1[:, number]),
            )
        # A norm changes the sum of the gradients of no column, so that of the last block is that
        # of all of them; a bias before a norm has no effect.
        of_bias = _sum_rows(of_total[num_blocks])
        return (
            *(of_total[0], of_bias),
            *(_multiply_rows(of_inner, units), kept.new_zeros(inner.shape[:2] + inner.shape[3:])),
            *(_multiply_rows(of_total[1:], inner), of_bias.expand(num_blocks, *of_bias.shape)),
            *(*of_norm1, *of_norm2, None, None),
        )


def _evaluate_normed_blocks(product: Tensor, weights: StackedWeights, dropout: Dropout) -> Tensor:
    """Return the sum of all blocks with the running statistics of their norms."""
    norm1, norm2 = weights.norm1, weights.norm2
    assert norm1 is not None
    assert norm2 is not None
    weight1, weight2 = weights.weight1.to(product.dtype), weights.weight2.to(product.dtype)
    skip, bias = None, weights.first_bias
    for number in range(len(weight1)):
        total = torch.empty_like(product)
        activate(product, bias, skip, dropout, 0, total, None)
        units = torch.empty_like(total)
        scale, constant = _read_norm(norm1, number, torch.zeros_like(bias))
        activate(total, constant, None, dropout, 2 * number, None, units, scale)
        inner = torch.bmm(units, weight1[number].mT)
        scale, constant = _read_norm(norm2, number, weights.bias1[number])
        activate(inner, constant, None, dropout, 2 * number + 1, None, inner, scale)
        product = torch.bmm(inner, weight2[number].mT)
        bias, skip = weights.bias2[number], total
    activate(product, bias, skip, dropout, 0, product, None)
    return product


def _read_norm(norms: Norms, number: int, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return factor and constant of a norm with its running statistics; the bias is not added."""
    running = norms.running[number]
    missing = norms.weight.shape[2] - running.mean.shape[1]
    mean = functional.pad(running.mean, (0, missing)) - bias
    deviation = functional.pad(running.variance, (0, missing)).add(NORM_EPSILON).sqrt()
    scale = norms.weight[number] / deviation
    return scale.contiguous(), (norms.shift[number] - mean * scale).contiguous()


def _new_statistics(norms: Norms) -> Tensor:
    """Return room for the statistics of a norm: mean, 1 / deviation, factor and constant."""
    return torch.empty((4, *norms.weight.shape[1:]), device=norms.weight.device)


def _sum_rows(values: Tensor) -> Tensor:
    """Return the sums over rows in single precision, (networks, columns)."""
    ones = values.new_ones(1, *values.shape[:2], 1)
    return _multiply_rows(ones, values[None])[0, :, 0]


def _multiply_rows(first: Tensor, second: Tensor) -> Tensor:
    """Return first.T @ second for each block and network, in single precision."""
    operands = first.flatten(0, 1).mT, second.flatten(0, 1)
    # In bfloat16 the sums would be rounded once more.
    if first.is_cuda and first.dtype != torch.float32:
        found = torch.bmm(*operands, out_dtype=torch.float32)
    else:
        found = torch.bmm(*operands)
    return found.view(*first.shape[:2], *found.shape[1:])
