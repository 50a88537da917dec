"""The lifting layer in the Fourier basis of its features, and shared blocks."""

import numpy as np
import pytest

from ludus.learn.equivariant import group
from ludus.learn.equivariant.fourier import (
    NUM_1D_IRREPS,
    NUM_2D_IRREPS,
    apply_relu,
    build_adapted_basis,
    build_lifting_layer,
    convolve,
    lift,
    to_adapted_basis,
    to_group_domain,
    transform_kernel,
)
from ludus.learn.equivariant.group import (
    CHOICE_PERMUTATIONS,
    GROUP_ORDER,
    POINT_PERMUTATIONS,
    RELATIVE_ELEMENTS,
    concatenate_permutations,
    trivial_permutations,
)
from ludus.learn.equivariant.inference import NumpyEquivariantNetwork, list_parameter_shapes
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS

KINDS = {
    "points": POINT_PERMUTATIONS,
    "numbers": trivial_permutations(3),
    "views": np.argsort(RELATIVE_ELEMENTS, axis=1),
    "a scholar's fields": FEATURE_PERMUTATIONS,
    "with a choice": concatenate_permutations(FEATURE_PERMUTATIONS, CHOICE_PERMUTATIONS),
}
"""Among them the symmetries themselves, which no symmetry but one leaves where they are."""


@pytest.mark.parametrize("features", KINDS.values(), ids=KINDS)
def test_fourier_basis_is_square_and_orthogonal(features):
    found = build_adapted_basis(features)
    width = features.shape[1]
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(width), atol=1e-5)
    parts = [*found.irreps_1d, *found.irreps_2d]
    assert len(found.irreps_1d) == NUM_1D_IRREPS
    assert len(found.irreps_2d) == NUM_2D_IRREPS
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert parts[-1].stop == width
    assert build_adapted_basis(features.copy()) is found, "made once"


@pytest.mark.parametrize("features", KINDS.values(), ids=KINDS)
def test_small_blocks_make_up_the_matrix(features):
    found = build_adapted_basis(features)
    seen = np.random.default_rng(5).normal(size=(6, features.shape[1])).astype(np.float32)
    np.testing.assert_allclose(to_adapted_basis(seen, found), found.matrix @ seen.T, atol=1e-5)
    assert sum(orbits.elements.size for orbits in found.orbits) == features.shape[1]
    assert max(len(orbits.elements) for orbits in found.orbits) <= GROUP_ORDER
    assert len(found.orbits) <= 8, "sets of things that are taken into each other alike are one"


def test_scalar_features_have_the_trivial_irrep():
    assert build_adapted_basis(trivial_permutations(3)).irreps_1d[0] == slice(0, 3)


@pytest.mark.parametrize("features", KINDS.values(), ids=KINDS)
def test_lifting_layer_equals_the_expanded_matrix(features):
    source = np.random.default_rng(1)
    first = source.normal(size=(5, features.shape[1])).astype(np.float32)
    seen = source.normal(size=(7, features.shape[1])).astype(np.float32)
    plain = seen @ group.expand_lifting(first, group.invert_permutations(features)).T
    found = to_group_domain(lift(seen, build_lifting_layer(first, features)))
    wanted = plain.reshape(7, GROUP_ORDER, 5).transpose(1, 2, 0)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_fourier_blocks_equal_the_group_convolution():
    source = np.random.default_rng(2)
    steps = source.normal(size=(GROUP_ORDER, 3, 4)).astype(np.float32)
    terms = source.normal(size=(GROUP_ORDER, 4, 6)).astype(np.float32)
    plain = group.expand_group_convolution(steps, RELATIVE_ELEMENTS) @ to_group_domain(
        terms
    ).reshape(-1, 6)
    found = to_group_domain(convolve(terms, transform_kernel(steps)))
    np.testing.assert_allclose(found.reshape(-1, 6), plain, rtol=1e-4, atol=1e-4)


def test_rectifying_is_done_to_the_views():
    terms = np.random.default_rng(3).normal(size=(GROUP_ORDER, 2, 5)).astype(np.float32)
    np.testing.assert_allclose(
        to_group_domain(apply_relu(terms)), np.maximum(to_group_domain(terms), 0), atol=1e-5
    )


@pytest.mark.parametrize("answers", [None, CHOICE_PERMUTATIONS], ids=["judging", "pointing"])
def test_repeated_blocks_are_like_the_same_blocks_again(answers):
    source = np.random.default_rng(4)
    shapes = list_parameter_shapes(
        FEATURE_PERMUTATIONS.shape[1], 25 if answers is not None else 3, 4, 2, answers is None
    )
    weights = {name: source.normal(0, 0.2, shape) for name, shape in shapes.items()}
    longer = dict(weights)
    for name, values in weights.items():
        if name.startswith("blocks."):
            _, number, part = name.split(".")
            longer |= {f"blocks.{int(number) + 2 * more}.{part}": values for more in (1, 2)}
    features = source.normal(size=(9, FEATURE_PERMUTATIONS.shape[1])).astype(np.float32)
    again = NumpyEquivariantNetwork(weights, FEATURE_PERMUTATIONS, answers, repeats=3)(features)
    np.testing.assert_array_equal(
        again, NumpyEquivariantNetwork(longer, FEATURE_PERMUTATIONS, answers)(features)
    )
    assert (
        np.abs(
            again - NumpyEquivariantNetwork(weights, FEATURE_PERMUTATIONS, answers)(features)
        ).max()
        > 0.01
    )
