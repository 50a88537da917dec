"""Parts of a dataset: the author's, and those between which nothing leaks."""

import numpy as np
import pytest

from ludus.core.errors import LudusError
from ludus.datasets.morris.augmentation import augment
from ludus.datasets.morris.files import read_dataset
from ludus.games.nine_mens_morris.batch import NO_POINT, MoveBatch
from ludus.learn.nnmm.config import NnmmConfig
from ludus.learn.nnmm.data import (
    group_symmetric_entries,
    split_contiguously,
    split_entries,
    split_fold,
)
from support.facilities import external
from support.nnmm import teacher_moves


def flying(number: int, seed: int = 1) -> MoveBatch:
    """Three men against three at random, so that the published recipe swaps rings too."""
    rng = np.random.default_rng(seed)
    points = np.argsort(rng.random((number, 24)), axis=1)[:, :8].astype(np.int32)
    bits = 1 << points
    hands = np.zeros(number, dtype=np.uint8)
    frm, to = np.log2(bits[:, 0]).astype(np.int8), points[:, 7].astype(np.int8)
    none = np.full(number, NO_POINT, dtype=np.int8)
    return MoveBatch(
        np.bitwise_or.reduce(bits[:, :3], axis=1),
        np.bitwise_or.reduce(bits[:, 3:6], axis=1),
        hands,
        hands,
        to,
        frm,
        none,
    )


def keys(entries: MoveBatch) -> set[int]:
    return set(entries.keys().tolist())


@pytest.mark.external("nnmm")
def test_the_authors_split_has_the_authors_sizes():
    entries = read_dataset(external("nnmm", "dataset.txt"))
    parts = split_entries(entries, "contiguous", "published")
    assert [len(part) for part in parts] == [1_384_373, 81_433, 162_867]


def test_a_contiguous_split_keeps_the_order():
    expanded = augment(teacher_moves(), "published")
    joined = MoveBatch.concatenate(split_contiguously(expanded))
    for column, whole in zip(joined.columns, expanded.columns, strict=True):
        assert np.array_equal(column, whole)


@pytest.mark.parametrize("recipe", ["published", "symmetries"])
@pytest.mark.parametrize("entries", [teacher_moves(), flying(600)], ids=["games", "flying"])
def test_nothing_leaks_between_parts_by_entry(entries, recipe):
    parts = split_entries(entries, "entries", recipe, seed=3)
    states = [keys(part) for part in parts]
    assert states[0].isdisjoint(states[1])
    assert states[0].isdisjoint(states[2])
    assert states[1].isdisjoint(states[2])
    assert set.union(*states) == keys(augment(entries, recipe))
    assert len(parts.validation) == pytest.approx(0.05 * sum(map(len, parts)), rel=0.35)
    assert len(parts.test) == pytest.approx(0.1 * sum(map(len, parts)), rel=0.35)


def test_images_of_an_entry_are_of_its_group():
    entries = flying(50)
    group, number = group_symmetric_entries(augment(entries, "published"))
    assert number == group_symmetric_entries(entries)[1]
    assert len(group) > 16 * 40


def test_a_contiguous_split_cuts_through_an_entry():
    """The split by entries avoids this."""
    parts = split_contiguously(augment(teacher_moves(), "published"))
    shared = set(
        group_symmetric_entries(MoveBatch.concatenate(parts[:2]))[0][: len(parts[0])].tolist()
    )
    assert shared & set(
        group_symmetric_entries(MoveBatch.concatenate(parts[:2]))[0][len(parts[0]) :].tolist()
    )


def test_another_seed_is_another_split():
    one, same, other = (
        split_entries(teacher_moves(), "entries", "published", seed) for seed in (1, 1, 2)
    )
    assert keys(one.test) == keys(same.test) != keys(other.test)


def test_folds_share_out_everything():
    entries = teacher_moves()
    found = [split_fold(entries, 4, fold, "published", seed=1) for fold in range(4)]
    everything = keys(augment(entries, "published"))
    seen: set[int] = set()
    for part in found:
        states = keys(part.validation)
        assert states.isdisjoint(keys(part.training))
        assert states | keys(part.training) == everything
        assert states.isdisjoint(seen)
        assert not len(part.test)
        seen |= states
    assert seen == everything


@pytest.mark.parametrize("number", [-1, 1, 101])
def test_folds_must_be_some(number):
    with pytest.raises(LudusError, match="folds"):
        NnmmConfig.parse({"data": "moves.txt", "folds": number})


def test_too_few_entries_cannot_be_split():
    with pytest.raises(LudusError, match="too few"):
        split_entries(teacher_moves()[:30], "entries", "published")
