"""Networks of whole numbers: numpy, torch and the CUDA kernels give the same bits."""

import sys

import numpy as np
import pytest
import torch

from ludus._native.equivariant import IntegerEvaluator
from ludus.learn.equivariant import fourier_kernels, integers_torch
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.equivariant.integer_network import IntegerNetwork, fit_units
from ludus.learn.equivariant.integers import (
    MAX_WEIGHT,
    NumpyIntegerNetwork,
    build_integer_network,
    integer_irreps,
    list_tensor_shapes,
)
from ludus.learn.equivariant.integers_torch import IntegerLayers, evaluate_layers
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_FEATURES
from support.cuda_on_cpu import compile_for_cpu, use_on_cpu

CPU = torch.device("cpu")
POSITIONS = 9


def random_tensors(seed, channels=6, blocks=2, is_extreme=False):
    """Weights of one network; extreme ones are the largest that there are, with either sign."""
    source = np.random.default_rng(seed)
    tensors = {}
    for name, shape in list_tensor_shapes(NUM_FEATURES, 5, channels, blocks).items():
        if "bias" in name:
            values = source.integers(-2000, 2001, shape)
        elif "shift" in name:
            values = source.integers(-6 if is_extreme else 2, 7, shape)
        elif is_extreme:
            values = source.choice([-MAX_WEIGHT, MAX_WEIGHT], shape)
        else:
            values = np.clip(np.rint(source.normal(0, 40, shape)), -MAX_WEIGHT, MAX_WEIGHT)
        tensors[name] = values.astype(np.int32 if "bias" in name else np.int8)
    return tensors


def random_features(seed, positions=POSITIONS):
    """Whole numbers of quarters, up to 1, as the features of positions."""
    source = np.random.default_rng(seed)
    return (source.integers(0, 5, (positions, NUM_FEATURES)) / 4).astype(np.float32)


def evaluate_by_definition(tensors, features):
    """The definition in 64-bit whole numbers, with no transform of weights."""
    irreps = integer_irreps().astype(np.int64)
    shifts = {name: each.astype(np.int64) for name, each in tensors.items() if "shift" in name}
    quarters = (4 * features).astype(np.int64)

    def divide(values, shift):
        """Divide by 2^shift and round half to even."""
        shift = np.broadcast_to(shift, values.shape)
        shifted, places = values << np.maximum(-shift, 0), np.maximum(shift, 0)
        whole, half = shifted >> places, (1 << places) >> 1
        rest = shifted - (whole << places)
        is_up = (rest > half) | ((rest == half) & (whole & 1 == 1) & (places > 0))
        return whole + is_up

    def convolve(activations, number, layer):
        kernel = tensors[f"blocks.{number}.layer{layer}"].astype(np.int64)
        _, to, frm = kernel.shape
        rows = shifts[f"blocks.{number}.shift{layer}"]
        terms = np.einsum("sg,gcn->scn", irreps, activations)
        places = np.array([7] + [5] * 15)[:, None, None]
        terms = np.clip(divide(terms, places), -255, 255)
        found = np.empty((GROUP_ORDER, to, terms.shape[2]), np.int64)
        for sign in range(8):
            found[sign] = divide(kernel[sign] @ terms[sign], rows[sign][:, None])
        for plane in range(2):
            matrix = kernel[8:].reshape(2, 2 * to, 2 * frm)[plane]
            for row in range(2):
                column = terms[8 + 4 * plane + 2 * row :][:2].reshape(2 * frm, -1)
                part = divide(matrix @ column, rows[8:].reshape(2, 2 * to)[plane][:, None])
                found[8 + 4 * plane + 2 * row :][:2] = part.reshape(2, to, -1)
        found = np.clip(found, -(2**18 - 1), 2**18 - 1)
        return np.einsum("sg,scn->gcn", irreps, found)

    first = tensors["first"].astype(np.int64)
    inverse = FEATURE_PERMUTATIONS.argsort(axis=1)
    sums = np.stack([first[:, moved] @ quarters.T for moved in inverse])
    sums = np.clip(divide(sums, 2 + shifts["first_shift"][:, None]), -(2**15 - 1), 2**15 - 1)
    bias = tensors["first_bias"].astype(np.int64)
    for number in range(sum(name.endswith("layer1") for name in tensors)):
        inner = convolve(np.clip(sums + bias[:, None], 0, 2**15 - 1), number, 1)
        inner_bias = tensors[f"blocks.{number}.bias1"][:, None]
        sums = sums + convolve(np.clip(inner + inner_bias, 0, 2**15 - 1), number, 2)
        sums = np.clip(sums, -(2**15 - 1), 2**15 - 1)
        bias = bias + tensors[f"blocks.{number}.bias2"]
    means = divide(np.clip(sums + bias[:, None], 0, 2**15 - 1).sum(axis=0), 4)
    return means.T @ tensors["last"].T.astype(np.int64) + tensors["last_bias"]


def evaluate_in_torch(tensors, features):
    layers = IntegerLayers.from_tensors(tensors, FEATURE_PERMUTATIONS, CPU)
    with torch.no_grad():
        return evaluate_layers(torch.as_tensor(features)[None], layers)[0].numpy()


@pytest.mark.parametrize("is_extreme", [False, True], ids=["usual", "extreme"])
@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_numpy_torch_and_the_native_core_compute_the_definition(blocks, is_extreme):
    for seed in range(4):
        tensors = random_tensors(seed, 4 + 7 * seed, blocks=blocks, is_extreme=is_extreme)
        features = random_features(seed, 5 + 8 * seed)
        expected = evaluate_by_definition(tensors, features)
        network = NumpyIntegerNetwork(tensors, FEATURE_PERMUTATIONS)
        np.testing.assert_array_equal(network(features), expected)
        np.testing.assert_array_equal(evaluate_in_torch(tensors, features), expected)
        native = build_integer_network(tensors, FEATURE_PERMUTATIONS)
        assert isinstance(native, IntegerEvaluator)
        np.testing.assert_array_equal(native(features), expected)


def test_numpy_plays_where_there_is_no_native_core(monkeypatch):
    monkeypatch.setitem(sys.modules, "ludus._native.equivariant", None)
    found = build_integer_network(random_tensors(1), FEATURE_PERMUTATIONS)
    assert isinstance(found, NumpyIntegerNetwork)


def test_powers_of_two_are_exact():
    exponents = np.arange(-126, 128)
    found = integers_torch.power_of_two(torch.as_tensor(exponents))
    np.testing.assert_array_equal(found.numpy(), np.ldexp(np.float32(1), exponents))


def test_outputs_are_the_same_for_symmetric_positions():
    network = NumpyIntegerNetwork(random_tensors(1), FEATURE_PERMUTATIONS)
    features = random_features(1)
    for moved in FEATURE_PERMUTATIONS:
        image = np.empty_like(features)
        image[:, moved] = features
        np.testing.assert_array_equal(network(image), network(features))


def make_network(seed=3, experts=2, channels=8, kernel_basis="fourier"):
    torch.manual_seed(seed)
    network = IntegerNetwork(
        FEATURE_PERMUTATIONS, 3, channels, 2, experts, kernel_basis=kernel_basis
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.05 * torch.randn_like(parameter)
    return network


def test_a_network_in_training_computes_what_its_file_says():
    network = make_network()
    features = random_features(4)
    both = torch.as_tensor(features).expand(2, -1, -1)
    logits = network(both).detach().double().numpy()
    for number, tensors in enumerate(network.quantize()):
        outputs = NumpyIntegerNetwork(tensors, FEATURE_PERMUTATIONS)(features)
        unit = np.log(2) * 2.0 ** -tensors["last_shifts"].astype(float)
        np.testing.assert_allclose(logits[number], outputs * unit, rtol=1e-5, atol=1e-5)


def test_rounding_changes_little_once_the_units_fit():
    torch.manual_seed(5)
    network = EquivariantNetwork(FEATURE_PERMUTATIONS, 3, 8, 2)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if "layer2" in name or "last" in name:
                parameter.normal_(0, 0.1)
    features = torch.as_tensor(random_features(6, 200))[None]
    expected = network(features)
    rounded = IntegerNetwork(FEATURE_PERMUTATIONS, 3, 8, 2)
    rounded.load_state_dict(network.state_dict())
    fit_units(rounded, features[:, :100])
    exact = EquivariantNetwork.project_lifted(
        rounded,
        torch.bmm(features, EquivariantNetwork.transform_layers(rounded, torch.float32).filters),
        EquivariantNetwork.transform_layers(rounded, torch.float32),
    )
    torch.testing.assert_close(exact, expected, rtol=1e-3, atol=1e-3)
    assert (rounded(features) - expected).std() < 0.03 * expected.std()


def run_training_step(network, features, wanted):
    network.zero_grad()
    outputs = network(features)
    torch.nn.functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten()).backward()
    return outputs.detach(), {name: each.grad for name, each in network.named_parameters()}


def test_kernels_agree_with_torch_on_a_cpu(monkeypatch, tmp_path_factory):
    """The outputs exactly; gradients but for the order of sums."""
    network = make_network()
    features = torch.as_tensor(random_features(7)).expand(2, -1, -1).contiguous()
    wanted = torch.arange(2 * POSITIONS).view(2, POSITIONS) % 3
    expected, expected_gradients = run_training_step(network, features, wanted)
    library = compile_for_cpu("group_fourier", tmp_path_factory.getbasetemp())
    use_on_cpu(monkeypatch, fourier_kernels, library)
    monkeypatch.setattr(integers_torch, "has_cuda_kernels", lambda units: True)
    found, gradients = run_training_step(network, features, wanted)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    for name, gradient in gradients.items():
        error = float((gradient - expected_gradients[name]).norm())
        assert error <= 1e-4 * float(expected_gradients[name].norm()), name
