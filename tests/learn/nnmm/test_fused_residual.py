"""Residual networks with one kernel between two products compute what their layers compute."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.nnmm import fused_residual, network_groups
from ludus.learn.nnmm.config import NetworkConfig, TrainingConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS
from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.fused_residual import (
    ALIGNMENT,
    _Activation,
    _NormFunction,
    is_fusable,
    make_dropout_mask,
)
from ludus.learn.nnmm.model import build_network
from ludus.learn.nnmm.stacked import StackedNetworks
from ludus.learn.nnmm.train import NetworkTrainer

DESIGN = NetworkConfig(first=16, units=12, blocks=3)
COLUMNS = INPUT_MODELS["raw"].columns(0)


def build_networks(design: NetworkConfig, number: int = 2) -> list[nn.Module]:
    return [
        build_network(design, COLUMNS, torch.Generator().manual_seed(seed))
        for seed in range(number)
    ]


@pytest.mark.parametrize(
    "design",
    [
        DESIGN,
        replace(DESIGN, first=20, units=16),
        replace(DESIGN, batch_normalisation=True),
        replace(DESIGN, first=20, units=16, batch_normalisation=True),
    ],
    ids=["inner width padded", "outer width padded", "norms", "norms, outer width padded"],
)
def test_outputs_gradients_and_statistics_are_those_of_the_layers(design: NetworkConfig) -> None:
    """Widths of inputs and layers are padded, which must not be seen."""
    assert {COLUMNS.width % ALIGNMENT, design.first % ALIGNMENT, design.widths[0] % ALIGNMENT} > {0}
    networks = build_networks(design)
    plain, fused = StackedNetworks(networks), StackedNetworks(networks, is_fused=True)
    inputs = torch.rand((2, 50, COLUMNS.width), generator=torch.Generator().manual_seed(1))
    for _ in range(2):
        outputs = [each(inputs) for each in (plain, fused)]
        assert outputs[0].abs().max() > 1
        torch.testing.assert_close(*outputs, atol=1e-4, rtol=1e-4)
        for each in outputs:
            each.square().mean().backward()
    for (name, one), (_, other) in zip(
        plain.named_parameters(), fused.named_parameters(), strict=True
    ):
        assert one.grad is not None, name
        # A bias before a norm has no effect, and no gradient but rounding errors.
        has_effect = not (design.batch_normalisation and name.endswith("layer1.bias"))
        assert (one.grad.abs().max() > 1e-5) == has_effect, name
        torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-3)
    buffers = dict(plain.named_buffers())
    assert len(buffers) == (18 if design.batch_normalisation else 0)
    for name, values in fused.named_buffers():
        torch.testing.assert_close(values, buffers[name], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(plain.eval()(inputs), fused.eval()(inputs), atol=1e-4, rtol=1e-4)


def test_inner_units_and_inputs_are_dropped_in_training_only() -> None:
    networks = build_networks(replace(DESIGN, dropout=0.5, input_dropout=0.25))
    fused = StackedNetworks(networks, is_fused=True)
    assert [layer.name for layer in fused.dropouts] == ["input_drop.mask"]
    inputs = torch.ones(2, 4, COLUMNS.width)
    assert torch.equal(fused.eval()(inputs), StackedNetworks(networks).eval()(inputs))
    fused.train()
    first = fused(inputs)
    assert torch.equal(first, fused(inputs)), "the same seed, the same masks"
    fused.mask_seed.add_(1)
    assert not torch.equal(first, fused(inputs))


def mix(number: int) -> int:
    """The published hash lowbias32 in plain integers."""
    number ^= number >> 16
    number = number * 0x7FEB352D % 2**32
    number ^= number >> 15
    number = number * 0x846CA68B % 2**32
    return number ^ number >> 16


def test_masks_are_the_published_hash_of_seed_layer_and_place() -> None:
    kept, seed, layer, shape = (0.9, 0.5), 2**33 + 77, 3, (2, 5, 4)
    found = make_dropout_mask(torch.tensor(kept), torch.tensor(seed), layer, shape).flatten()
    start = mix(seed % 2**32 ^ mix(layer + 1))
    for place, is_kept in enumerate(found.tolist()):
        number = mix((start + place // 2) % 2**32)
        half = number >> 16 if place % 2 else number & 0xFFFF
        assert is_kept == (half < int(kept[place // 20] * 65536)), place


def test_masks_keep_the_wanted_proportion() -> None:
    kept = torch.tensor([0.9, 0.5, 1.0])
    shape = (3, 1000, 300)
    masks = [make_dropout_mask(kept, torch.tensor(seed), 0, shape) for seed in (1, 2)]
    for mask in masks:
        torch.testing.assert_close(mask.float().mean((1, 2)), kept, atol=0.003, rtol=0)
    both = (masks[0] & masks[1]).float().mean((1, 2))
    torch.testing.assert_close(both, kept.square(), atol=0.004, rtol=0)
    rows = masks[0].float().mean(2)
    assert rows[1].std() < 0.035, "rows are dropped independently of each other"


def compare_with_plain_layers(device: str, dtype: torch.dtype, tolerance: float) -> None:
    generator = torch.Generator(device).manual_seed(5)

    def normal(*shape: int, dtype: torch.dtype = dtype) -> Tensor:
        return torch.randn(shape, generator=generator, device=device).to(dtype).requires_grad_()

    kept = torch.tensor([0.9, 0.5], device=device)
    seed = torch.tensor(1234567, device=device)
    shape = (2, 131, 300)
    for has_skip in (False, True):
        product, bias = normal(*shape), normal(2, 300, dtype=torch.float32)
        skip = normal(*shape) if has_skip else None
        given = [each for each in (product, bias, skip) if each is not None]
        found = _Activation.apply(product, bias, skip, kept, seed, 5, True)
        total = product.float() + bias[:, None]
        total = total if skip is None else total + skip.float()
        mask = make_dropout_mask(kept, seed, 5, shape)
        wanted = total, torch.relu(total) * mask / kept[:, None, None]
        gradients = [normal(*shape).detach() for _ in range(2)]
        results = torch.autograd.grad(found, given, gradients)
        expected = torch.autograd.grad(wanted, given, [each.float() for each in gradients])
        for one, other in zip((*found, *results), (*wanted, *expected), strict=True):
            error = (one.float() - other.float()).norm() / other.float().norm()
            assert error < tolerance


def compare_norms(device: str, dtype: torch.dtype, tolerance: float) -> None:
    generator = torch.Generator(device).manual_seed(6)
    shape = (2, 131, 104)
    kept, seed = torch.tensor([0.9, 0.5], device=device), torch.tensor(77, device=device)
    inputs = 2 * torch.randn(shape, generator=generator, device=device) + 1
    inputs = inputs.to(dtype).requires_grad_()
    weight, shift, bias = (
        torch.randn((2, 104), generator=generator, device=device).requires_grad_() for _ in range(3)
    )
    units, mean, variance = _NormFunction.apply(inputs, bias, weight, shift, kept, seed, 3)
    plain = torch.stack(
        [
            functional.batch_norm(each.float(), None, None, *affine, training=True)
            for each, *affine in zip(inputs, weight, shift, strict=True)
        ]
    )
    wanted = torch.relu(plain) * make_dropout_mask(kept, seed, 3, shape) / kept[:, None, None]
    torch.testing.assert_close(mean, inputs.float().mean(1), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(variance, inputs.float().var(1, correction=0), rtol=1e-4, atol=1e-5)
    gradient = torch.randn(shape, generator=generator, device=device)
    results = torch.autograd.grad(units, (inputs, weight, shift), gradient.to(dtype))
    expected = torch.autograd.grad(wanted, (inputs, weight, shift), gradient)
    for one, other in zip((units, *results), (wanted, *expected), strict=True):
        assert (one.float() - other.float()).norm() / other.float().norm() < tolerance


def test_the_activation_and_its_gradients() -> None:
    compare_with_plain_layers("cpu", torch.float32, 1e-6)


def test_norms_and_their_gradients() -> None:
    compare_norms("cpu", torch.float32, 1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_kernels_compute_the_same() -> None:
    assert fused_residual.has_kernels(torch.device("cuda"))
    compare_with_plain_layers("cuda", torch.bfloat16, 4e-3)
    compare_norms("cuda", torch.bfloat16, 8e-3)


@pytest.mark.parametrize(
    "change",
    [
        {"stochastic_depth": 0.5},
        {"architecture": "dense"},
        {"units": (8, 16, 8)},
        {"units": 2048},
    ],
    ids=str,
)
def test_what_the_kernels_cannot_do_is_left_to_torch(change: dict[str, object]) -> None:
    assert is_fusable(build_networks(DESIGN, 1)[0])
    assert not is_fusable(build_networks(replace(DESIGN, **change), 1)[0])


def test_a_group_with_kernels_learns_what_its_networks_learn_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shown on a CPU, where torch computes what the kernels do, in single precision."""
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randint(0, 2, (200, 30), generator=generator, dtype=torch.uint8)
    examples = Examples(inputs, inputs[:, :5].sum(dim=1).long(), None)
    config = TrainingConfig(learning_rate=0.01, batch=40, epochs=3, precision="bfloat16")

    def train(is_fused: bool) -> Sequence[NetworkTrainer]:
        monkeypatch.setattr(network_groups, "has_kernels", lambda device: is_fused)
        trainers = [
            NetworkTrainer(DESIGN, replace(config, seed=seed), examples, examples, name=str(seed))
            for seed in range(2)
        ]
        list(network_groups.train_side_by_side(trainers))
        return trainers

    for one, other in zip(train(True), train(False), strict=True):
        assert one.history[-1].loss < one.history[0].loss
        assert [each.loss for each in one.history] == pytest.approx(
            [each.loss for each in other.history], rel=1e-4
        )


def test_a_group_with_kernels_is_trained_with_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each epoch begins with a seed of its own, so resumed trainings have the same masks."""
    monkeypatch.setattr(network_groups, "has_kernels", lambda device: True)
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randint(0, 2, (200, 30), generator=generator, dtype=torch.uint8)
    examples = Examples(inputs, inputs[:, :5].sum(dim=1).long(), None)
    config = TrainingConfig(learning_rate=0.01, batch=40, epochs=2, precision="bfloat16")
    design = replace(DESIGN, dropout=0.2, input_dropout=0.1)
    losses = []
    for _ in range(2):
        trainer = NetworkTrainer(design, config, examples, examples, name="one")
        list(network_groups.train_side_by_side([trainer]))
        losses.append([each.loss for each in trainer.history])
    assert losses[0] == losses[1]
