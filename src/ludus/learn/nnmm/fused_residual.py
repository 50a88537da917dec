"""Stacked residual networks with what lies between two matrix products in one kernel.

On a GPU these small networks spend most of their time on memory: bias, skip connection, ReLU and
dropout are passes of their own over all units. `native/cuda/residual_activation.cu` makes one pass
of them; elsewhere torch computes the same.
"""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from ludus.cuda import CudaUnavailable, build_library
from ludus.learn.nnmm.model import ResidualBlock, ResidualNetwork

ALIGNMENT = 8
"""Matrices are padded to multiples of this number of rows and columns: products of bfloat16 are
twice as fast if rows begin at multiples of 16 bytes."""

MAX_UNITS = 1024
"""Maximum width that the kernels can work with."""

ROWS_PER_BLOCK = 64
"""Rows that the backward kernel adds up by itself."""


def is_fusable(network: nn.Module) -> bool:
    """Return whether a network is residual, without norms and stochastic depth."""
    if not isinstance(network, ResidualNetwork):
        return False
    width = network.first.out_features
    inner = set()
    for block in network.blocks:
        assert isinstance(block, ResidualBlock)
        if block.is_skipped or not isinstance(block.norm1, nn.Identity):
            return False
        inner.add(block.layer1.out_features)
    # The weights of all blocks are one array.
    return len(inner) == 1 and max(width, *inner) <= MAX_UNITS and width % ALIGNMENT == 0


def has_kernels(device: torch.device) -> bool:
    """Return whether the kernels can run on this device."""
    return device.type == "cuda" and _load_library() is not None


def get_kept_proportions(networks: Sequence[nn.Module]) -> list[float]:
    """Return the probability that an inner unit is not dropped, for each network."""
    return [1 - float(network.get_submodule("blocks.0.drop1").p) for network in networks]  # type: ignore[arg-type]


def forward_residual(
    weights: Mapping[str, Tensor], inputs: Tensor, kept: Tensor, seed: Tensor
) -> Tensor:
    """Return the logits of stacked residual networks, (networks, examples, classes).

    `weights` have the names of those of one network and a first dimension for the networks. `kept`
    is the probability that a unit is not dropped, (networks,), and `seed` that of the dropout
    masks, one int64.
    """
    num_blocks = sum(name.endswith("layer1.weight") for name in weights)
    width = -inputs.shape[2] % ALIGNMENT
    product = torch.bmm(
        functional.pad(inputs, (0, width)), functional.pad(weights["first.weight"], (0, width)).mT
    )
    layers = _prepare_blocks(weights, num_blocks, product.dtype)
    skip, units = _Activation.apply(  # type: ignore[no-untyped-call]
        product, weights["first.bias"], None, kept, seed, 0, True
    )
    for number, (weight1, bias1, weight2, bias2) in enumerate(layers):
        inner = _Activation.apply(  # type: ignore[no-untyped-call]
            torch.bmm(units, weight1.mT), bias1, None, kept, seed, 2 * number + 1, False
        )
        change = torch.bmm(inner, weight2.mT)
        if number + 1 < num_blocks:
            skip, units = _Activation.apply(  # type: ignore[no-untyped-call]
                change, bias2, skip, kept, seed, 2 * number + 2, True
            )
        else:
            skip = skip + change + bias2[:, None].to(change.dtype)
    classes = weights["last.weight"].shape[1]
    last = functional.pad(weights["last.weight"], (0, 0, 0, -classes % ALIGNMENT))
    product = torch.bmm(skip, last.mT)[..., :classes]
    return product + weights["last.bias"][:, None].to(product.dtype)


def _prepare_blocks(
    weights: Mapping[str, Tensor], num_blocks: int, dtype: torch.dtype
) -> Iterator[tuple[Tensor, ...]]:
    """Yield weights and bias of both layers of each block, padded and converted together."""

    def stack(name: str, *padding: int) -> tuple[Tensor, ...]:
        all_blocks = [weights[f"blocks.{number}.{name}"] for number in range(num_blocks)]
        stacked = torch.stack(all_blocks)
        kind = dtype if name.endswith("weight") else stacked.dtype
        return functional.pad(stacked.to(kind), padding).unbind()

    missing = -weights["blocks.0.layer1.weight"].shape[1] % ALIGNMENT
    yield from zip(
        stack("layer1.weight", 0, 0, 0, missing),
        stack("layer1.bias", 0, missing),
        stack("layer2.weight", 0, missing),
        stack("layer2.bias", 0, 0),
        strict=True,
    )


class _Activation(Function):
    """Bias and skip connection, then ReLU and dropout.

    Returns the sum, if it is wanted, and the units after dropout.
    """

    @staticmethod
    def forward(
        ctx: Any,
        product: Tensor,
        bias: Tensor,
        skip: Tensor | None,
        kept: Tensor,
        seed: Tensor,
        layer: int,
        returns_sum: bool,
    ) -> Any:
        if product.is_cuda:
            total = torch.empty_like(product) if returns_sum else None
            units = torch.empty_like(product)
            _run_kernel(
                "forward",
                product,
                *(product, bias.float(), skip, kept, seed, ctypes.c_uint32(layer), total, units),
            )
        else:
            total = product + bias[:, None]
            total = total if skip is None else total + skip
            mask = make_dropout_mask(kept, seed, layer, product.shape)
            units = torch.relu(total) * mask / kept[:, None, None]
        ctx.save_for_backward(units, kept)
        ctx.has_skip, ctx.returns_sum = skip is not None, returns_sum
        return (total, units) if returns_sum else units

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        units, kept = ctx.saved_tensors
        given = gradients[-1].contiguous()
        of_sum = gradients[0].contiguous() if ctx.returns_sum else None
        if units.is_cuda:
            found = torch.empty_like(units)
            networks, rows, columns = units.shape
            blocks = -(-rows // ROWS_PER_BLOCK)
            row_sums = kept.new_empty(networks, blocks, columns)
            _run_kernel("backward", units, units, given, of_sum, kept, found, row_sums)
        else:
            found = torch.where(units > 0, given / kept[:, None, None], 0.0)
            row_sums = found = found if of_sum is None else found + of_sum
        of_bias = row_sums.sum(dim=1)
        return found, of_bias, found if ctx.has_skip else None, None, None, None, None


def make_dropout_mask(
    kept: Tensor, seed: Tensor, layer: int, shape: tuple[int, int, int] | torch.Size
) -> Tensor:
    """Return which units are kept, (networks, examples, units): the kernel's random numbers."""
    numbers = torch.arange((shape[0] * shape[1] * shape[2] + 1) // 2, device=kept.device)
    number = torch.tensor(layer + 1, device=kept.device)
    start = _mix((seed & 0xFFFFFFFF) ^ _mix(number))
    mixed = _mix((start + numbers) & 0xFFFFFFFF)
    random = torch.stack([mixed & 0xFFFF, mixed >> 16], dim=1).flatten()
    limit = (kept * 65536).long()[:, None, None]
    return random[: shape[0] * shape[1] * shape[2]].view(shape) < limit


def _mix(number: Tensor) -> Tensor:
    """Map 32-bit numbers to others that look random (lowbias32, Wellons 2018)."""
    number = number ^ number >> 16
    number = number * 0x7FEB352D & 0xFFFFFFFF
    number = number ^ number >> 15
    number = number * 0x846CA68B & 0xFFFFFFFF
    return number ^ number >> 16


class _ShapeStructure(ctypes.Structure):
    _fields_ = (
        ("networks", ctypes.c_int),
        ("rows", ctypes.c_int),
        ("columns", ctypes.c_int),
    )


def _run_kernel(name: str, units: Tensor, *arguments: Any) -> None:
    function = getattr(_load_library(), f"ludus_residual_{name}")
    stream = torch.cuda.current_stream(units.device).cuda_stream
    pointers = (
        ctypes.c_void_p(each.data_ptr()) if isinstance(each, Tensor) else each for each in arguments
    )
    about = ctypes.byref(_ShapeStructure(*units.shape))
    if number := function(about, ctypes.c_void_p(stream), *pointers):
        raise CudaUnavailable(f"the kernel {name} failed with CUDA's error {number}")


@cache
def _load_library() -> Any:
    """Return the compiled library, or None where it cannot be built and torch computes the same."""
    try:
        return ctypes.CDLL(str(build_library("residual_activation")))
    except CudaUnavailable:
        return None
