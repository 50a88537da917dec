"""Networks of whole numbers in torch: exact evaluation, with gradients for training.

`integers.py` defines every step. Gradients pass through all rounding and clipping unchanged.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from ludus.learn.equivariant import fourier_kernels, fourier_torch, group
from ludus.learn.equivariant.fourier import NUM_1D_IRREPS, NUM_2D_IRREPS
from ludus.learn.equivariant.fourier_kernels import has_cuda_kernels
from ludus.learn.equivariant.fourier_torch import FourierCoefficients, TorchFourierKernel
from ludus.learn.equivariant.group import GROUP_ORDER, Permutations
from ludus.learn.equivariant.integers import (
    COEFFICIENT_SHIFTS,
    MAX_COEFFICIENT,
    MAX_SUM,
    MAX_TERM,
    MEAN_SHIFT,
    integer_irreps,
)


class IntegerLayers(NamedTuple):
    """Weights of networks: whole numbers, those of layers times the powers of two of their rows."""

    filters: Tensor
    """Of the lifting layer, (networks, features, 16 * channels)."""

    biases: Sequence[Tensor]
    """Of the sums before each block and before the last layer, (networks, 1, channels)."""

    blocks: Sequence[fourier_torch.BlockWeights]

    last: Tensor
    """(networks, outputs, channels)"""

    last_bias: Tensor
    """(networks, 1, outputs)"""

    def select_experts(self, experts: Tensor) -> Self:
        """Return the weights of these networks, which may occur several times."""
        return type(self)(
            self.filters[experts],
            [bias[experts] for bias in self.biases],
            [block.select_experts(experts) for block in self.blocks],
            self.last[experts],
            self.last_bias[experts],
        )

    @classmethod
    def from_tensors(
        cls,
        tensors: Mapping[str, Any],
        inputs: Permutations,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
    ) -> Self:
        """Return one network's layers from tensors named by `integers.list_tensor_shapes`."""
        given = {name: torch.as_tensor(each, device=device) for name, each in tensors.items()}
        first = given["first"].float() * power_of_two(-given["first_shift"])[:, None]
        places = torch.as_tensor(group.invert_permutations(inputs), device=device)
        filters = group.expand_lifting(first[None], places)
        total = given["first_bias"].float().view(1, 1, -1)
        biases, blocks = [total], []
        for number in range(sum(name.endswith("layer1") for name in given)):
            name = f"blocks.{number}."
            kernels = []
            for layer in ("1", "2"):
                rows = split_rows(given[f"{name}layer{layer}"][None].float())
                shifts = split_shifts(given[f"{name}shift{layer}"][None].float())
                signs, planes = (
                    row * power_of_two(-shift) for row, shift in zip(rows, shifts, strict=True)
                )
                kernels.append(as_kernel(signs, planes, dtype))
            total = total + given[f"{name}bias2"].float().view(1, 1, -1)
            biases.append(total)
            inner = given[f"{name}bias1"].float().view(1, 1, -1)
            blocks.append(fourier_torch.BlockWeights(kernels[0], inner, kernels[1]))
        last, last_bias = given["last"].float()[None], given["last_bias"].float().view(1, 1, -1)
        return cls(filters.to(dtype).swapaxes(-2, -1), biases, blocks, last, last_bias)


def evaluate_layers(features: Tensor, layers: IntegerLayers) -> Tensor:
    """Return the outputs, whole numbers, (networks, positions, outputs), in double precision."""
    means = find_means(features, layers).double()
    return torch.baddbmm(layers.last_bias.double(), means, layers.last.double().mT)


def project(means: Tensor, layers: IntegerLayers) -> Tensor:
    """Return the outputs for the rounded means."""
    return torch.baddbmm(layers.last_bias, means, layers.last.mT)


def find_means(features: Tensor, layers: IntegerLayers) -> Tensor:
    """Return the rounded means of the last activations, (networks, positions, channels)."""
    kernels: list[Tensor] = []
    for block in layers.blocks:
        kernels += [*block.first, block.bias, *block.second]
    if layers.blocks and has_cuda_kernels(features):
        with torch.autocast(features.device.type, enabled=False):
            means: Tensor = IntegerBody.apply(
                torch.is_grad_enabled(), features, layers.filters, *layers.biases, *kernels
            )  # type: ignore[no-untyped-call]
        return means
    lifted = torch.bmm(features.float(), layers.filters.float())
    sums = lifted.view(*lifted.shape[:2], GROUP_ORDER, -1).transpose(1, 2)
    sums = clip(round_half_even(sums), MAX_SUM)
    for block, bias in zip(layers.blocks, layers.biases, strict=False):
        inner = _convolve(activate(sums, bias), block.first)
        sums = sums + _convolve(activate(inner, block.bias), block.second)
        sums = clip(sums, MAX_SUM)
    total = activate(sums, layers.biases[-1]).sum(dim=1)
    return round_half_even(total * 2.0**-MEAN_SHIFT)


def _convolve(activations: Tensor, kernel: TorchFourierKernel) -> Tensor:
    """Return the rounded sums in the group domain, (networks, 16, positions, channels)."""
    terms = torch.einsum("sg,egbk->esbk", coefficient_table(activations.device), activations)
    terms = clip(round_half_even(terms), MAX_COEFFICIENT)
    networks, _, positions, channels = terms.shape
    planes = terms[:, NUM_1D_IRREPS:].reshape(networks, NUM_2D_IRREPS, 2, 2, positions, channels)
    coefficients = FourierCoefficients(terms[:, :NUM_1D_IRREPS], planes.transpose(3, 4))
    single = TorchFourierKernel(kernel.irreps_1d.float(), kernel.irreps_2d.float())
    found = fourier_torch.convolve(coefficients, single)
    planes = found.irreps_2d.transpose(3, 4).reshape(networks, -1, *found.irreps_1d.shape[2:])
    joined = clip(round_half_even(torch.cat([found.irreps_1d, planes], dim=1)), MAX_TERM)
    sums: Tensor = torch.einsum("sg,esbk->egbk", _irreps(joined.device), joined)
    return sums


@cache
def _irreps(device: torch.device) -> Tensor:
    return torch.as_tensor(integer_irreps(), device=device)


@cache
def coefficient_table(device: torch.device) -> Tensor:
    """Return the irreps with the shifts of their coefficients."""
    return _irreps(device) * power_of_two(-torch.tensor(COEFFICIENT_SHIFTS, device=device))[:, None]


class _Round(Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        return values.round()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


class _Clip(Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, size: float) -> Tensor:
        return values.clamp(-size, size)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


def round_half_even(values: Tensor) -> Tensor:
    """Round to whole numbers; the gradient passes unchanged."""
    found: Tensor = _Round.apply(values)  # type: ignore[no-untyped-call]
    return found


def clip(values: Tensor, size: float) -> Tensor:
    """Clip to ±size; the gradient passes unchanged."""
    found: Tensor = _Clip.apply(values, size)  # type: ignore[no-untyped-call]
    return found


def activate(sums: Tensor, bias: Tensor) -> Tensor:
    """Return the activations of sums, (networks, 16, positions, channels)."""
    return clip(torch.relu(sums + bias[:, None]), MAX_SUM)


class IntegerBody(Function):
    """All layers but the last on a GPU; the arguments are those of `IntegerLayers` in order.

    Products of weights and coefficients, both exact in bfloat16, are added up in single precision.
    Gradients of the sums are coefficients in the orthonormal Fourier basis F, as in
    `fourier_kernels`: the irreps are U = N F, N the norms of their rows, and what belongs to them
    is a factor of the small matrices of weights.
    """

    @staticmethod
    def forward(
        ctx: Any, is_kept: bool, features: Tensor, filters: Tensor, *rest: Tensor
    ) -> Tensor:
        num_blocks = (len(rest) - 1) // 6
        biases = [bias.float().contiguous() for bias in rest[: num_blocks + 1]]
        lifted = _multiply(features, filters)
        networks, positions, units = lifted.shape
        shape = networks, positions, units // GROUP_ORDER
        like = features.new_empty(0)
        sums = torch.empty(lifted.shape, dtype=torch.int16, device=lifted.device)
        hidden = fourier_kernels.empty_coefficients(like, *shape)
        mask = fourier_kernels.empty_mask(like, shape) if is_kept else None
        run = fourier_kernels.run_kernel
        run("integer_lift", shape, like, lifted, biases[0], mask, sums, *hidden)
        kept = [hidden], [mask]
        means = lifted.new_empty(networks, positions, units // GROUP_ORDER)
        del lifted
        for number in range(num_blocks):
            first = number * 5 + num_blocks + 1
            *first_kernel, inner_bias, second_signs, second_planes = rest[first : first + 5]
            inner = fourier_kernels.empty_coefficients(like, *shape)
            mask = fourier_kernels.empty_mask(like, shape) if is_kept else None
            products = _convolve_kernels(hidden, first_kernel)
            bias = inner_bias.float().contiguous()
            run("integer_relu", shape, like, *products, bias, mask, *inner)
            kept[0].append(inner)
            kept[1].append(mask)
            products = _convolve_kernels(inner, (second_signs, second_planes))
            mask = fourier_kernels.empty_mask(like, shape) if is_kept else None
            kept[1].append(mask)
            bias = biases[number + 1]
            if number == num_blocks - 1:
                run("integer_mean", shape, like, *products, bias, mask, sums, means)
                break
            hidden = fourier_kernels.empty_coefficients(like, *shape)
            run("integer_add", shape, like, *products, bias, mask, sums, *hidden)
            kept[0].append(hidden)
        if is_kept:
            ctx.shape, ctx.num_blocks = shape, num_blocks
            coefficients = [each for pair in kept[0] for each in pair]
            kernels = [
                rest[num_blocks + 1 + 5 * number + place]
                for number in range(num_blocks)
                for place in (0, 1, 3, 4)
            ]
            ctx.save_for_backward(features, *coefficients, *kept[1], *kernels)
        return means

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        blocks, shape = ctx.num_blocks, ctx.shape
        features, *saved = ctx.saved_tensors
        coefficients = [(saved[2 * i], saved[2 * i + 1]) for i in range(2 * blocks)]
        masks = saved[4 * blocks : 6 * blocks + 1]
        kernels = saved[6 * blocks + 1 :]
        run, empty = fourier_kernels.run_kernel, fourier_kernels.empty_coefficients
        find_bias_gradient = fourier_kernels.find_bias_gradient
        given = (gradients[0] * 2.0**-MEAN_SHIFT * GROUP_ORDER).to(features.dtype)
        total = empty(given, *shape)
        run("relu_to_mean_backward", shape, given, masks[-1], given.contiguous(), *total)
        bias_gradients = [find_bias_gradient(total[0][:, 0])]
        block_gradients: list[Tensor] = []
        trivial = given.new_empty(shape)
        units = None
        for number in reversed(range(blocks)):
            hidden, inner = coefficients[2 * number : 2 * number + 2]
            first, second = kernels[4 * number : 4 * number + 2], kernels[4 * number + 2 :][:2]
            second_gradient = _kernel_gradients(inner, total)
            passed = _pass_back(total, second)
            found = empty(given, *shape)
            nothing = None, None, None
            run("relu_backward", shape, given, masks[2 * number + 1], *passed, *nothing, *found)
            first_gradient = _kernel_gradients(hidden, found)
            inner_bias = find_bias_gradient(found[0][:, 0])
            block_gradients[:0] = [*first_gradient, inner_bias, *second_gradient]
            passed = _pass_back(found, first)
            if number:
                run(
                    "relu_backward",
                    shape,
                    given,
                    masks[2 * number],
                    *passed,
                    *total,
                    trivial,
                    *found,
                )
                total = found
            else:
                units = given.new_empty(shape[0], shape[1], GROUP_ORDER * shape[2])
                run("lift_backward", shape, given, masks[0], *passed, *total, trivial, units)
            bias_gradients.insert(0, find_bias_gradient(trivial))
        assert units is not None
        filters = torch.bmm(features.mT, units)
        return None, None, filters, *bias_gradients, *block_gradients


def _multiply(one: Tensor, other: Tensor) -> Tensor:
    """Return the products in single precision."""
    if one.dtype == torch.float32:
        return torch.bmm(one, other)
    return torch.bmm(one, other, out_dtype=torch.float32)


def _convolve_kernels(terms: tuple[Tensor, Tensor], by: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    pairs = zip(fourier_kernels.as_matrices(*terms), by, strict=True)
    signs, planes = (_multiply(*pair) for pair in pairs)
    return signs, planes


def _pass_back(
    gradients: tuple[Tensor, Tensor], kernels: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:
    """Return the gradients of the activations that a convolution reads."""
    networks, _, positions, channels = gradients[0].shape
    sign_factors, plane_factor = row_factors(kernels[0].device)
    by = (
        (kernels[0] / sign_factors.to(kernels[0].dtype).repeat(networks, 1, 1)).mT,
        (kernels[1] / plane_factor).mT,
    )
    pairs = zip(fourier_kernels.as_matrices(*gradients), by, strict=True)
    signs, planes = (torch.bmm(*pair) for pair in pairs)
    return (
        signs.view(networks, NUM_1D_IRREPS, positions, channels),
        planes.view(networks, NUM_2D_IRREPS, 2, positions, 2, channels),
    )


def _kernel_gradients(
    terms: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    signs, planes = fourier_kernels.find_kernel_gradients(terms, gradients)
    return signs * GROUP_ORDER**0.5, planes * (GROUP_ORDER / 2) ** 0.5


def power_of_two(exponents: Tensor) -> Tensor:
    """Return 2 to these whole numbers, from -126 to 127, in single precision.

    The bits are put together: functions of a GPU's library may be wrong in the last one.
    """
    return ((exponents.to(torch.int32) + 127) << 23).view(torch.float32)


def split_rows(kernel: Tensor) -> tuple[Tensor, Tensor]:
    """Return a kernel, (networks, 16, to, from), as rows of signs and of planes."""
    networks, _, to, frm = kernel.shape
    signs, planes = fourier_torch.split_irreps(kernel)
    return signs, planes.reshape(networks, NUM_2D_IRREPS, 2 * to, 2 * frm)


def split_shifts(shifts: Tensor) -> tuple[Tensor, Tensor]:
    """Return shifts, (networks, 12, to), as those of signs and planes, with columns of length 1."""
    networks, _, to = shifts.shape
    signs, planes = shifts[:, :NUM_1D_IRREPS], shifts[:, NUM_1D_IRREPS:]
    return signs[..., None], planes.reshape(networks, NUM_2D_IRREPS, 2 * to, 1)


def as_kernel(signs: Tensor, planes: Tensor, dtype: torch.dtype) -> TorchFourierKernel:
    return TorchFourierKernel(signs.to(dtype).flatten(0, 1).mT, planes.to(dtype).flatten(0, 1).mT)


@cache
def row_factors(device: torch.device) -> tuple[Tensor, Tensor]:
    """Return what weights of signs and planes are multiplied by for coefficients in whole numbers:
    their shifts, and squared norms of the irreps."""
    shifts = torch.tensor(COEFFICIENT_SHIFTS[:NUM_1D_IRREPS], device=device)
    factors = 2.0**shifts / GROUP_ORDER
    plane = torch.tensor(2.0 ** COEFFICIENT_SHIFTS[-1] / (GROUP_ORDER / 2), device=device)
    return factors[:, None, None], plane
