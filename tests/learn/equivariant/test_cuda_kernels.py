"""The kernels for GPUs against the plain way, which the processor's tests have checked."""

import pytest
import torch

from ludus.learn.equivariant import fourier_torch
from ludus.learn.equivariant.group import GROUP_ORDER

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")

EXPERTS, POSITIONS, CHANNELS = 3, 37, 22


def way(units, bias, steps, device, kind):
    """Through all kernels, there and back; what comes out, and the slopes of what went in."""
    given = [each.detach().to(device, kind, copy=True) for each in (units, steps)]
    given.append(bias.detach().to(device, copy=True))
    for each in given:
        each.requires_grad_()
    terms = fourier_torch.to_fourier(given[0])
    layer = fourier_torch.transform_kernel(given[1], kind)
    mixed = fourier_torch.convolve(fourier_torch.apply_relu(terms, given[2]), layer, plus=terms)
    found = fourier_torch.apply_relu_to_group(mixed, given[2])
    torch.manual_seed(2)
    found.backward(torch.randn(found.shape).to(found))
    return [found, *(each.grad for each in given)]


def test_kernels_do_what_the_plain_way_does():
    torch.manual_seed(1)
    units = torch.randn(EXPERTS, POSITIONS, GROUP_ORDER, CHANNELS).bfloat16()
    steps = (
        torch.randn(EXPERTS, GROUP_ORDER, CHANNELS, CHANNELS) / (GROUP_ORDER * CHANNELS) ** 0.5
    ).bfloat16()
    bias = torch.randn(EXPERTS, 1, CHANNELS)
    assert fourier_torch.has_cuda_kernels(units.cuda())
    plain = way(units, bias, steps, "cpu", torch.float32)
    quick = way(units, bias, steps, "cuda", torch.bfloat16)
    apart = [
        float((one - other.detach().cpu().float()).norm() / one.norm())
        for one, other in zip(plain, quick, strict=True)
    ]
    assert apart[0] < 0.02, apart  # bfloat16 has eight bits
    # Units near zero may be rounded to the other side, where the rectifier has another slope.
    assert max(apart[1:]) < 0.1, apart
