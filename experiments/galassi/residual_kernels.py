"""What residual networks compute between two matrix products: on a GPU kernels, elsewhere torch.

On a GPU small networks spend most of their time on memory: bias, skip connection, ReLU and dropout
are passes of their own over all units. `residual_blocks.cu` makes one pass of them.
Arrays are (networks, rows, columns), on a GPU in bfloat16 and contiguous; what belongs to columns
is (networks, columns) in single precision. Results are written to arrays that are given.
"""

import ctypes
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ludus.cuda import CudaUnavailable, load_optional_library

ALIGNMENT = 8
"""Columns are multiples of this number: products of bfloat16 are twice as fast if rows begin at
multiples of 16 bytes, and kernels work on 16 bytes at a time."""

MAX_UNITS = 2048
"""Maximum width that the kernels can work with."""

ROWS_PER_BLOCK = 64
"""Rows that a block of threads adds up."""

NORM_EPSILON, NORM_MOMENTUM = 1e-5, 0.1
"""Of `nn.BatchNorm1d`: added to variances; weight of the latest statistics in the running ones."""


def has_kernels(device: torch.device) -> bool:
    """Return whether the kernels can run on this device."""
    return device.type == "cuda" and _load_library() is not None


def _runs_kernels(array: Tensor) -> bool:
    return array.is_cuda


class Dropout(NamedTuple):
    """What decides which units are dropped."""

    kept: Tensor
    """Probability that a unit is not dropped, (networks,)."""

    seed: Tensor
    """One int64."""


class RunningStatistics(NamedTuple):
    """Statistics of one norm, (networks, columns) without padding."""

    mean: Tensor
    variance: Tensor
    num_batches: Tensor


def activate(
    product: Tensor,
    bias: Tensor,
    skip: Tensor | None,
    dropout: Dropout,
    layer: int,
    total: Tensor | None,
    units: Tensor | None,
    scale: Tensor | None = None,
) -> None:
    """Compute product * scale + bias + skip, and ReLU and dropout of it, without gradients.

    The first is written to `total`, the second to `units`; None if it is not wanted. Either may be
    the product itself.
    """
    if _runs_kernels(product):
        _run_kernel(
            *("forward", product, product, scale, bias, skip, *dropout),
            *(ctypes.c_uint32(layer), total, units),
        )
        return
    values = product if scale is None else product * scale[:, None]
    values = values + bias[:, None]
    values = values if skip is None else values + skip
    if total is not None:
        total.copy_(values)
    if units is not None:
        mask = make_dropout_mask(*dropout, layer, product.shape)
        units.copy_(torch.relu(values) * mask / dropout.kept[:, None, None])


def compute_gradient(
    units: Tensor, gradient: Tensor, of_total: Tensor | None, kept: Tensor, row_sums: Tensor
) -> None:
    """Replace the gradient of the units by that of the product they were computed from.

    `of_total` is the gradient that the sum before ReLU gets from elsewhere. The sums of rows are
    written to `row_sums`, (networks, parts, columns).
    """
    if _runs_kernels(units):
        _run_kernel("backward", units, units, gradient, of_total, kept, gradient, row_sums)
        return
    found = torch.where(units > 0, gradient / kept[:, None, None], 0.0)
    gradient.copy_(found if of_total is None else found + of_total)
    row_sums.zero_()
    row_sums[:, 0] = gradient.sum(dim=1)


def normalise(
    product: Tensor,
    bias: Tensor | None,
    skip: Tensor | None,
    total: Tensor | None,
    weight: Tensor,
    shift: Tensor,
    hidden_bias: Tensor | None,
    running: RunningStatistics,
    statistics: Tensor,
) -> None:
    """Compute the statistics of a norm of product + bias + skip, which is written to `total`.

    Without a `total` it is the norm of the product. A `hidden_bias` should have been added to it;
    the norm would subtract it again, so it is in the running mean alone.
    """
    rows, width = product.shape[1], running.mean.shape[1]
    if _runs_kernels(product):
        row_sums = new_row_sums(1, product, 2)[0]
        _run_kernel("sum_inputs", product, product, bias, skip, total, row_sums)
        _run_kernel(
            *("finish_norm", product, row_sums, weight, shift, hidden_bias),
            *(ctypes.c_int(width), running.mean, running.variance, *statistics),
        )
        return
    values = product if bias is None else product + bias[:, None]
    values = values if skip is None else values + skip
    if total is not None:
        total.copy_(values)
    mean, variance = values.mean(dim=1), values.var(dim=1, correction=0)
    inverse = torch.rsqrt(variance + NORM_EPSILON)
    scale = weight * inverse
    statistics.copy_(torch.stack([mean, inverse, scale, shift - mean * scale]))
    real_mean = mean if hidden_bias is None else mean + hidden_bias
    running.mean.lerp_(real_mean[:, :width], NORM_MOMENTUM)
    running.variance.lerp_((variance * rows / (rows - 1))[:, :width], NORM_MOMENTUM)


def compute_norm_gradient(
    inputs: Tensor,
    units: Tensor,
    gradient: Tensor,
    of_total: Tensor | None,
    kept: Tensor,
    statistics: Tensor,
    of_norm: Tensor,
) -> None:
    """Replace the gradient of the units by that of the inputs of their norm.

    The gradients of weight and shift of the norm are written to `of_norm`, (2, networks, columns).
    `of_total` is the gradient that the inputs get from elsewhere.
    """
    mean, inverse, scale, _ = statistics
    rows = inputs.shape[1]
    if _runs_kernels(inputs):
        row_sums = new_row_sums(1, inputs, 2)[0]
        slope, constant = torch.empty_like(mean), torch.empty_like(mean)
        _run_kernel("sum_gradients", inputs, inputs, units, gradient, kept, row_sums)
        _run_kernel(
            *("finish_norm_gradient", inputs, row_sums, mean, inverse, scale),
            *(*of_norm, slope, constant),
        )
        _run_kernel(
            *("norm_backward", inputs, inputs, units, gradient, kept),
            *(scale, slope, constant, of_total, gradient),
        )
        return
    before = torch.where(units > 0, gradient / kept[:, None, None], 0.0)
    of_shift = before.sum(dim=1)
    of_weight = ((before * inputs).sum(dim=1) - mean * of_shift) * inverse
    of_norm.copy_(torch.stack([of_weight, of_shift]))
    slope = -scale * inverse * of_weight / rows
    constant = -scale * of_shift / rows - slope * mean
    found = scale[:, None] * before + slope[:, None] * inputs + constant[:, None]
    gradient.copy_(found if of_total is None else found + of_total)


def new_row_sums(num_blocks: int, units: Tensor, parts: int = 1) -> Tensor:
    """Return room for sums over rows, (blocks, networks, parts of the rows, columns)."""
    networks, rows, columns = units.shape[-3:]
    shape = num_blocks, networks, -(-rows // ROWS_PER_BLOCK) * parts, columns
    return torch.empty(shape, device=units.device)


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
    """Run a kernel on arrays of the shape of the units."""
    if not units.numel():
        return
    function = getattr(_load_library(), f"ludus_residual_{name}")
    stream = torch.cuda.current_stream(units.device).cuda_stream
    pointers = (
        ctypes.c_void_p(each.data_ptr()) if isinstance(each, Tensor) else each for each in arguments
    )
    about = ctypes.byref(_ShapeStructure(*units.shape))
    if number := function(about, ctypes.c_void_p(stream), *pointers):
        raise CudaUnavailable(f"the kernel {name} failed with CUDA's error {number}")


_load_library = partial(load_optional_library, Path(__file__).with_name("residual_blocks.cu"))
