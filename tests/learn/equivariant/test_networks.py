"""Equivariant networks: a symmetry of the board transforms their outputs."""

import numpy as np
import pytest
import torch

from ludus.games.nine_mens_morris.board import POINTS as NAMES
from ludus.games.nine_mens_morris.board import READING_ORDER, SYMMETRIES, mills
from ludus.learn.equivariant.fourier import fourier_basis
from ludus.learn.equivariant.group import (
    CHOICE_PERMUTATIONS,
    CLASS_PERMUTATIONS,
    GROUP_ORDER,
    LINE_PERMUTATIONS,
    POINT_PERMUTATIONS,
    RELATIVE_ELEMENTS,
    concatenate_permutations,
    trivial_permutations,
)
from ludus.learn.equivariant.inference import (
    BATCH_ELEMENTS,
    NumpyEquivariantNetwork,
    list_parameter_shapes,
)
from ludus.learn.equivariant.network import EquivariantNetwork

FEATURES = concatenate_permutations(
    POINT_PERMUTATIONS, POINT_PERMUTATIONS, LINE_PERMUTATIONS, trivial_permutations(4)
)
"""Men of both sides, something about each line, and four numbers."""


def network(answers, channels=5, experts=2, seed=0):
    """A network with weights everywhere, so that nothing is 0 by chance."""
    torch.manual_seed(seed)
    made = EquivariantNetwork(FEATURES, answers, channels, blocks=2, experts=experts).double()
    with torch.no_grad():
        for weights in made.parameters():
            weights.normal_(0, 0.3)
    return made


def turned(values, moved):
    """Return values permuted by a symmetry: value i goes to place `moved[i]`."""
    found = torch.empty_like(values)
    found[..., torch.as_tensor(moved)] = values
    return found


def test_validation_in_bfloat16_is_near_single_precision():
    """Autocast does not convert the operands of operations in place, which validation uses."""
    made = network(CLASS_PERMUTATIONS, channels=8).float()
    inputs = torch.rand((2, 30, FEATURES.shape[1]), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        exact = made(inputs)
        with torch.autocast("cpu", torch.bfloat16):
            rounded = made(inputs)
    assert rounded.dtype == torch.bfloat16
    assert 0 < (rounded - exact).norm() / exact.norm() < 0.02


def test_steps_lead_from_view_to_view():
    for g in range(GROUP_ORDER):
        for h in range(GROUP_ORDER):
            assert (
                POINT_PERMUTATIONS[g][POINT_PERMUTATIONS[RELATIVE_ELEMENTS[g, h]]]
                == POINT_PERMUTATIONS[h]
            ).all()


def test_lines_go_where_their_points_go():
    lines = mills(diagonals=False)
    for g, symmetry in enumerate(SYMMETRIES):
        for number, line in enumerate(lines):
            assert {symmetry[point] for point in line} == set(lines[LINE_PERMUTATIONS[g, number]])


def test_classes_and_choices_name_the_same_points():
    for g in range(GROUP_ORDER):
        assert CLASS_PERMUTATIONS[g, 0] == 0
        assert CHOICE_PERMUTATIONS[g, 24] == 24
        for number, point in enumerate(READING_ORDER, start=1):
            assert (
                READING_ORDER[CLASS_PERMUTATIONS[g, number] - 1] == CHOICE_PERMUTATIONS[g, point]
            ), NAMES[point]


@pytest.mark.parametrize("g", range(GROUP_ORDER))
def test_a_judgement_stays_and_a_pointer_turns(g):
    features = torch.randn(2, 3, FEATURES.shape[1], dtype=torch.double)
    judge, pointer = network(3), network(CLASS_PERMUTATIONS)
    seen = turned(features, FEATURES[g])
    torch.testing.assert_close(judge(seen), judge(features))
    torch.testing.assert_close(pointer(seen), turned(pointer(features), CLASS_PERMUTATIONS[g]))


@pytest.mark.parametrize("answers", [3, CLASS_PERMUTATIONS], ids=["judge", "pointer"])
def test_group_domain_and_fourier_basis_give_the_same_units(answers):
    features = torch.randn(2, 7, FEATURES.shape[1], dtype=torch.double)
    made = network(answers)
    wanted = torch.randn(2, 7, GROUP_ORDER * 5, dtype=torch.double)
    gradients = []
    for way in (made.forward_in_group_domain, made.last_units):
        made.zero_grad()
        units = way(features)
        units.backward(wanted)
        gradients.append(
            [units, *(p.grad.clone() for p in made.parameters() if p.grad is not None)]
        )
    assert len(gradients[0]) == 1 + 2 + 2 * 4
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_invariant_outputs_are_those_of_all_last_units():
    """They are computed from the mean over the group, with the same gradients."""
    features = torch.randn(2, 7, FEATURES.shape[1], dtype=torch.double)
    made = network(3)
    wanted = torch.randn(2, 7, 3, dtype=torch.double)
    found = []
    for way in (made, lambda inputs: made.project(made.last_units(inputs))):
        made.zero_grad()
        outputs = way(features)
        outputs.backward(wanted)
        found.append([outputs, *(weights.grad.clone() for weights in made.parameters())])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_a_network_tells_positions_apart():
    features = torch.randn(2, 3, FEATURES.shape[1], dtype=torch.double)
    output = network(CLASS_PERMUTATIONS)(features)
    assert output.std(dim=1).min() > 0.01  # between positions
    assert output[..., 1:].std(dim=2).min() > 0.01  # between points


def test_experts_do_not_mix():
    both = network(3)
    features = torch.randn(5, FEATURES.shape[1], dtype=torch.double)
    together = both(features.expand(2, -1, -1))
    selected = both.forward_experts(torch.tensor([1, 0, 1]), features.expand(3, -1, -1))
    torch.testing.assert_close(selected, together[[1, 0, 1]])
    assert (together[0] - together[1]).abs().min() > 1e-6


def test_weights_in_the_fourier_basis_compute_the_same():
    by_element = network(3)
    torch.manual_seed(0)
    fourier = EquivariantNetwork(FEATURES, 3, 5, blocks=2, experts=2, kernel_basis="fourier")
    fourier = fourier.double()
    for name, values in by_element.parameters_by_element().items():
        fourier.load_by_element(name, values)
    features = torch.randn(2, 7, FEATURES.shape[1], dtype=torch.float64)
    torch.testing.assert_close(fourier(features), by_element(features))
    torch.testing.assert_close(
        fourier.forward_in_group_domain(features), by_element.forward_in_group_domain(features)
    )
    for name, values in fourier.parameters_by_element().items():
        torch.testing.assert_close(values, by_element.get_parameter(name).detach())


def test_selecting_experts_leaves_the_parameters_in_place():
    """Games are played on another thread, while the same networks may be used by this one."""
    both = network(3)
    parameters = list(map(id, both.parameters()))
    seen = []
    hook = torch.nn.modules.module.register_module_forward_hook(lambda *_: seen.append(1))
    try:
        both.forward_experts(torch.tensor([1]), torch.zeros(1, 4, FEATURES.shape[1]).double())
    finally:
        hook.remove()
    assert list(map(id, both.parameters())) == parameters
    assert not seen, "a module was called with other parameters"


def test_the_fourier_basis_is_orthogonal():
    np.testing.assert_allclose(fourier_basis() @ fourier_basis().T, np.eye(GROUP_ORDER), atol=1e-6)


@pytest.mark.parametrize("answers", [3, CLASS_PERMUTATIONS], ids=["judging", "pointing"])
@pytest.mark.parametrize("positions", [1, 7, BATCH_ELEMENTS // 6 + 1])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-4), (np.float64, 1e-12)])
def test_numpy_agrees_with_torch(answers, positions, dtype, tolerance):
    trained = network(answers, channels=6)
    features = torch.randn(2, positions, FEATURES.shape[1], dtype=torch.double)
    expected = trained(features).detach().numpy()
    for expert in range(2):
        weights = {
            name: values[expert].detach().numpy() for name, values in trained.named_parameters()
        }
        played = NumpyEquivariantNetwork(
            weights, FEATURES, None if isinstance(answers, int) else answers, dtype=dtype
        )
        found = played(features[expert].numpy().astype(dtype))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected[expert], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("answers", [3, CLASS_PERMUTATIONS], ids=["judging", "pointing"])
def test_shapes_are_as_announced(answers):
    outputs = answers if isinstance(answers, int) else answers.shape[1]
    shapes = list_parameter_shapes(FEATURES.shape[1], outputs, 5, 2, isinstance(answers, int))
    parameters = network(answers, experts=1).named_parameters()
    assert {name: tuple(values.shape[1:]) for name, values in parameters} == shapes


def test_the_same_seed_begins_with_the_same_weights():
    pair = [EquivariantNetwork(FEATURES, 3, 4, 1) for _ in range(2)]
    for each in pair:
        each.initialise(torch.Generator().manual_seed(5))
    first, second = (list(each.parameters()) for each in pair)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert not torch.equal(EquivariantNetwork(FEATURES, 3, 4, 1).first, pair[0].first)
