"""Group convolutions in the Fourier basis in torch, with CUDA kernels and their gradients
(native/cuda/group_fourier.cu).

They compute the same as the layers of `model.EquivariantNetwork` with a tenth of the work. ReLU is
applied in the group domain, so units are transformed there and back between two layers: by one CUDA
kernel on a GPU, elsewhere by two products with a small matrix. On a GPU a residual block is one
autograd function, which keeps the inputs of its products and one bit for each unit.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple, Self

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

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


KernelShape = tuple[int, int, int]
"""Experts, positions and channels."""


class _ResidualBlock(Function):
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
            skip, hidden = (_empty_coefficients(lifted, *shape) for _ in range(2))
            mask = _empty_mask(lifted, shape) if is_kept else None
            _run_kernel("lift", shape, lifted, lifted, _bias_of(bias), mask, *skip, *hidden)
        else:
            assert signs is not None
            assert planes is not None
            skip = signs, planes
            ctx.mark_dirty(signs, planes)
            hidden, mask = _apply_relu(signs, planes, bias, is_kept)
        inner = _multiply(hidden, kernels[:2])
        inner, inner_mask = _apply_relu(*inner, inner_bias, is_kept)
        for rows, by, total in zip(
            _as_matrices(*inner), kernels[2:], _as_matrices(*skip), strict=True
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
        second = _kernel_gradients(inner, given)
        found = _empty_coefficients(signs, *shape)
        passed = _multiply(given, tuple(each.mT for each in kernels[2:]))
        _run_kernel("relu_backward", shape, signs, inner_mask, *passed, None, None, None, *found)
        inner_bias = _bias_gradient(found[0][:, 0])
        first = _kernel_gradients(hidden, found)
        passed = _multiply(found, tuple(each.mT for each in kernels[:2]))
        trivial = signs.new_empty(shape)
        results: tuple[Tensor | None, Tensor | None, Tensor | None]
        if ctx.is_lifted:
            units = signs.new_empty(experts, positions, GROUP_ORDER, channels)
            _run_kernel("lift_backward", shape, signs, mask, *passed, *given, trivial, units)
            results = units, None, None
        else:
            _run_kernel("relu_backward", shape, signs, mask, *passed, *given, trivial, *found)
            results = None, *found
        return None, *results, _bias_gradient(trivial), inner_bias, *first, *second


class _ApplyReluToGroup(Function):
    @staticmethod
    def forward(ctx: Any, is_kept: bool, signs: Tensor, planes: Tensor, bias: Tensor) -> Tensor:
        experts, _, positions, channels = signs.shape
        found = signs.new_empty(experts, positions, GROUP_ORDER, channels)
        return _run_last_relu("relu_to_group", ctx, is_kept, (signs, planes), bias, found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return _run_last_relu_backward("relu_to_group_backward", ctx, gradients)


class _ApplyReluToMean(Function):
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
    mask = _empty_mask(signs, shape) if is_kept else None
    _run_kernel(name, shape, signs, signs, planes, _bias_of(bias), mask, found)
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
    found = _empty_coefficients(given, *ctx.shape)
    _run_kernel(name, ctx.shape, given, mask, given, *found)
    return None, *found, _bias_gradient(found[0][:, 0])


def _apply_relu(
    signs: Tensor, planes: Tensor, bias: Tensor, is_kept: bool
) -> tuple[tuple[Tensor, Tensor], Tensor | None]:
    """Return the coefficients after ReLU and, if it is to be kept, its mask."""
    experts, _, positions, channels = signs.shape
    shape = experts, positions, channels
    found = _empty_coefficients(signs, *shape)
    mask = _empty_mask(signs, shape) if is_kept else None
    _run_kernel("relu", shape, signs, signs, planes, _bias_of(bias), mask, *found)
    return found, mask


def _multiply(terms: tuple[Tensor, Tensor], by: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Return the products of coefficients with kernels, both as (signs, planes)."""
    experts, _, positions, _ = terms[0].shape
    signs, planes = (torch.bmm(*pair) for pair in zip(_as_matrices(*terms), by, strict=True))
    channels = signs.shape[2]
    return (
        signs.view(experts, NUM_1D_IRREPS, positions, channels),
        planes.view(experts, NUM_2D_IRREPS, 2, positions, 2, channels),
    )


def _kernel_gradients(
    terms: tuple[Tensor, ...], gradients: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor]:
    """Return the gradients of kernels; transposed, because kernels are transposed matrices."""
    pairs = zip(_as_matrices(*gradients), _as_matrices(*terms), strict=True)
    signs, planes = (torch.bmm(gradient.mT, each).mT for gradient, each in pairs)
    return signs, planes


def _as_matrices(signs: Tensor, planes: Tensor) -> tuple[Tensor, Tensor]:
    """View coefficients as matrices, (irreps, rows, columns), in the same memory."""
    experts, _, positions, channels = signs.shape
    return (
        signs.view(experts * NUM_1D_IRREPS, positions, channels),
        planes.view(experts * NUM_2D_IRREPS, 2 * positions, 2 * channels),
    )


def _bias_of(bias: Tensor) -> Tensor:
    return bias.float().contiguous()


def _empty_mask(like: Tensor, shape: KernelShape) -> Tensor:
    """Return memory for one bit for each unit: 32 for two channels of all group elements."""
    experts, positions, channels = shape
    return torch.empty(experts, positions, channels // 2, dtype=torch.int32, device=like.device)


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


def _run_kernel(name: str, shape: KernelShape, like: Tensor, *tensors: Tensor | None) -> None:
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

    def select_experts(self, experts: torch.Tensor) -> Self:
        """Return the kernels of these experts; the memory stays in the order that products read."""
        return type(self)(
            _select_matrices(self.irreps_1d.mT, NUM_1D_IRREPS, experts).mT,
            _select_matrices(self.irreps_2d.mT, NUM_2D_IRREPS, experts).mT,
        )


def _select_matrices(matrices: Tensor, per_expert: int, experts: Tensor) -> Tensor:
    grouped = matrices.view(-1, per_expert, *matrices.shape[1:])
    return grouped[experts].flatten(0, 1)


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
    return _transform(units.permute(0, 2, 1, 3))


def apply_relu(terms: FourierCoefficients, bias: torch.Tensor) -> FourierCoefficients:
    """Add a bias, (experts, 1, channels), and apply ReLU in the group domain."""
    return _transform(_rectify(terms, bias))


def split_irreps(kernel: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return signs and planes of a kernel, (experts, 16, to, from), in the Fourier basis."""
    signs, planes = torch.split(kernel, [NUM_1D_IRREPS, GROUP_ORDER - NUM_1D_IRREPS], dim=1)
    return signs, planes


def kernel_to_fourier(steps: torch.Tensor) -> torch.Tensor:
    """Return weights of a group convolution, (experts, 16, to, from), in the Fourier basis.

    Signs, (experts, 8, to, from), are followed by planes, (experts, 8, to, from), whose memory is
    that of matrices, (experts, 2, 2 * to, 2 * from): those of `TorchFourierKernel`, transposed.
    """
    experts, _, to, frm = steps.shape
    entries = _irrep_entries(steps.dtype, steps.device)
    terms = torch.matmul(entries, steps.reshape(experts, GROUP_ORDER, to * frm)).view(steps.shape)
    signs, planes = split_irreps(terms)
    pairs = planes.reshape(experts, NUM_2D_IRREPS, 2, 2, to, frm).transpose(3, 4)
    return torch.cat([signs, pairs.reshape(planes.shape)], dim=1)


def kernel_from_fourier(kernel: torch.Tensor) -> torch.Tensor:
    """Return the weights of a group convolution that `kernel_to_fourier` has transformed."""
    experts, _, to, frm = kernel.shape
    signs, planes = split_irreps(kernel)
    pairs = planes.reshape(experts, NUM_2D_IRREPS, 2, to, 2, frm).transpose(3, 4)
    # Irreps count by their dimension.
    terms = torch.cat([signs, 2 * pairs.reshape(planes.shape)], dim=1) / GROUP_ORDER
    entries = _irrep_entries(kernel.dtype, kernel.device)
    steps: torch.Tensor = torch.matmul(entries.T, terms.flatten(2)).view(kernel.shape)
    return steps


def split_kernel(kernel: torch.Tensor, kind: torch.dtype) -> TorchFourierKernel:
    """Return a kernel in the Fourier basis as matrices of this type."""
    _, _, to, frm = kernel.shape
    signs, planes = split_irreps(kernel)
    return TorchFourierKernel(
        signs.to(kind).reshape(-1, to, frm).mT, planes.to(kind).reshape(-1, 2 * to, 2 * frm).mT
    )


class BlockWeights(NamedTuple):
    """Weights of a residual block, without the bias of its output."""

    first: TorchFourierKernel

    bias: torch.Tensor
    """Of the first convolution, (experts, 1, channels)."""

    second: TorchFourierKernel

    def select_experts(self, experts: torch.Tensor) -> Self:
        """Return the weights of these experts."""
        return type(self)(
            self.first.select_experts(experts),
            self.bias[experts],
            self.second.select_experts(experts),
        )


def apply_block(
    units: FourierCoefficients | torch.Tensor, bias: torch.Tensor, block: BlockWeights
) -> FourierCoefficients:
    """Apply a residual block: ReLU, convolution, ReLU, convolution, plus the input.

    `units` lack a bias, (experts, 1, channels), which is added before ReLU only; those of the first
    block are in the group domain, (experts, positions, 16, channels). Coefficients may be
    overwritten.
    """
    values = units if isinstance(units, torch.Tensor) else units.irreps_1d
    if has_cuda_kernels(values):
        kernels = (each.to(values.dtype) for each in (*block.first, *block.second))
        given = (values.contiguous(), None, None) if values is units else (None, *units)
        with torch.autocast(values.device.type, enabled=False):
            found = _ResidualBlock.apply(
                torch.is_grad_enabled(), *given, bias, block.bias, *kernels
            )  # type: ignore[no-untyped-call]
        return FourierCoefficients(*found)
    terms = to_fourier(units) if isinstance(units, torch.Tensor) else units
    inner = apply_relu(convolve(apply_relu(terms, bias), block.first), block.bias)
    return convolve(inner, block.second, plus=terms)


def apply_relu_to_group(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Apply bias and ReLU and stay in the group domain: (experts, positions, 16, channels)."""
    if has_cuda_kernels(terms.irreps_1d):
        units: torch.Tensor = _ApplyReluToGroup.apply(torch.is_grad_enabled(), *terms, bias)  # type: ignore[no-untyped-call]
        return units
    return _rectify(terms, bias).permute(0, 2, 1, 3)


def apply_relu_to_mean(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Return the mean over the group of what `apply_relu_to_group` returns."""
    if has_cuda_kernels(terms.irreps_1d):
        mean: torch.Tensor = _ApplyReluToMean.apply(torch.is_grad_enabled(), *terms, bias)  # type: ignore[no-untyped-call]
        return mean
    return _rectify(terms, bias).mean(dim=1)


def _rectify(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Apply bias and ReLU in the group domain, (experts, 16, positions, channels)."""
    return torch.relu(_inverse_transform(terms) + bias[:, None])


def convolve(
    terms: FourierCoefficients, by: TorchFourierKernel, plus: FourierCoefficients | None = None
) -> FourierCoefficients:
    """Apply a group convolution, and add `plus` to the result."""
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
        signs = torch.baddbmm(signs, rows, by.irreps_1d)
        planes = torch.baddbmm(planes, pairs, by.irreps_2d)
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
