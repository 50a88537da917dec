"""The architectures of section 5.2: layers by name, really stacked, and begun by He's method.

The symmetric one, which is ours, is tested with the symmetries it respects.
"""

import math

import pytest
import torch

from ludus.core.errors import LudusError
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import InputColumns
from ludus.learn.nnmm.network import build_network

DESIGNS = [
    NetworkConfig(architecture="residual", first=20, units=30, blocks=3),
    NetworkConfig(
        architecture="residual", first=20, units=30, blocks=2, batch_normalisation=True, dropout=0.2
    ),
    NetworkConfig(architecture="residual", first=20, units=30, blocks=4, stochastic_depth=0.5),
    NetworkConfig(
        architecture="dense", first=20, units=(10, 15), blocks=2, batch_normalisation=True
    ),
    NetworkConfig(
        architecture="feedforward",
        units=(20, 15, 10),
        blocks=3,
        batch_normalisation=True,
        dropout=0.1,
    ),
    NetworkConfig(architecture="feedforward", units=12, blocks=2, input_dropout=0.1, outputs=2),
]


def built(design: NetworkConfig, inputs: int = 90, seed: int = 1) -> torch.nn.Module:
    return build_network(design, InputColumns(inputs), torch.Generator().manual_seed(seed))


def shapes(design: NetworkConfig) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each.shape) for name, each in built(design).state_dict().items()}


def test_a_residual_network_has_the_layers_of_figure_5_1():
    found = shapes(NetworkConfig(architecture="residual", first=200, units=300, blocks=2))
    assert found == {
        "first.weight": (200, 90),
        "first.bias": (200,),
        "blocks.0.layer1.weight": (300, 200),
        "blocks.0.layer1.bias": (300,),
        "blocks.0.layer2.weight": (200, 300),
        "blocks.0.layer2.bias": (200,),
        "blocks.1.layer1.weight": (300, 200),
        "blocks.1.layer1.bias": (300,),
        "blocks.1.layer2.weight": (200, 300),
        "blocks.1.layer2.bias": (200,),
        "last.weight": (25, 200),
        "last.bias": (25,),
    }


def test_layers_of_a_dense_network_read_everything_before_them():
    found = shapes(NetworkConfig(architecture="dense", first=200, units=100, blocks=3))
    widths = [found[f"layers.{number}.layer.weight"] for number in range(3)]
    assert widths == [(100, 200), (100, 300), (100, 400)]
    assert found["last.weight"] == (25, 500)


def test_norms_come_before_weights_or_behind_them():
    residual = shapes(DESIGNS[1])
    assert residual["blocks.1.norm1.running_var"] == (20,)
    assert residual["blocks.1.norm2.weight"] == (30,)
    assert shapes(DESIGNS[3])["layers.1.norm.weight"] == (30,)
    assert shapes(DESIGNS[4])["layers.1.norm.weight"] == (15,)


def test_every_block_is_in_the_way():
    """The author's program had a loop whose blocks all read the same layer: one block in effect."""
    network = built(NetworkConfig(architecture="residual", first=20, units=30, blocks=5)).eval()
    inputs = torch.rand(4, 90)
    before = network(inputs)
    for number in range(5):
        changed = built(NetworkConfig(architecture="residual", first=20, units=30, blocks=5)).eval()
        with torch.no_grad():
            changed.get_parameter(f"blocks.{number}.layer1.weight").mul_(2)
        assert not torch.allclose(changed(inputs), before)


def test_blocks_that_change_nothing_leave_two_layers():
    network = built(DESIGNS[0]).eval()
    with torch.no_grad():
        for number in range(3):
            network.get_parameter(f"blocks.{number}.layer2.weight").zero_()
    inputs = torch.rand(4, 90)
    first, last = network.get_submodule("first"), network.get_submodule("last")
    assert torch.allclose(network(inputs), last(first(inputs)))


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_only_training_is_random(design):
    network, inputs = built(design), torch.rand(64, 90)
    network.eval()
    assert torch.equal(network(inputs), network(inputs))
    network.train()
    is_random = bool(design.dropout or design.input_dropout or design.stochastic_depth)
    assert torch.equal(network(inputs), network(inputs)) != is_random


def test_skipping_blocks_changes_no_mean():
    torch.manual_seed(1)
    design = NetworkConfig(
        architecture="residual", first=20, units=30, blocks=1, stochastic_depth=0.5
    )
    network, inputs = built(design), torch.rand(1, 90).expand(20_000, 90)
    network.train()
    mean = network(inputs).mean(dim=0)
    network.eval()
    assert torch.allclose(mean, network(inputs[:1])[0], atol=0.05)


@pytest.mark.parametrize("design", DESIGNS[:1] + DESIGNS[3:5], ids=str)
def test_weights_begin_as_he_and_others_say(design):
    """Variance 2 / inputs, which is a gain of the square root of 2."""
    wide = NetworkConfig.parse({**design.model_dump(mode="json"), "units": 400, "first": 300})
    for module in built(wide, 500).modules():
        if isinstance(module, torch.nn.Linear):
            expected = math.sqrt(2 / module.in_features)
            assert module.weight.std().item() == pytest.approx(expected, rel=0.05)
            assert not module.bias.any()


def test_a_seed_decides_the_weights():
    one, same, other = built(DESIGNS[0]), built(DESIGNS[0]), built(DESIGNS[0], seed=2)
    weights = [network.get_parameter("first.weight") for network in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_a_design_survives_json(design):
    assert NetworkConfig.parse(design.model_dump(mode="json")) == design


@pytest.mark.parametrize(
    "fields",
    [
        {"architecture": "transformer"},
        {"architecture": 3},
        {"blocks": -1},
        {"blocks": 10**9},
        {"units": 0},
        {"units": 10**9},
        {"units": [10, 20], "blocks": 3},
        {"units": [10] * 100_000, "blocks": 100_000},
        {"first": 1.5},
        {"dropout": 1.0},
        {"dropout": float("nan")},
        {"architecture": "dense", "stochastic_depth": 0.1},
        {"width": 3},
        {"\ud800\x00": 3},
    ],
    ids=lambda fields: next(iter(fields)).encode("ascii", "replace").decode(),
)
def test_what_is_no_design_is_refused_in_one_line(fields):
    with pytest.raises(LudusError) as error:
        NetworkConfig.parse(fields)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
