"""Residual networks with one kernel between two products compute what their layers compute."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.nnmm.config import Hyperparameters, NetworkConfig
from ludus.learn.nnmm.data import Examples
from ludus.learn.nnmm.encoding import INPUT_MODELS
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.network_trainer import NetworkTrainer
from support.cuda_on_cpu import compile_for_cpu, use_on_cpu
from support.nnmm import load_module
from support.paths import EXPERIMENTS

side_by_side, kernels = load_module("side_by_side"), load_module("residual_kernels")
StackedNetworks = load_module("stacked").StackedNetworks
is_fusable = load_module("fused_residual").is_fusable

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
        DESIGN.replace(first=20, units=16),
        DESIGN.replace(batch_normalisation=True),
        DESIGN.replace(first=20, units=16, batch_normalisation=True),
    ],
    ids=["inner width padded", "outer width padded", "norms", "norms, outer width padded"],
)
def test_outputs_gradients_and_statistics_are_those_of_the_layers(design: NetworkConfig) -> None:
    """Widths of inputs and layers are padded, which must not be seen."""
    assert {
        COLUMNS.width % kernels.ALIGNMENT,
        design.first % kernels.ALIGNMENT,
        design.widths[0] % kernels.ALIGNMENT,
    } > {0}
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
    networks = build_networks(DESIGN.replace(dropout=0.5, input_dropout=0.25))
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
    found = kernels.make_dropout_mask(
        torch.tensor(kept), torch.tensor(seed), layer, shape
    ).flatten()
    start = mix(seed % 2**32 ^ mix(layer + 1))
    for place, is_kept in enumerate(found.tolist()):
        number = mix((start + place // 2) % 2**32)
        half = number >> 16 if place % 2 else number & 0xFFFF
        assert is_kept == (half < int(kept[place // 20] * 65536)), place


def test_masks_keep_the_wanted_proportion() -> None:
    kept = torch.tensor([0.9, 0.5, 1.0])
    shape = (3, 1000, 300)
    masks = [kernels.make_dropout_mask(kept, torch.tensor(seed), 0, shape) for seed in (1, 2)]
    for mask in masks:
        torch.testing.assert_close(mask.float().mean((1, 2)), kept, atol=0.003, rtol=0)
    both = (masks[0] & masks[1]).float().mean((1, 2))
    torch.testing.assert_close(both, kept.square(), atol=0.004, rtol=0)
    rows = masks[0].float().mean(2)
    assert rows[1].std() < 0.035, "rows are dropped independently of each other"


def relative_error(found: Tensor, wanted: Tensor) -> float:
    found, wanted = found.detach().float(), wanted.detach().float()
    return float((found - wanted).norm() / wanted.norm())


def compare_with_plain_layers(device: str, dtype: torch.dtype, tolerance: float) -> None:
    generator = torch.Generator(device).manual_seed(5)

    def normal(*shape: int, dtype: torch.dtype = dtype) -> Tensor:
        return torch.randn(shape, generator=generator, device=device).to(dtype)

    dropout = kernels.Dropout(
        torch.tensor([0.9, 0.5], device=device), torch.tensor(1234567, device=device)
    )
    shape = (2, 131, 40)
    mask = kernels.make_dropout_mask(*dropout, 5, shape) / dropout.kept[:, None, None]
    for has_skip in (False, True):
        product, bias = normal(*shape), normal(2, 40, dtype=torch.float32)
        skip = normal(*shape) if has_skip else None
        given = [each.float().clone().requires_grad_() for each in (product, bias)]
        wanted_total = given[0] + given[1][:, None]
        wanted_total = wanted_total if skip is None else wanted_total + skip.float()
        wanted_units = torch.relu(wanted_total) * mask
        total, units = torch.empty_like(product), torch.empty_like(product)
        kernels.activate(product, bias, skip, dropout, 5, total, units)
        assert relative_error(total, wanted_total) < tolerance
        assert relative_error(units, wanted_units) < tolerance

        of_total, of_units = normal(*shape), normal(*shape)
        wanted = torch.autograd.grad(
            (wanted_total, wanted_units), given, (of_total.float(), of_units.float())
        )
        row_sums = torch.full((2, 3, 40), torch.nan, device=device)
        kernels.compute_gradient(units, of_units, of_total, dropout.kept, row_sums)
        assert relative_error(of_units, wanted[0]) < tolerance
        assert relative_error(row_sums.sum(dim=1), wanted[1]) < tolerance


def compare_norms(device: str, dtype: torch.dtype, tolerance: float) -> None:
    generator = torch.Generator(device).manual_seed(6)
    shape, width = (2, 131, 40), 37

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, device=device)

    dropout = kernels.Dropout(
        torch.tensor([0.9, 0.5], device=device), torch.tensor(77, device=device)
    )
    mask = kernels.make_dropout_mask(*dropout, 3, shape) / dropout.kept[:, None, None]
    product, skip = (2 * normal(*shape) + 1).to(dtype), normal(*shape).to(dtype)
    bias, weight, shift, hidden_bias = (normal(2, shape[2]) for _ in range(4))
    total, units = torch.empty_like(product), torch.empty_like(product)
    statistics = torch.empty((4, 2, shape[2]), device=device)
    running = kernels.RunningStatistics(
        torch.zeros(2, width, device=device), torch.ones(2, width, device=device), torch.zeros(2)
    )
    kernels.normalise(product, bias, skip, total, weight, shift, hidden_bias, running, statistics)
    assert relative_error(total, product.float() + bias[:, None] + skip.float()) < tolerance
    kernels.activate(total, statistics[3], None, dropout, 3, None, units, statistics[2])
    inputs = [each.float().clone().requires_grad_() for each in (total, weight, shift)]
    plain = []
    for network, (values, *affine) in enumerate(zip(*inputs, strict=True)):
        mean = torch.zeros(shape[2], device=device)
        variance = torch.ones_like(mean)
        plain.append(functional.batch_norm(values, mean, variance, *affine, training=True))
        wanted_mean = mean + 0.1 * hidden_bias[network]
        torch.testing.assert_close(running.mean[network], wanted_mean[:width], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(
            running.variance[network], variance[:width], atol=1e-4, rtol=1e-3
        )
    wanted_units = torch.relu(torch.stack(plain)) * mask
    assert relative_error(units, wanted_units) < tolerance
    of_units, of_total = normal(*shape).to(dtype), normal(*shape).to(dtype)
    wanted = torch.autograd.grad(wanted_units, inputs, of_units.float())
    of_norm = torch.full((2, 2, shape[2]), torch.nan, device=device)
    kernels.compute_norm_gradient(
        total, units, of_units, of_total, dropout.kept, statistics, of_norm
    )
    assert relative_error(of_units, wanted[0] + of_total.float()) < tolerance
    assert relative_error(of_norm[0], wanted[1]) < tolerance
    assert relative_error(of_norm[1], wanted[2]) < tolerance


def compare_networks(device: str, tolerance: float) -> None:
    """Outputs and gradients of networks with kernels in bfloat16, without dropout."""
    for norms in (False, True):
        networks = [
            each.to(device)
            for each in build_networks(DESIGN.replace(blocks=2, batch_normalisation=norms))
        ]
        plain, fused = StackedNetworks(networks), StackedNetworks(networks, is_fused=True)
        inputs = torch.rand((2, 500, COLUMNS.width), generator=torch.Generator().manual_seed(1))
        outputs = [plain(inputs.to(device))]
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            outputs.append(fused(inputs.to(device)))
        for each in outputs:
            each.float().square().mean().backward()
        assert relative_error(outputs[1], outputs[0]) < tolerance
        for (name, one), (_, other) in zip(
            plain.named_parameters(), fused.named_parameters(), strict=True
        ):
            if not (norms and name.endswith("layer1.bias")):
                assert relative_error(other.grad, one.grad) < 4 * tolerance, name


def test_the_activation_and_its_gradients() -> None:
    compare_with_plain_layers("cpu", torch.float32, 1e-6)


def test_norms_and_their_gradients() -> None:
    compare_norms("cpu", torch.float32, 1e-5)


def test_networks_in_single_precision() -> None:
    compare_networks("cpu", 1e-4)


def test_the_kernels_compute_the_same_on_a_cpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Compiled by a C++ compiler; where there is a GPU, the next test runs them there."""
    library = compile_for_cpu(
        "residual_blocks", tmp_path_factory.mktemp("cuda"), EXPERIMENTS / "galassi"
    )
    use_on_cpu(monkeypatch, kernels, library)
    monkeypatch.setattr(kernels, "_runs_kernels", lambda array: True)
    compare_with_plain_layers("cpu", torch.bfloat16, 4e-3)
    compare_norms("cpu", torch.bfloat16, 8e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_kernels_compute_the_same_on_a_gpu() -> None:
    assert kernels.has_kernels(torch.device("cuda"))
    compare_with_plain_layers("cuda", torch.bfloat16, 4e-3)
    compare_norms("cuda", torch.bfloat16, 8e-3)
    compare_networks("cuda", 2e-2)


@pytest.mark.parametrize(
    "change",
    [
        {"stochastic_depth": 0.5},
        {"architecture": "dense"},
        {"units": (8, 16, 8)},
        {"units": 4096},
    ],
    ids=str,
)
def test_what_the_kernels_cannot_do_is_left_to_torch(change: dict[str, object]) -> None:
    assert is_fusable(build_networks(DESIGN, 1)[0])
    assert not is_fusable(build_networks(DESIGN.replace(**change), 1)[0])


def test_a_group_with_kernels_learns_what_its_networks_learn_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shown on a CPU, where torch computes what the kernels do, in single precision."""
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randint(0, 2, (200, 30), generator=generator, dtype=torch.uint8)
    examples = Examples(inputs, inputs[:, :5].sum(dim=1).long(), None)
    config = Hyperparameters(learning_rate=0.01, batch=40, epochs=3, precision="bfloat16")

    def train(is_fused: bool) -> Sequence[NetworkTrainer]:
        monkeypatch.setattr(side_by_side, "has_kernels", lambda device: is_fused)
        trainers = [
            NetworkTrainer(DESIGN, config.replace(seed=seed), examples, examples, name=str(seed))
            for seed in range(2)
        ]
        list(side_by_side.train_side_by_side(trainers))
        return trainers

    for one, other in zip(train(True), train(False), strict=True):
        assert one.history[-1].loss < one.history[0].loss
        assert [each.loss for each in one.history] == pytest.approx(
            [each.loss for each in other.history], rel=1e-4
        )


def test_a_group_with_kernels_is_trained_with_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each epoch begins with a seed of its own, so resumed trainings have the same masks."""
    monkeypatch.setattr(side_by_side, "has_kernels", lambda device: True)
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randint(0, 2, (200, 30), generator=generator, dtype=torch.uint8)
    examples = Examples(inputs, inputs[:, :5].sum(dim=1).long(), None)
    config = Hyperparameters(learning_rate=0.01, batch=40, epochs=2, precision="bfloat16")
    design = DESIGN.replace(dropout=0.2, input_dropout=0.1)
    losses = []
    for _ in range(2):
        trainer = NetworkTrainer(design, config, examples, examples, name="one")
        list(side_by_side.train_side_by_side([trainer]))
        losses.append([each.loss for each in trainer.history])
    assert losses[0] == losses[1]
