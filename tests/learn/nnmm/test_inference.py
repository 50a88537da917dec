"""Networks in numpy do what the same networks do in torch."""

import numpy as np
import pytest
import torch

from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputColumns
from ludus.learn.nnmm.inference import NumpyNetwork
from ludus.learn.weights import BadWeights
from support.nnmm import SMALL, is_close, random_chain, tensors_of, torch_network

COLUMNS = INPUT_MODELS["rawest"].columns(1)
"""Of a position and one earlier choice: symmetric networks must know what they see."""

INPUTS = COLUMNS.width

DESIGNS = [
    NetworkConfig(architecture="residual", first=30, units=20, blocks=3),
    NetworkConfig(
        architecture="residual", first=30, units=(5, 20, 7), blocks=3, batch_normalisation=True
    ),
    NetworkConfig(architecture="residual", first=12, units=9, blocks=0),
    NetworkConfig(
        architecture="residual", first=8, units=9, blocks=2, dropout=0.5, stochastic_depth=0.5
    ),
    NetworkConfig(architecture="dense", first=10, units=6, blocks=4),
    NetworkConfig(architecture="dense", first=10, units=(3, 8), blocks=2, batch_normalisation=True),
    NetworkConfig(architecture="feedforward", units=(20, 10), blocks=2),
    NetworkConfig(
        architecture="feedforward", units=15, blocks=3, batch_normalisation=True, outputs=2
    ),
    NetworkConfig(architecture="symmetric", first=5, blocks=2),
    NetworkConfig(architecture="symmetric", first=3, blocks=1, outputs=2),
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda each: f"{each.architecture}-{each.blocks}")
def test_numpy_agrees_with_torch(design):
    trained = torch_network(design, COLUMNS, seed=3)
    rows = np.random.default_rng(1).integers(0, 2, (1500, INPUTS)).astype(np.uint8)
    with torch.no_grad():
        wanted = torch.log_softmax(trained(torch.tensor(rows, dtype=torch.float32)), 1)
    network = NumpyNetwork(design, tensors_of(trained), COLUMNS)
    found = network.log_probabilities(rows)
    assert found.shape == (1500, design.outputs)
    assert is_close(found, wanted.numpy(), 1e-4)
    assert len(set(found.argmax(axis=1).tolist())) > 1
    assert is_close(network.log_probabilities(rows[5:6]), found[5:6]), "one by one as together"


def test_numbers_are_as_precise_as_the_weights():
    tensors = tensors_of(torch_network(SMALL, COLUMNS, seed=4))
    double = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    rows = np.ones((3, INPUTS), dtype=np.int8)
    single, precise = (
        NumpyNetwork(SMALL, each, COLUMNS).log_probabilities(rows) for each in (tensors, double)
    )
    assert (single.dtype, precise.dtype) == (np.float32, np.float64)
    assert is_close(single, precise, 1e-4)


def test_scores_of_any_size_become_probabilities():
    design = NetworkConfig(architecture="residual", first=4, units=4, blocks=0)
    five = InputColumns(5)
    trained = tensors_of(torch_network(design, five, 0))
    tensors = {name: 1e4 * each for name, each in trained.items()}
    found = NumpyNetwork(design, tensors, five).log_probabilities(np.ones((2, 5), dtype=np.uint8))
    assert np.isfinite(found).all()
    assert np.exp(found).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tensors: tensors.pop("last.bias"), "there is no tensor last.bias"),
        (lambda tensors: tensors.update(more=tensors["last.bias"]), "'more' is not of its design"),
        (
            lambda tensors: tensors.update({"first.weight": tensors["first.weight"].T}),
            "first.weight has the shape",
        ),
        (
            lambda tensors: tensors.update({"blocks.0.norm1.running_var": -np.ones(24, "f")}),
            "variance below 0",
        ),
    ],
)
def test_tensors_that_do_not_fit_the_design_are_refused(change, message):
    tensors = tensors_of(torch_network(SMALL, COLUMNS, seed=4))
    change(tensors)
    with pytest.raises(BadWeights, match=message):
        NumpyNetwork(SMALL, tensors, COLUMNS)


def test_chains_are_random_but_the_same_for_the_same_seed():
    first, second, other = (random_chain(seed=seed).members[0][0] for seed in (1, 1, 2))
    assert (first["last.weight"] == second["last.weight"]).all()
    assert (first["last.weight"] != other["last.weight"]).any()
