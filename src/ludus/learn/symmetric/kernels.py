"""The kernels of `native/cuda/views.cu` for torch, with their gradients."""

import ctypes
from functools import cache
from typing import Any

import torch
from torch.autograd import Function

from ludus.core.nvcc import NoCuda, built
from ludus.learn.symmetric.group import ORDER
from ludus.learn.symmetric.harmonics import PLANES, SIGNS, waves

Tensor = torch.Tensor

ALL_VIEWS = ORDER**0.5
"""What the first harmonic, the same in all views, makes of a sum over them."""


def serve(units: Tensor) -> bool:
    """Whether there are kernels for these units."""
    is_fit = units.is_cuda and units.dtype == torch.bfloat16 and units.shape[-1] % 2 == 0
    return is_fit and _library() is not None


def entered(units: Tensor) -> tuple[Tensor, Tensor]:
    """Units to terms."""
    signs, planes = _Entered.apply(units.contiguous())  # type: ignore[no-untyped-call]
    return signs, planes


def passed(signs: Tensor, planes: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Terms to rectified terms."""
    signs, planes = _Passed.apply(signs, planes, bias)  # type: ignore[no-untyped-call]
    return signs, planes


def left(signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
    """Terms to rectified units."""
    units: Tensor = _Left.apply(signs, planes, bias)  # type: ignore[no-untyped-call]
    return units


class _Entered(Function):
    @staticmethod
    def forward(ctx: Any, units: Tensor) -> tuple[Tensor, Tensor]:
        experts, positions, _, channels = units.shape
        found = _empty_terms(units, experts, positions, channels)
        _run("enter", (experts, positions, channels), units, *found)
        return found

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        signs, planes = _contiguous(slopes)
        experts, _, positions, channels = signs.shape
        found = signs.new_empty(experts, positions, ORDER, channels)
        _run("enter_back", (experts, positions, channels), signs, planes, found)
        return found


class _Passed(Function):
    @staticmethod
    def forward(ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        given, shape = _kept(ctx, signs, planes, bias)
        found = _empty_terms(signs, *shape)
        _run("pass", shape, *given, *found)
        return found

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        return _back("pass_back", ctx, slopes)


class _Left(Function):
    @staticmethod
    def forward(ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        given, (experts, positions, channels) = _kept(ctx, signs, planes, bias)
        found = signs.new_empty(experts, positions, ORDER, channels)
        _run("leave", (experts, positions, channels), *given, found)
        return found

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        return _back("leave_back", ctx, slopes)


Shape = tuple[int, int, int]
"""Experts, positions and channels."""


def _kept(
    ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor
) -> tuple[tuple[Tensor, ...], Shape]:
    """What a rectifier is given, kept for the way back."""
    given = *_contiguous((signs, planes)), bias.float().contiguous()
    ctx.save_for_backward(*given)
    experts, _, positions, channels = signs.shape
    return given, (experts, positions, channels)


def _back(name: str, ctx: Any, slopes: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The slopes of all that a rectifier was given."""
    signs, planes, bias = ctx.saved_tensors
    experts, _, positions, channels = signs.shape
    found = _empty_terms(signs, experts, positions, channels)
    shape = (experts, positions, channels)
    _run(name, shape, signs, planes, bias, *_contiguous(slopes), *found)
    return *found, _of_bias(found[0])


def _of_bias(signs: Tensor) -> Tensor:
    """The slope of a bias (experts, 1, channels): it acts on the first harmonic alone."""
    found: Tensor = ALL_VIEWS * signs[:, 0].sum(1, keepdim=True, dtype=torch.float32)
    return found


def _empty_terms(
    like: Tensor, experts: int, positions: int, channels: int
) -> tuple[Tensor, Tensor]:
    return (
        like.new_empty(experts, SIGNS, positions, channels),
        like.new_empty(experts, PLANES, 2, positions, 2, channels),
    )


def _contiguous(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.contiguous() for tensor in tensors)


class _Shape(ctypes.Structure):
    _fields_ = (
        ("experts", ctypes.c_int),
        ("positions", ctypes.c_int),
        ("pairs", ctypes.c_int),
    )


def _run(name: str, shape: Shape, *tensors: Tensor) -> None:
    experts, positions, channels = shape
    function = getattr(_library(), f"ludus_views_{name}")
    stream = torch.cuda.current_stream(tensors[0].device).cuda_stream
    pointers = (ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors)
    about = ctypes.byref(_Shape(experts, positions, channels // 2))
    if number := function(_waves(), about, ctypes.c_void_p(stream), *pointers):
        raise NoCuda(f"the kernel {name} failed with CUDA's error {number}")


@cache
def _waves() -> Any:
    values = waves().ravel().tolist()
    return (ctypes.c_float * len(values))(*values)


@cache
def _library() -> Any:
    """None where it cannot be built; other ways of computing the same will do."""
    try:
        return ctypes.CDLL(str(built("views")))
    except NoCuda:
        return None
