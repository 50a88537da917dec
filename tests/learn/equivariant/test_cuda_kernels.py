"""The CUDA kernels, on a GPU and compiled for the CPU, against torch, which other tests check."""

import pytest
import torch

from ludus.learn.equivariant import fourier_kernels, fourier_torch
from ludus.learn.equivariant.group import GROUP_ORDER
from support.cuda_on_cpu import compile_for_cpu, use_on_cpu

EXPERTS, POSITIONS, CHANNELS = 3, 17, 22

TOLERANCES = {
    # bfloat16 has eight bits. In the gradients, a unit near zero may be rounded to the other side,
    # where ReLU has another slope.
    torch.bfloat16: (0.02, 0.1),
    torch.float32: (1e-5, 1e-5),
}
"""Largest relative errors of the output and of the gradients, by type."""


def run_blocks(units, weights, bias, device, dtype, is_averaged):
    """Return the output of two residual blocks and the gradients of their three inputs.

    They use every kernel, forward and backward, with the mean over the group at the end or all
    units.
    """
    units = units.to(device, dtype, copy=True).requires_grad_()
    weights = weights.to(device, dtype, copy=True).requires_grad_()
    bias = bias.to(device, copy=True).requires_grad_()
    kernel = fourier_torch.transform_kernel(weights, dtype)
    block = fourier_torch.BlockWeights(kernel, bias, kernel)
    total = fourier_torch.apply_block(fourier_torch.apply_block(units, bias, block), bias, block)
    finish = fourier_torch.apply_relu_to_mean if is_averaged else fourier_torch.apply_relu_to_group
    output = finish(total, bias)
    torch.manual_seed(2)
    output.backward(torch.randn(output.shape).to(output))
    return output.detach(), units.grad, weights.grad, bias.grad


def compare(device, dtype, is_averaged, use_kernels):
    torch.manual_seed(1)
    units = torch.randn(EXPERTS, POSITIONS, GROUP_ORDER, CHANNELS).to(dtype)
    weights = torch.randn(EXPERTS, GROUP_ORDER, CHANNELS, CHANNELS)
    weights = (weights / (GROUP_ORDER * CHANNELS) ** 0.5).to(dtype)
    bias = torch.randn(EXPERTS, 1, CHANNELS)
    expected = run_blocks(units, weights, bias, "cpu", torch.float32, is_averaged)
    use_kernels()
    assert fourier_torch.has_cuda_kernels(units.to(device))
    found = run_blocks(units, weights, bias, device, dtype, is_averaged)
    errors = [
        float((one - other.cpu().float()).norm() / one.norm())
        for one, other in zip(expected, found, strict=True)
    ]
    output_tolerance, gradient_tolerance = TOLERANCES[dtype]
    assert errors[0] < output_tolerance, errors
    assert max(errors[1:]) < gradient_tolerance, errors


averaged = pytest.mark.parametrize("is_averaged", [False, True], ids=["units", "mean"])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@averaged
@pytest.mark.parametrize("dtype", fourier_kernels.KERNEL_DTYPES)
def test_kernels_agree_with_torch_on_a_gpu(dtype, is_averaged):
    compare("cuda", dtype, is_averaged, lambda: None)


@averaged
def test_kernels_agree_with_torch_on_a_cpu(is_averaged, monkeypatch, tmp_path_factory):
    """In single precision; torch multiplies no bfloat16 matrices into single precision on a CPU."""
    library = compile_for_cpu("group_fourier", tmp_path_factory.getbasetemp())

    def use_kernels():
        use_on_cpu(monkeypatch, fourier_kernels, library)
        monkeypatch.setattr(fourier_torch, "has_cuda_kernels", lambda units: True)

    compare("cpu", torch.float32, is_averaged, use_kernels)
