"""Endless batches of examples: what they hold, and how positions are distributed."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

import ludus
from ludus._native import sampling as native
from ludus.core.errors import BadSpec, UnknownName
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar.examples import prepare_subspace_weights
from ludus.learn.scholar.sampling import ParallelGamesOptions, SamplerOptions, stream_examples
from support.scholar import FOUR, THREE, readable, source_of


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


def chi_squared(counts, shares_expected=None):
    """How far counts are from what is expected, per degree of freedom: about 1 when fair."""
    counts = np.asarray(counts, float)
    expected = counts.sum() * (
        np.full(len(counts), 1 / len(counts)) if shares_expected is None else shares_expected
    )
    return ((counts - expected) ** 2 / expected).sum() / (len(counts) - 1)


def test_all_positions_of_a_subspace_are_equally_likely():
    source = source_of(THREE)
    drawn = source.sample_positions(100_000, 4, [(1, 1, 2, 2)])
    assert set(drawn.own_hand.tolist()) == set(drawn.other_hand.tolist()) == {2}
    counts = Counter(zip(drawn.own.tolist(), drawn.other.tolist(), strict=True))
    assert len(counts) == 24 * 23
    assert chi_squared(list(counts.values())) < 1.2


def test_subspaces_come_as_often_as_their_weights_say():
    source, weights = source_of(FOUR), [1.0, 0.0, 5.5, 2.0]
    chosen = [(3, 3, 0, 0), (4, 3, 0, 0), (0, 0, 4, 4), (2, 2, 2, 2)]
    drawn = source.sample_positions(50_000, 5, chosen, weights)
    kinds = Counter(drawn.own_hand.tolist())
    assert set(kinds) == {0, 4, 2}
    expected = np.array([1.0, 5.5, 2.0]) / 8.5
    assert chi_squared([kinds[0], kinds[4], kinds[2]], expected) < 3
    assert len(set(source.subspaces)) == len(source.subspaces)
    all_kinds = Counter(
        (own.bit_count(), other.bit_count(), *hands)
        for own, other, *hands in zip(
            *(column.tolist() for column in source.sample_positions(50_000, 6).columns), strict=True
        )
    )
    assert set(all_kinds) == set(source.subspaces)
    assert chi_squared(list(all_kinds.values())) < 2


def test_positions_that_are_over_are_not_drawn():
    """Eleven men a side leave so few points free that many positions are blocked."""
    rules = Rules(men=11)
    columns = tuple(np.empty(20_000, kind) for kind in ("i4", "i4", "u1", "u1"))
    men, upto = prepare_subspace_weights([(11, 11, 0, 0), (12, 12, 0, 0)], None)
    assert men.tolist() == [[11, 11, 0, 0]], "on a full board nobody can move"
    native.draw(rules, men.reshape(-1), upto, 1, columns)
    game = ludus.game("nine_mens_morris", rules)
    assert not any(
        position.outcome() for position in readable(game.rules, PositionBatch(*columns))[:500]
    )


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 2.0], [0.0, 0.0], [float("nan"), 1.0]])
def test_weights_that_cannot_be(weights):
    with pytest.raises(ValueError, match=r"weights|no subspace"):
        prepare_subspace_weights([(3, 3, 0, 0), (4, 3, 0, 0)], weights)


def test_short_rows_hold_a_fair_choice():
    source, room = source_of(THREE), 5
    one = source.sample_positions(1, 7, [(3, 3, 0, 0)])
    many = one[np.zeros(20_000, int)]
    children = source.expand(many, room, seed=8)
    whole = source.expand(one, 128)
    moves = whole.move[0, : whole.count[0]].tolist()
    assert (children.count == len(moves)).all()
    assert len(moves) > 20
    chosen = Counter(children.move.ravel().tolist())
    assert set(chosen) == set(moves)
    assert chi_squared(list(chosen.values())) < 1.6
    assert all(len(set(row)) == room for row in children.move[:1000].tolist())
    values = dict(zip(moves, whole.value[0].tolist(), strict=False))
    assert [
        values[move] for move in children.move.ravel().tolist()
    ] == children.value.ravel().tolist()


def test_the_same_seeds_give_the_same_and_others_do_not():
    source = source_of(FOUR)
    first, again, other = (source.sample_positions(100, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.own, again.own)
    assert not np.array_equal(first.own, other.own)
    # What a position gets does not depend on how many there are.
    assert np.array_equal(source.sample_positions(1000, 1).own[:100], first.own)
