"""Batches by the name of their distribution."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from ludus.core.errors import BadSpec, UnknownName
from ludus.learn.scholar.sampling import ParallelGamesOptions, SamplerOptions, stream_examples
from support.scholar import FOUR, source_of


def batches(count, seed=1, **options):
    source = source_of(FOUR)
    return list(islice(stream_examples(source, SamplerOptions(**options), seed), count))


def test_uniform_over_subspaces():
    found = batches(4, batch=4000)
    kinds = Counter(
        (own.bit_count(), other.bit_count(), *hands)
        for batch in found
        for own, other, *hands in zip(
            *(column.tolist() for column in batch.positions.columns), strict=True
        )
    )
    subspaces = source_of(FOUR).subspaces
    assert set(kinds) == set(subspaces)
    expected = 16_000 / len(subspaces)
    assert max(abs(count - expected) for count in kinds.values()) < 5 * expected**0.5


def test_play_is_mostly_where_games_are():
    played = batches(
        10,
        distribution="play",
        batch=500,
        play=ParallelGamesOptions(from_start=1.0, from_errors=0.0),
    )
    plies = {
        8 - own_hand - other_hand
        for batch in played
        for own_hand, other_hand in zip(
            batch.positions.own_hand.tolist(), batch.positions.other_hand.tolist(), strict=True
        )
    }
    assert plies == set(range(9)), "every stage of the game"


@pytest.mark.parametrize("distribution", ["uniform", "play"])
@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_the_share_of_critical_positions(distribution, share):
    for batch in batches(4, distribution=distribution, batch=200, critical=share):
        assert len(batch) == 200
        assert batch.is_critical.sum() == round(200 * share)


def test_critical_positions_do_not_come_first():
    (batch,) = batches(1, batch=1000, critical=0.5)
    assert 200 < batch.is_critical[:500].sum() < 300


def test_batches_hold_what_the_source_says():
    """Rows stay with their positions through all the joining and shuffling."""
    source = source_of(FOUR)
    for batch in batches(3, batch=300, critical=0.6, max_moves=128):
        again = source.examples(batch.positions, 128)
        assert np.array_equal(batch.value, again.value)
        assert np.array_equal(batch.children.value, again.children.value)
        assert np.array_equal(batch.children.move, again.children.move)
        assert np.array_equal(batch.children.count, again.children.count)
        assert np.array_equal(batch.children.positions.own, again.children.positions.own)


@pytest.mark.parametrize("distribution", ["uniform", "play"])
def test_the_seed_decides(distribution):
    first, again, other = (
        batches(3, seed, distribution=distribution, batch=50, critical=0.5)[-1]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.positions.own, again.positions.own)
    assert not np.array_equal(first.positions.own, other.positions.own)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"distribution": "normal"}, UnknownName),
        ({"distribution": "\ud800"}, UnknownName),
        ({"batch": 0}, BadSpec),
        ({"max_moves": 0}, BadSpec),
        ({"critical": 1.5}, BadSpec),
        ({"critical": float("nan")}, BadSpec),
    ],
)
def test_options_that_cannot_be_used(options, error):
    with pytest.raises(error):
        SamplerOptions(**options)
