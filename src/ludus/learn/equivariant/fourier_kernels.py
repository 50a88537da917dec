"""Autograd functions of residual blocks on a GPU, by CUDA kernels (native/cuda/group_fourier.cu).

A residual block is one function, which keeps the inputs of its products and one bit for each unit.
Coefficients are pairs: signs, (experts, 8, positions, channels), and planes, (experts, 2 irreps,
row, positions, column, channels); `fourier_torch` computes the same anywhere.
"""

import ctypes
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from ludus.cuda import CudaUnavailable, load_optional_library
from ludus.learn.equivariant.fourier import NUM_1D_IRREPS, NUM_2D_IRREPS
from ludus.learn.equivariant.group import GROUP_ORDER

TRIVIAL_IRREP_SCALE = GROUP_ORDER**0.5
"""Factor of the trivial irrep's coefficient for a value that is equal at all group elements."""

KERNEL_DTYPES = (torch.bfloat16, torch.float32)
"""Types of units that there are CUDA kernels for."""


def has_cuda_kernels(units: Tensor) -> bool:
    """Return whether there are CUDA kernels for the device, type and shape of these units."""
    is_fit = units.is_cuda and units.dtype in KERNEL_DTYPES and units.shape[-1] % 2 == 0
    return is_fit and _load_library() is not None


KernelShape = tuple[int, int, int]
"""Experts, positions and channels."""


class ResidualBlock(Function):
    """A residual block; the input is `lifted`, in the group domain, or two sets of coefficients.

    The result replaces the coefficients of the input in their memory. `is_kept`: what the backward
    pass needs is kept.
    """

    @staticmethod
    def forward(
        ctx: Any,
        is_kept: bool,
        lifted: Tensor | None,
        signs: Tensor | None,
        planes: Tensor | None,
        bias: Tensor,
        inner_bias: Tensor,
        *kernels: Tensor,
    ) -> tuple[Tensor, Tensor]:
        skip: tuple[Tensor, Tensor]
        if lifted is not None:
            experts, positions, _, channels = lifted.shape
            shape = experts, positions, channels
            skip, hidden = (empty_coefficients(lifted, *shape) for _ in range(2))
            mask = empty_mask(lifted, shape) if is_kept else None
            run_kernel("lift", shape, lifted, lifted, _bias_of(bias), mask, *skip, *hidden)
        else:
            assert signs is not None
            assert planes is not None
            skip = signs, planes
            ctx.mark_dirty(signs, planes)
            hidden, mask = _apply_relu(signs, planes, bias, is_kept)
        inner = _multiply(hidden, kernels[:2])
        inner, inner_mask = _apply_relu(*inner, inner_bias, is_kept)
        for rows, by, total in zip(
            as_matrices(*inner), kernels[2:], as_matrices(*skip), strict=True
        ):
            total.baddbmm_(rows, by)
        if is_kept:
            ctx.is_lifted = lifted is not None
            ctx.save_for_backward(*hidden, *inner, mask, inner_mask, *kernels)
        return skip

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        saved = ctx.saved_tensors
        hidden, inner, (mask, inner_mask), kernels = saved[:2], saved[2:4], saved[4:6], saved[6:]
        signs, planes = _make_contiguous(gradients)
        given = signs, planes
        experts, _, positions, channels = signs.shape
        shape = experts, positions, channels
        second = find_kernel_gradients(inner, given)
        found = empty_coefficients(signs, *shape)
        passed = _multiply(given, tuple(each.mT for each in kernels[2:]))
        run_kernel("relu_backward", shape, signs, inner_mask, *passed, None, None, None, *found)
        inner_bias = find_bias_gradient(found[0][:, 0])
        first = find_kernel_gradients(hidden, found)
        passed = _multiply(found, tuple(each.mT for each in kernels[:2]))
        trivial = signs.new_empty(shape)
        results: tuple[Tensor | None, Tensor | None, Tensor | None]
        if ctx.is_lifted:
            units = signs.new_empty(experts, positions, GROUP_ORDER, channels)
            run_kernel("lift_backward", shape, signs, mask, *passed, *given, trivial, units)
            results = units, None, None
        else:
            run_kernel("relu_backward", shape, signs, mask, *passed, *given, trivial, *found)
            results = None, *found
        return None, *results, find_bias_gradient(trivial), inner_bias, *first, *second


class ApplyReluToGroup(Function):
    @staticmethod
    def forward(ctx: Any, is_kept: bool, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        experts, _, positions, channels = signs.shape
        found = signs.new_empty(experts, positions, GROUP_ORDER, channels)
        return _run_last_relu("relu_to_group", ctx, is_kept, (signs, planes), bias, found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return _run_last_relu_backward("relu_to_group_backward", ctx, gradients)


class ApplyReluToMean(Function):
    @staticmethod
    def forward(ctx: Any, is_kept: bool, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        experts, _, positions, channels = signs.shape
        found = signs.new_empty(experts, positions, channels)
        return _run_last_relu("relu_to_mean", ctx, is_kept, (signs, planes), bias, found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return _run_last_relu_backward("relu_to_mean_backward", ctx, gradients)


def _run_last_relu(
    name: str,
    ctx: Any,
    is_kept: bool,
    terms: tuple[Tensor, Tensor],
    bias: Tensor,
    found: Tensor,
) -> Tensor:
    """Run a ReLU that leaves the Fourier basis, and keep its mask."""
    signs, planes = _make_contiguous(terms)
    experts, _, positions, channels = signs.shape
    shape = experts, positions, channels
    mask = empty_mask(signs, shape) if is_kept else None
    run_kernel(name, shape, signs, signs, planes, _bias_of(bias), mask, found)
    if mask is not None:
        ctx.save_for_backward(mask)
        ctx.shape = shape
    return found


def _run_last_relu_backward(
    name: str, ctx: Any, gradients: tuple[Tensor, ...]
) -> tuple[Tensor | None, ...]:
    """Return the gradients of all inputs of a ReLU that leaves the Fourier basis."""
    (mask,) = ctx.saved_tensors
    (given,) = _make_contiguous(gradients)
    found = empty_coefficients(given, *ctx.shape)
    run_kernel(name, ctx.shape, given, mask, given, *found)
    return None, *found, find_bias_gradient(found[0][:, 0])


def _apply_relu(
    signs: Tensor, planes: Tensor, bias: Tensor, is_kept: bool
) -> tuple[tuple[Tensor, Tensor], Tensor | None]:
    """Return the coefficients after ReLU and, if it is to be kept, its mask."""
    experts, _, positions, channels = signs.shape
    shape = experts, positions, channels
    found = empty_coefficients(signs, *shape)
    mask = empty_mask(signs, shape) if is_kept else None
    run_kernel("relu", shape, signs, signs, planes, _bias_of(bias), mask, *found)
    return found, mask


def _multiply(terms: tuple[Tensor, Tensor], by: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Return the products of coefficients with kernels, both as (signs, planes)."""
    experts, _, positions, _ = terms[0].shape
    signs, planes = (torch.bmm(*pair) for pair in zip(as_matrices(*terms), by, strict=True))
    channels = signs.shape[2]
    return (
        signs.view(experts, NUM_1D_IRREPS, positions, channels),
        planes.view(experts, NUM_2D_IRREPS, 2, positions, 2, channels),
    )


def find_kernel_gradients(
    terms: tuple[Tensor, ...], gradients: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor]:
    """Return the gradients of kernels; transposed, because kernels are transposed matrices."""
    pairs = zip(as_matrices(*gradients), as_matrices(*terms), strict=True)
    signs, planes = (torch.bmm(gradient.mT, each).mT for gradient, each in pairs)
    return signs, planes


def as_matrices(signs: Tensor, planes: Tensor) -> tuple[Tensor, Tensor]:
    """View coefficients as matrices, (irreps, rows, columns), in the same memory."""
    experts, _, positions, channels = signs.shape
    return (
        signs.view(experts * NUM_1D_IRREPS, positions, channels),
        planes.view(experts * NUM_2D_IRREPS, 2 * positions, 2 * channels),
    )


def _bias_of(bias: Tensor) -> Tensor:
    return bias.float().contiguous()


def empty_mask(like: Tensor, shape: KernelShape) -> Tensor:
    """Return memory for one bit for each unit: 32 for two channels of all group elements."""
    experts, positions, channels = shape
    return torch.empty(experts, positions, channels // 2, dtype=torch.int32, device=like.device)


def find_bias_gradient(trivial: Tensor) -> Tensor:
    """Return the gradient of a bias, (experts, 1, channels): it affects the trivial irrep alone.

    A product with ones is several times as fast as a sum over positions.
    """
    ones = trivial.new_ones(len(trivial), 1, trivial.shape[1])
    if trivial.dtype == torch.float32:
        found = torch.bmm(ones, trivial)
    else:
        found = torch.bmm(ones, trivial, out_dtype=torch.float32)
    return found.mul_(TRIVIAL_IRREP_SCALE)


def empty_coefficients(
    like: Tensor, experts: int, positions: int, channels: int
) -> tuple[Tensor, Tensor]:
    return (
        like.new_empty(experts, NUM_1D_IRREPS, positions, channels),
        like.new_empty(experts, NUM_2D_IRREPS, 2, positions, 2, channels),
    )


def _make_contiguous(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.contiguous() for tensor in tensors)


class _ShapeStructure(ctypes.Structure):
    _fields_ = (
        ("experts", ctypes.c_int),
        ("positions", ctypes.c_int),
        ("pairs", ctypes.c_int),
        ("is_single", ctypes.c_int),
    )


def run_kernel(name: str, shape: KernelShape, like: Tensor, *tensors: Tensor | None) -> None:
    """Run a kernel on these tensors, or null pointers, of the type and device of `like`."""
    experts, positions, channels = shape
    function = getattr(_load_library(), f"ludus_fourier_{name}")
    stream = torch.cuda.current_stream(like.device).cuda_stream
    pointers = (
        ctypes.c_void_p(None if tensor is None else tensor.data_ptr()) for tensor in tensors
    )
    is_single = like.dtype == torch.float32
    about = ctypes.byref(_ShapeStructure(experts, positions, channels // 2, is_single))
    if number := function(about, ctypes.c_void_p(stream), *pointers):
        raise CudaUnavailable(f"the kernel {name} failed with CUDA's error {number}")


_load_library = partial(load_optional_library, "group_fourier")
