"""Group convolutions in the Fourier basis in torch, with CUDA kernels and their gradients
(native/cuda/group_fourier.cu).

They compute the same as the layers of `model.EquivariantNetwork` with a tenth of the work. ReLU is
applied in the group domain, so units are transformed there and back between two layers: by one CUDA
kernel on a GPU, elsewhere by two products with a small matrix.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple

import torch
from torch.autograd import Function

from ludus.cuda import CudaUnavailable, build_library
from ludus.learn.equivariant.fourier import NUM_1D_IRREPS, NUM_2D_IRREPS, fourier_basis, irreps
from ludus.learn.equivariant.group import GROUP_ORDER

Tensor = torch.Tensor

TRIVIAL_IRREP_SCALE = GROUP_ORDER**0.5
"""Factor of the trivial irrep's coefficient for a value that is equal at all group elements."""

KERNEL_DTYPES = (torch.bfloat16, torch.float32)
"""Types of units that there are CUDA kernels for."""


def has_cuda_kernels(units: Tensor) -> bool:
    """Return whether there are CUDA kernels for the device, type and shape of these units."""
    is_fit = units.is_cuda and units.dtype in KERNEL_DTYPES and units.shape[-1] % 2 == 0
    return is_fit and _load_library() is not None


class _ToFourier(Function):
    @staticmethod
    def forward(ctx: Any, units: Tensor) -> tuple[Tensor, Tensor]:
        experts, positions, _, channels = units.shape
        found = _empty_coefficients(units, experts, positions, channels)
        _run_kernel("transform", (experts, positions, channels), units, *found)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        signs, planes = _make_contiguous(gradients)
        experts, _, positions, channels = signs.shape
        found = signs.new_empty(experts, positions, GROUP_ORDER, channels)
        _run_kernel("transform_backward", (experts, positions, channels), signs, planes, found)
        return found


class _ApplyRelu(Function):
    """ReLU; with `passes` the inputs are further results, so that gradients are added there."""

    @staticmethod
    def forward(
        ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor, passes: bool
    ) -> tuple[Tensor, ...]:
        given, shape = _save_for_backward(ctx, signs, planes, bias)
        found = _empty_coefficients(signs, *shape)
        _run_kernel("relu", shape, *given, *found)
        return (*found, signs, planes) if passes else found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        signs, planes, bias = ctx.saved_tensors
        experts, _, positions, channels = signs.shape
        shape = (experts, positions, channels)
        found = _empty_coefficients(signs, *shape)
        more = _make_contiguous(gradients[2:])
        # The gradient of the skip connection does not reach the bias.
        trivial = signs.new_empty(shape) if more else None
        _run_kernel(
            *("relu_backward", shape, signs, planes, bias, *_make_contiguous(gradients[:2])),
            *(more or (None, None)),
            *(trivial, *found),
        )
        return *found, _bias_gradient(found[0][:, 0] if trivial is None else trivial), None


class _ApplyReluToGroup(Function):
    @staticmethod
    def forward(ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        given, (experts, positions, channels) = _save_for_backward(ctx, signs, planes, bias)
        found = signs.new_empty(experts, positions, GROUP_ORDER, channels)
        _run_kernel("relu_to_group", (experts, positions, channels), *given, found)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return _run_backward("relu_to_group_backward", ctx, gradients)


class _ApplyReluToMean(Function):
    @staticmethod
    def forward(ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        given, (experts, positions, channels) = _save_for_backward(ctx, signs, planes, bias)
        found = signs.new_empty(experts, positions, channels)
        _run_kernel("relu_to_mean", (experts, positions, channels), *given, found)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return _run_backward("relu_to_mean_backward", ctx, gradients)


KernelShape = tuple[int, int, int]
"""Experts, positions and channels."""


def _save_for_backward(
    ctx: Any, signs: Tensor, planes: Tensor, bias: Tensor
) -> tuple[tuple[Tensor, ...], KernelShape]:
    """Save the inputs of a ReLU for the backward pass."""
    given = *_make_contiguous((signs, planes)), bias.float().contiguous()
    ctx.save_for_backward(*given)
    experts, _, positions, channels = signs.shape
    return given, (experts, positions, channels)


def _run_backward(name: str, ctx: Any, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the gradients of all inputs of a ReLU that leaves the Fourier basis."""
    signs, planes, bias = ctx.saved_tensors
    experts, _, positions, channels = signs.shape
    found = _empty_coefficients(signs, experts, positions, channels)
    shape = (experts, positions, channels)
    _run_kernel(name, shape, signs, planes, bias, *_make_contiguous(gradients), *found)
    return *found, _bias_gradient(found[0][:, 0])


def _bias_gradient(trivial: Tensor) -> Tensor:
    """Return the gradient of a bias, (experts, 1, channels): it affects the trivial irrep alone.

    A product with ones is several times as fast as a sum over positions.
    """
    ones = trivial.new_ones(len(trivial), 1, trivial.shape[1])
    if trivial.dtype == torch.float32:
        found = torch.bmm(ones, trivial)
    else:
        found = torch.bmm(ones, trivial, out_dtype=torch.float32)
    return found.mul_(TRIVIAL_IRREP_SCALE)


def _empty_coefficients(
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


def _run_kernel(name: str, shape: KernelShape, units: Tensor, *tensors: Tensor | None) -> None:
    experts, positions, channels = shape
    function = getattr(_load_library(), f"ludus_fourier_{name}")
    stream = torch.cuda.current_stream(units.device).cuda_stream
    pointers = (
        ctypes.c_void_p(None if tensor is None else tensor.data_ptr())
        for tensor in (units, *tensors)
    )
    is_single = units.dtype == torch.float32
    about = ctypes.byref(_ShapeStructure(experts, positions, channels // 2, is_single))
    if number := function(_fourier_basis_c_array(), about, ctypes.c_void_p(stream), *pointers):
        raise CudaUnavailable(f"the kernel {name} failed with CUDA's error {number}")


@cache
def _fourier_basis_c_array() -> Any:
    values = fourier_basis().ravel().tolist()
    return (ctypes.c_float * len(values))(*values)


@cache
def _load_library() -> Any:
    """Return the compiled library, or None where it cannot be built and torch computes the same."""
    try:
        return ctypes.CDLL(str(build_library("group_fourier")))
    except CudaUnavailable:
        return None


class FourierCoefficients(NamedTuple):
    """Units in the Fourier basis."""

    irreps_1d: torch.Tensor
    """Shape (experts, 8, positions, channels)."""

    irreps_2d: torch.Tensor
    """Shape (experts, 2 irreps, row, positions, column, channels)."""


class TorchFourierKernel(NamedTuple):
    """Weights of a group convolution in the Fourier basis."""

    irreps_1d: torch.Tensor
    """Shape (experts * 8, from, to)."""

    irreps_2d: torch.Tensor
    """Shape (experts * 2, 2 * from, 2 * to)."""


def transform_kernel(steps: torch.Tensor, kind: torch.dtype) -> TorchFourierKernel:
    """Transform weights of a group convolution, (experts, 16, to, from), to the Fourier basis.

    The results are transposed views, so that nothing is moved but the planes' rows.
    """
    experts, _, to, frm = steps.shape
    entries = _irrep_entries(steps.dtype, steps.device)
    terms = torch.matmul(entries, steps.reshape(experts, GROUP_ORDER, to * frm)).view(steps.shape)
    blocks = terms[:, :NUM_1D_IRREPS].to(kind)
    pairs = terms[:, NUM_1D_IRREPS:].view(experts, NUM_2D_IRREPS, 2, 2, to, frm).transpose(3, 4)
    return TorchFourierKernel(
        blocks.reshape(experts * NUM_1D_IRREPS, to, frm).mT,
        pairs.to(kind).reshape(experts * NUM_2D_IRREPS, 2 * to, 2 * frm).mT,
    )


def to_fourier(units: torch.Tensor) -> FourierCoefficients:
    """Transform units, (experts, positions, 16, channels), to Fourier coefficients."""
    if has_cuda_kernels(units):
        return FourierCoefficients(*_ToFourier.apply(units.contiguous()))  # type: ignore[no-untyped-call]
    return _transform(units.permute(0, 2, 1, 3))


def apply_relu(terms: FourierCoefficients, bias: torch.Tensor) -> FourierCoefficients:
    """Add a bias, (experts, 1, channels), and apply ReLU in the group domain."""
    if has_cuda_kernels(terms.irreps_1d):
        return FourierCoefficients(*_ApplyRelu.apply(*terms, bias, False))  # type: ignore[no-untyped-call]
    return _transform(_rectify(terms, bias))


def apply_relu_and_pass(
    terms: FourierCoefficients, bias: torch.Tensor
) -> tuple[FourierCoefficients, FourierCoefficients]:
    """Return the same and the terms themselves, for a skip connection.

    On a GPU the gradients of both are added where those of ReLU are computed.
    """
    if has_cuda_kernels(terms.irreps_1d) and torch.is_grad_enabled():
        found = _ApplyRelu.apply(*terms, bias, True)  # type: ignore[no-untyped-call]
        return FourierCoefficients(*found[:2]), FourierCoefficients(*found[2:])
    return apply_relu(terms, bias), terms


def apply_relu_to_group(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Apply bias and ReLU and stay in the group domain: (experts, positions, 16, channels)."""
    if has_cuda_kernels(terms.irreps_1d):
        units: torch.Tensor = _ApplyReluToGroup.apply(*terms, bias)  # type: ignore[no-untyped-call]
        return units
    return _rectify(terms, bias).permute(0, 2, 1, 3)


def apply_relu_to_mean(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Return the mean over the group of what `apply_relu_to_group` returns."""
    if has_cuda_kernels(terms.irreps_1d):
        mean: torch.Tensor = _ApplyReluToMean.apply(*terms, bias)  # type: ignore[no-untyped-call]
        return mean
    return _rectify(terms, bias).mean(dim=1)


def _rectify(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Apply bias and ReLU in the group domain, (experts, 16, positions, channels)."""
    return torch.relu(_inverse_transform(terms) + bias[:, None])


def convolve(
    terms: FourierCoefficients, by: TorchFourierKernel, plus: FourierCoefficients | None = None
) -> FourierCoefficients:
    """Apply a group convolution, and add `plus` to the result; without gradients in its place."""
    experts, _, positions, channels = terms.irreps_1d.shape
    rows = terms.irreps_1d.reshape(experts * NUM_1D_IRREPS, positions, channels)
    pairs = terms.irreps_2d.reshape(experts * NUM_2D_IRREPS, 2 * positions, 2 * channels)
    to = by.irreps_1d.shape[2]
    signs_shape = (experts, NUM_1D_IRREPS, positions, to)
    planes_shape = (experts, NUM_2D_IRREPS, 2, positions, 2, to)
    if plus is None:
        signs, planes = torch.bmm(rows, by.irreps_1d), torch.bmm(pairs, by.irreps_2d)
    else:
        signs = plus.irreps_1d.reshape(experts * NUM_1D_IRREPS, positions, to)
        planes = plus.irreps_2d.reshape(experts * NUM_2D_IRREPS, 2 * positions, 2 * to)
        if torch.is_grad_enabled():
            signs = torch.baddbmm(signs, rows, by.irreps_1d)
            planes = torch.baddbmm(planes, pairs, by.irreps_2d)
        else:
            # Autocast converts the operands of operations, but not of those in place.
            signs.baddbmm_(rows.to(signs.dtype), by.irreps_1d.to(signs.dtype))
            planes.baddbmm_(pairs.to(planes.dtype), by.irreps_2d.to(planes.dtype))
    return FourierCoefficients(signs.view(signs_shape), planes.view(planes_shape))


def _transform(views: torch.Tensor) -> FourierCoefficients:
    """Transform values by group element, (experts, 16, positions, channels)."""
    experts, _, positions, channels = views.shape
    terms = torch.einsum("sg,egbk->esbk", _basis_tensor(views.dtype, views.device), views)
    planes = terms[:, NUM_1D_IRREPS:].reshape(experts, NUM_2D_IRREPS, 2, 2, positions, channels)
    return FourierCoefficients(terms[:, :NUM_1D_IRREPS], planes.transpose(3, 4))


def _inverse_transform(terms: FourierCoefficients) -> torch.Tensor:
    """Transform back to (experts, 16, positions, channels)."""
    experts, _, positions, channels = terms.irreps_1d.shape
    planes = terms.irreps_2d.transpose(3, 4).reshape(
        experts, GROUP_ORDER - NUM_1D_IRREPS, positions, channels
    )
    joined = torch.cat([terms.irreps_1d, planes], dim=1)
    return torch.einsum("sg,esbk->egbk", _basis_tensor(joined.dtype, joined.device), joined)


# Cached on the device: to copy these constants at each call would stall a GPU.


@cache
def _basis_tensor(kind: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.as_tensor(fourier_basis(), dtype=kind, device=device)


@cache
def _irrep_entries(kind: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return the entries of all irreps, (16, 16): signs; and planes by irrep, row and column."""
    signs, planes = irrep_tensors(kind, device)
    return torch.cat([signs, planes.permute(0, 2, 3, 1).flatten(0, 2)])


@cache
def irrep_tensors(kind: torch.dtype, device: torch.device) -> list[torch.Tensor]:
    """Return the irreps: signs, (8, 16), and matrices, (2, 16, 2, 2)."""
    return [torch.as_tensor(each, dtype=kind, device=device) for each in irreps()]
