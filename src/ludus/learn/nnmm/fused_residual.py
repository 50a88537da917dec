"""Stacked residual networks with what lies between two matrix products in one kernel.

On a GPU these small networks spend most of their time on memory: bias, skip connection, ReLU and
dropout are passes of their own over all units. `native/cuda/residual_activation.cu` makes one pass
of them; elsewhere torch computes the same.
"""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

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
"""Rows that a block of threads adds up."""

NORM_EPSILON, NORM_MOMENTUM = 1e-5, 0.1
"""Of `nn.BatchNorm1d`: added to variances; weight of the latest statistics in the running ones."""

RUNNING_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


def is_fusable(network: nn.Module) -> bool:
    """Return whether a network is residual, with blocks of one width and no stochastic depth."""
    if not isinstance(network, ResidualNetwork):
        return False
    blocks = [block for block in network.blocks if isinstance(block, ResidualBlock)]
    widths = {block.layer1.out_features for block in blocks}
    # The weights of all blocks are one array.
    if len(widths) != 1 or any(block.is_skipped for block in blocks):
        return False
    return max(network.first.out_features, *widths) <= MAX_UNITS


def has_kernels(device: torch.device) -> bool:
    """Return whether the kernels can run on this device."""
    return device.type == "cuda" and _load_library() is not None


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
    bias = functional.pad(state["first.bias"], (0, width))
    blocks = list(_prepare_blocks(state, product.dtype))
    if blocks[0].norm1 is None:
        total = _forward_blocks(product, bias, blocks, kept, seed)
    else:
        norms = _NormedActivation(kept, seed, is_training)
        total = _forward_normed_blocks(product + bias[:, None].to(product.dtype), blocks, norms)
    classes = _count_missing(state["last.bias"])
    last = functional.pad(state["last.weight"], (0, width, 0, classes))
    product = torch.bmm(total, last.mT)[..., : state["last.bias"].shape[1]]
    return product + state["last.bias"][:, None].to(product.dtype)


def _forward_blocks(
    product: Tensor, bias: Tensor, blocks: Sequence["_Block"], kept: Tensor, seed: Tensor
) -> Tensor:
    """Return the sum of all blocks without norms; `bias` is not yet added to the product."""
    skip: Tensor | None = None
    for number, block in enumerate(blocks):
        skip, units = _Activation.apply(  # type: ignore[no-untyped-call]
            product, bias, skip, kept, seed, 2 * number, True
        )
        inner = _Activation.apply(  # type: ignore[no-untyped-call]
            *(torch.bmm(units, block.weight1.mT), block.bias1, None),
            *(kept, seed, 2 * number + 1, False),
        )
        product, bias = torch.bmm(inner, block.weight2.mT), block.bias2
    assert skip is not None
    return skip + product + bias[:, None].to(product.dtype)


def _forward_normed_blocks(
    total: Tensor, blocks: Sequence["_Block"], norms: "_NormedActivation"
) -> Tensor:
    """Return the sum of all blocks with norms."""
    for number, block in enumerate(blocks):
        assert block.norm1 is not None
        assert block.norm2 is not None
        none = torch.zeros_like(block.bias2)
        units = norms.apply(total, none, block.norm1, 2 * number)
        product = torch.bmm(units, block.weight1.mT)
        inner = norms.apply(product, block.bias1, block.norm2, 2 * number + 1)
        change = torch.bmm(inner, block.weight2.mT)
        total = total + change + block.bias2[:, None].to(change.dtype)
    return total


class _Norm(NamedTuple):
    """Batch normalisation of the columns of stacked networks, (networks, columns) each."""

    weight: Tensor
    bias: Tensor
    running_mean: Tensor
    """Not padded, as the next."""
    running_var: Tensor
    num_batches: Tensor


class _Block(NamedTuple):
    """Weights of a residual block, padded and of the type of the units."""

    weight1: Tensor
    bias1: Tensor
    weight2: Tensor
    bias2: Tensor
    norm1: _Norm | None
    norm2: _Norm | None


def _prepare_blocks(state: Mapping[str, Tensor], dtype: torch.dtype) -> Iterator[_Block]:
    """Yield the blocks; weights of one name are padded and converted together."""
    num_blocks = sum(name.endswith("layer1.weight") for name in state)
    width = _count_missing(state["blocks.0.layer2.bias"])
    inner = _count_missing(state["blocks.0.layer1.bias"])

    def stack(name: str, *padding: int) -> tuple[Tensor, ...]:
        stacked = torch.stack([state[f"blocks.{number}.{name}"] for number in range(num_blocks)])
        is_matrix = stacked.dim() > 3
        return functional.pad(stacked.to(dtype) if is_matrix else stacked, padding).unbind()

    def list_norms(name: str, missing: int) -> list[_Norm | None]:
        if f"blocks.0.{name}.weight" not in state:
            return [None] * num_blocks
        weights, biases = (stack(f"{name}.{each}", 0, missing) for each in ("weight", "bias"))
        return [
            _Norm(
                *(weight, bias),
                *(state[f"blocks.{number}.{name}.{each}"] for each in RUNNING_STATISTICS),
            )
            for number, (weight, bias) in enumerate(zip(weights, biases, strict=True))
        ]

    yield from map(
        _Block,
        stack("layer1.weight", 0, width, 0, inner),
        stack("layer1.bias", 0, inner),
        stack("layer2.weight", 0, inner, 0, width),
        stack("layer2.bias", 0, width),
        list_norms("norm1", width),
        list_norms("norm2", inner),
    )


def _count_missing(tensor: Tensor) -> int:
    """Return the number of columns that are missing to a multiple of ALIGNMENT."""
    return -tensor.shape[-1] % ALIGNMENT


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
                *(product, None, bias.float(), skip, kept, seed),
                *(ctypes.c_uint32(layer), total, units),
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


class _NormedActivation:
    """Batch normalisation, then ReLU and dropout."""

    def __init__(self, kept: Tensor, seed: Tensor, is_training: bool) -> None:
        self._kept, self._seed, self._is_training = kept, seed, is_training

    def apply(self, inputs: Tensor, bias: Tensor, norm: _Norm, layer: int) -> Tensor:
        """Return the units for inputs to which a bias is not yet added.

        The norm would subtract the bias again, so it is in the running mean alone.
        """
        missing = norm.weight.shape[1] - norm.running_mean.shape[1]
        if not self._is_training:
            mean = functional.pad(norm.running_mean, (0, missing)) - bias
            deviation = functional.pad(norm.running_var, (0, missing)).add(NORM_EPSILON).sqrt()
            scale = norm.weight / deviation
            return _activate(
                *(inputs, scale, norm.bias - mean * scale, self._kept, self._seed, layer)
            )
        units, mean, variance = _NormFunction.apply(  # type: ignore[no-untyped-call]
            inputs, bias, norm.weight, norm.bias, self._kept, self._seed, layer
        )
        with torch.no_grad():
            rows, columns = inputs.shape[1], norm.running_mean.shape[1]
            norm.running_mean.lerp_((mean + bias)[:, :columns], NORM_MOMENTUM)
            norm.running_var.lerp_((variance * rows / (rows - 1))[:, :columns], NORM_MOMENTUM)
            norm.num_batches.add_(1)
        found: Tensor = units
        return found


class _NormFunction(Function):
    """Units after norm, ReLU and dropout, with mean and variance of the inputs by column."""

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        bias: Tensor,
        weight: Tensor,
        shift: Tensor,
        kept: Tensor,
        seed: Tensor,
        layer: int,
    ) -> Any:
        rows = inputs.shape[1]
        total, squares = _sum_columns(inputs, kept)
        mean = total / rows
        variance = (squares / rows - mean.square()).clamp(min=0)
        inverse = torch.rsqrt(variance + NORM_EPSILON)
        scale = weight * inverse
        units = _activate(inputs, scale, shift - mean * scale, kept, seed, layer)
        ctx.save_for_backward(inputs, units, kept, scale, mean, inverse)
        ctx.mark_non_differentiable(mean, variance)
        return units, mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        inputs, units, kept, scale, mean, inverse = ctx.saved_tensors
        given, rows = gradients[0].contiguous(), inputs.shape[1]
        of_shift, products = _sum_columns(inputs, kept, units, given)
        of_weight = (products - mean * of_shift) * inverse
        slope = -scale * inverse * of_weight / rows
        constant = -scale * of_shift / rows - slope * mean
        if inputs.is_cuda:
            found = torch.empty_like(inputs)
            _run_kernel(
                *("norm_backward", inputs, inputs, units, given, kept),
                *(each.contiguous() for each in (scale, slope, constant)),
                found,
            )
        else:
            before = torch.where(units > 0, given / kept[:, None, None], 0.0)
            found = scale[:, None] * before + slope[:, None] * inputs + constant[:, None]
        return found, torch.zeros_like(mean), of_weight, of_shift, None, None, None


def _activate(
    inputs: Tensor, scale: Tensor, bias: Tensor, kept: Tensor, seed: Tensor, layer: int
) -> Tensor:
    """Scale columns, add a bias, and apply ReLU and dropout; without gradients."""
    if inputs.is_cuda:
        units = torch.empty_like(inputs)
        _run_kernel(
            *("forward", inputs, inputs, scale.contiguous(), bias.contiguous(), None, kept, seed),
            *(ctypes.c_uint32(layer), None, units),
        )
        return units
    mask = make_dropout_mask(kept, seed, layer, inputs.shape)
    return torch.relu(inputs * scale[:, None] + bias[:, None]) * mask / kept[:, None, None]


def _sum_columns(
    inputs: Tensor, kept: Tensor, units: Tensor | None = None, given: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return the sums of inputs and of their squares by column, (networks, columns).

    If gradients of the units are `given`: of the gradients before ReLU and dropout, and of their
    products with the inputs.
    """
    if inputs.is_cuda:
        networks, rows, columns = inputs.shape
        row_sums = kept.new_empty(networks, -(-rows // ROWS_PER_BLOCK), 2, columns)
        _run_kernel("sum_columns", inputs, inputs, units, given, kept, row_sums)
        first, second = row_sums.sum(dim=1).unbind(1)
        return first, second
    values = inputs
    if units is not None and given is not None:
        values = torch.where(units > 0, given / kept[:, None, None], 0.0)
    return values.sum(dim=1), (values * inputs).sum(dim=1)


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
