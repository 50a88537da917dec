"""Muon: orthogonal updates of group convolutions, Adam for the rest, exact checkpoints."""

import pytest
import torch

from ludus.learn.equivariant import group
from ludus.learn.equivariant.fourier_torch import kernel_from_fourier, kernel_to_fourier
from ludus.learn.equivariant.muon import Muon, orthogonalize, orthogonalize_kernels
from ludus.learn.equivariant.network import EquivariantNetwork, fourier_parameters
from ludus.learn.optimizer import load_optimizer_arrays, optimizer_arrays

IDENTITY = int(group.RELATIVE_ELEMENTS[0, 0])
"""The group element that moves nothing."""


def _expand(kernels):
    return group.expand_group_convolution(kernels, torch.as_tensor(group.RELATIVE_ELEMENTS))


@pytest.mark.parametrize("seed", range(5))
def test_kernels_become_orthogonal_matrices_between_all_units(seed):
    """Near the identity: few steps leave small singular values small, and there are none here."""
    kernels = 0.02 * torch.randn(3, 16, 5, 5, generator=torch.Generator().manual_seed(seed))
    kernels[:, IDENTITY] += torch.eye(5)
    left, _, right = torch.linalg.svd(_expand(kernels.double()))
    updates = kernel_from_fourier(orthogonalize_kernels(kernel_to_fourier(kernels)))
    found = _expand(updates).double()
    # With the singular vectors of the dense matrix, whose values alone have changed.
    values = left.mT @ found @ right.mT
    kept = values.diagonal(dim1=1, dim2=2)
    assert kept.min() > 0.6
    assert kept.max() < 1.25
    assert (values - torch.diag_embed(kept)).abs().max() < 1e-3


def test_the_scale_of_gradients_does_not_matter():
    kernels = torch.randn(2, 16, 3, 3, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(
        orthogonalize_kernels(kernels), orthogonalize_kernels(1e-3 * kernels), atol=1e-3, rtol=0
    )
    assert not orthogonalize_kernels(torch.zeros(1, 16, 3, 3)).any()


@pytest.mark.parametrize("shape", [(3, 7), (7, 3)])
def test_matrices_need_not_be_square(shape):
    matrices = torch.randn(2, *shape, generator=torch.Generator().manual_seed(3))
    values = torch.linalg.svdvals(orthogonalize(matrices))
    assert values.min() > 0.6
    assert values.max() < 1.25


def _network():
    torch.manual_seed(4)
    network = EquivariantNetwork(
        group.POINT_PERMUTATIONS, 3, 4, 2, experts=2, kernel_basis="fourier"
    )
    for kernel in fourier_parameters(network):  # the second of a block is 0 at first
        torch.nn.init.normal_(kernel, std=0.1)
    return network


def _take_steps(network, optimizer, seeds):
    for seed in seeds:
        inputs = torch.randn(2, 8, 24, generator=torch.Generator().manual_seed(seed))
        optimizer.zero_grad(set_to_none=True)
        # The last layer is 0 at first and passes no gradient.
        (network.forward_in_group_domain(inputs).square().mean() + network(inputs).sum()).backward()
        optimizer.step()


def test_updates_are_as_large_as_those_of_adam_and_others_are_adams():
    network, twin = _network(), _network()
    before = [each.detach().clone() for each in network.parameters()]
    muon, adam = Muon(network), torch.optim.Adam(twin.parameters())
    _take_steps(network, muon, [1])
    _take_steps(twin, adam, [1])
    kernels = set(fourier_parameters(network))
    assert len(kernels) == 4
    for old, new, other in zip(before, network.parameters(), twin.parameters(), strict=True):
        if new in kernels:
            size = kernel_from_fourier(new - old).square().mean().sqrt() / 0.001
            assert 0.1 < size < 0.25
        else:
            torch.testing.assert_close(new, other, atol=0, rtol=0)


def test_weights_decay_in_proportion_to_the_learning_rate():
    networks = _network(), _network()
    before = [each.detach().clone() for each in networks[0].parameters()]
    for network, decay in zip(networks, (0.0, 0.5), strict=True):
        _take_steps(network, Muon(network, weight_decay=decay), [1])
    kernels = set(fourier_parameters(networks[0]))
    for old, plain, decayed in zip(before, *(each.parameters() for each in networks), strict=True):
        lost = 0.5 * 0.001 * old if plain in kernels else torch.zeros_like(old)
        torch.testing.assert_close(plain - decayed, lost)


def test_a_restored_state_goes_on_exactly():
    network = _network()
    muon = Muon(network)
    _take_steps(network, muon, [1, 2])
    copy = _network()
    copy.load_state_dict(network.state_dict())
    restored = Muon(copy)
    load_optimizer_arrays(restored, optimizer_arrays(muon))
    for model, optimizer in ((network, muon), (copy, restored)):
        for each in optimizer.param_groups:
            each["lr"] = 0.01
        _take_steps(model, optimizer, [3, 4])
    for one, other in zip(network.parameters(), copy.parameters(), strict=True):
        torch.testing.assert_close(one, other, atol=0, rtol=0)


def test_weights_by_group_element_are_refused():
    with pytest.raises(ValueError, match="kernel_basis"):
        Muon(EquivariantNetwork(group.POINT_PERMUTATIONS, 3, 4, 2))


def test_weights_without_gradients_are_left_alone():
    network = _network()
    muon = Muon(network)
    muon.step()
    assert not muon.state
