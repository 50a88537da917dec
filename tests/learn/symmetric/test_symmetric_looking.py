"""The first layer through the harmonics of what it sees, and blocks that are used again."""

import numpy as np
import pytest

from ludus.learn.scholar.fields import MOVED
from ludus.learn.symmetric import tied
from ludus.learn.symmetric.forward import Forward, parameter_shapes
from ludus.learn.symmetric.group import CHOICES, ORDER, POINTS, STEPS, fixed, joined
from ludus.learn.symmetric.harmonics import PLANES, SIGNS, mixed, rectified, spectrum, views
from ludus.learn.symmetric.looking import harmonics, in_harmonics, looked, template

KINDS = {
    "points": POINTS,
    "numbers": fixed(3),
    "views": np.argsort(STEPS, axis=1),
    "a scholar's fields": MOVED,
    "with a choice": joined(MOVED, CHOICES),
}
"""Among them the symmetries themselves, which no symmetry but one leaves where they are."""


@pytest.mark.parametrize("things", KINDS.values(), ids=KINDS)
def test_harmonics_are_as_many_as_things_and_orthogonal(things):
    found = harmonics(things)
    width = things.shape[1]
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(width), atol=1e-5)
    parts = [*found.signs, *found.planes]
    assert len(found.signs) == SIGNS
    assert len(found.planes) == PLANES
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert parts[-1].stop == width
    assert harmonics(things.copy()) is found, "made once"


@pytest.mark.parametrize("things", KINDS.values(), ids=KINDS)
def test_small_blocks_make_up_the_matrix(things):
    found = harmonics(things)
    seen = np.random.default_rng(5).normal(size=(6, things.shape[1])).astype(np.float32)
    np.testing.assert_allclose(in_harmonics(seen, found), found.matrix @ seen.T, atol=1e-5)
    assert sum(orbits.things.size for orbits in found.orbits) == things.shape[1]
    assert max(len(orbits.things) for orbits in found.orbits) <= ORDER
    assert len(found.orbits) <= 8, "sets of things that are taken into each other alike are one"


def test_numbers_have_the_harmonic_that_is_the_same_everywhere():
    assert harmonics(fixed(3)).signs[0] == slice(0, 3)


@pytest.mark.parametrize("things", KINDS.values(), ids=KINDS)
def test_what_the_views_see_is_what_the_template_finds_in_them(things):
    source = np.random.default_rng(1)
    first = source.normal(size=(5, things.shape[1])).astype(np.float32)
    seen = source.normal(size=(7, things.shape[1])).astype(np.float32)
    plain = seen @ tied.looking(first, tied.places(things)).T
    found = views(looked(seen, template(first, things)))
    wanted = plain.reshape(7, ORDER, 5).transpose(1, 2, 0)
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_mixing_harmonics_is_mixing_views():
    source = np.random.default_rng(2)
    steps = source.normal(size=(ORDER, 3, 4)).astype(np.float32)
    terms = source.normal(size=(ORDER, 4, 6)).astype(np.float32)
    plain = tied.mixing(steps, STEPS) @ views(terms).reshape(-1, 6)
    found = views(mixed(terms, spectrum(steps)))
    np.testing.assert_allclose(found.reshape(-1, 6), plain, rtol=1e-4, atol=1e-4)


def test_rectifying_is_done_to_the_views():
    terms = np.random.default_rng(3).normal(size=(ORDER, 2, 5)).astype(np.float32)
    np.testing.assert_allclose(views(rectified(terms)), np.maximum(views(terms), 0), atol=1e-5)


@pytest.mark.parametrize("answers", [None, CHOICES], ids=["judging", "pointing"])
def test_repeated_blocks_are_like_the_same_blocks_again(answers):
    source = np.random.default_rng(4)
    shapes = parameter_shapes(
        MOVED.shape[1], 25 if answers is not None else 3, 4, 2, answers is None
    )
    weights = {name: source.normal(0, 0.2, shape) for name, shape in shapes.items()}
    longer = dict(weights)
    for name, values in weights.items():
        if name.startswith("blocks."):
            _, number, part = name.split(".")
            longer |= {f"blocks.{int(number) + 2 * more}.{part}": values for more in (1, 2)}
    things = source.normal(size=(9, MOVED.shape[1])).astype(np.float32)
    again = Forward(weights, MOVED, answers, repeats=3)(things)
    np.testing.assert_array_equal(again, Forward(longer, MOVED, answers)(things))
    assert np.abs(again - Forward(weights, MOVED, answers)(things)).max() > 0.01
