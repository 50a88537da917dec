"""Group convolutions in the Fourier basis in torch.

They compute the same as layers in the group domain (`network.py`) with a tenth of the work. ReLU is
applied in that domain, so units are transformed there and back between two layers: on a GPU by the
kernels of `fourier_kernels`, elsewhere by two products with a small matrix.
"""

from functools import cache
from typing import NamedTuple, Self

import numpy as np
import torch

from ludus.learn.equivariant.fourier import NUM_1D_IRREPS, NUM_2D_IRREPS, fourier_basis, irreps
from ludus.learn.equivariant.fourier_kernels import (
    ApplyReluToGroup,
    ApplyReluToMean,
    ResidualBlock,
    has_cuda_kernels,
)
from ludus.learn.equivariant.group import GROUP_ORDER


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


def _select_matrices(
    matrices: torch.Tensor, per_expert: int, experts: torch.Tensor
) -> torch.Tensor:
    grouped = matrices.view(-1, per_expert, *matrices.shape[1:])
    return grouped[experts].flatten(0, 1)


def transform_kernel(steps: torch.Tensor, kind: torch.dtype) -> TorchFourierKernel:
    """Transform weights of a group convolution, (experts, 16, to, from), to the Fourier basis.

    The results are transposed views, so that nothing is moved but the planes' rows.
    """
    experts, _, to, frm = steps.shape
    signs, pairs = _to_irreps(steps)
    return TorchFourierKernel(
        signs.to(kind).reshape(experts * NUM_1D_IRREPS, to, frm).mT,
        pairs.to(kind).reshape(experts * NUM_2D_IRREPS, 2 * to, 2 * frm).mT,
    )


def _to_irreps(steps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return signs, (experts, 8, to, from), and planes, (experts, 2, 2, to, 2, from)."""
    experts, _, to, frm = steps.shape
    entries = _irrep_entries(steps.dtype, steps.device)
    terms = torch.matmul(entries, steps.reshape(experts, GROUP_ORDER, to * frm)).view(steps.shape)
    signs, planes = split_irreps(terms)
    return signs, planes.reshape(experts, NUM_2D_IRREPS, 2, 2, to, frm).transpose(3, 4)


def to_fourier(units: torch.Tensor) -> FourierCoefficients:
    """Transform units, (experts, positions, 16, channels), to Fourier coefficients."""
    return _transform(units.permute(0, 2, 1, 3))


def apply_relu(terms: FourierCoefficients, bias: torch.Tensor) -> FourierCoefficients:
    """Add a bias, (experts, 1, channels), and apply ReLU in the group domain."""
    return _transform(rectify_to_group(terms, bias))


def split_irreps(kernel: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return signs and planes of a kernel, (experts, 16, to, from), in the Fourier basis."""
    signs, planes = torch.split(kernel, [NUM_1D_IRREPS, GROUP_ORDER - NUM_1D_IRREPS], dim=1)
    return signs, planes


def kernel_to_fourier(steps: torch.Tensor) -> torch.Tensor:
    """Return weights of a group convolution, (experts, 16, to, from), in the Fourier basis.

    Signs, (experts, 8, to, from), are followed by planes, (experts, 8, to, from), whose memory is
    that of matrices, (experts, 2, 2 * to, 2 * from): those of `TorchFourierKernel`, transposed.
    """
    signs, pairs = _to_irreps(steps)
    return torch.cat([signs, pairs.reshape(signs.shape)], dim=1)


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
            found = ResidualBlock.apply(torch.is_grad_enabled(), *given, bias, block.bias, *kernels)  # type: ignore[no-untyped-call]
        return FourierCoefficients(*found)
    terms = to_fourier(units) if isinstance(units, torch.Tensor) else units
    inner = apply_relu(convolve(apply_relu(terms, bias), block.first), block.bias)
    return convolve(inner, block.second, plus=terms)


def apply_relu_to_group(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Apply bias and ReLU and stay in the group domain: (experts, positions, 16, channels)."""
    if has_cuda_kernels(terms.irreps_1d):
        units: torch.Tensor = ApplyReluToGroup.apply(torch.is_grad_enabled(), *terms, bias)  # type: ignore[no-untyped-call]
        return units
    return rectify_to_group(terms, bias).permute(0, 2, 1, 3)


def apply_relu_to_mean(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
    """Return the mean over the group of what `apply_relu_to_group` returns."""
    if has_cuda_kernels(terms.irreps_1d):
        mean: torch.Tensor = ApplyReluToMean.apply(torch.is_grad_enabled(), *terms, bias)  # type: ignore[no-untyped-call]
        return mean
    return rectify_to_group(terms, bias).mean(dim=1)


def rectify_to_group(terms: FourierCoefficients, bias: torch.Tensor) -> torch.Tensor:
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
    signs, planes = irreps()
    entries = np.concatenate([signs, planes.transpose(0, 2, 3, 1).reshape(-1, GROUP_ORDER)])
    return torch.as_tensor(entries, dtype=kind, device=device)
