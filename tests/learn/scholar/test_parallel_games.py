"""Parallel games play the chosen moves, and restart when they are over."""

import numpy as np
import pytest

from ludus.core.errors import BadSpec
from ludus.learn.scholar.examples import GamePositions
from ludus.learn.scholar.sampling import ParallelGames, ParallelGamesOptions
from support.scholar import FOUR, THREE, source_of


def one_ply(source, count, seed, **options):
    drawn = source.sample_positions(count, seed)
    plies = np.arange(count, dtype=np.int32) % 7
    examples, restarts = source.examples(drawn, 128), source.start_positions(1)
    after = source.advance(GamePositions(drawn, plies), examples, restarts, seed, **options)
    return examples, after


def found_at(examples, after):
    """Return the child that each game continued with; -1 for those that restarted."""
    children = examples.children.positions
    same = np.logical_and.reduce(
        [
            child == then[:, np.newaxis]
            for child, then in zip(children.columns, after.positions.columns, strict=True)
        ]
    )
    same &= examples.children.is_move
    # Two moves can lead to one position, by taking a man from either of two places: any will do.
    return np.where((after.plies > 0) & same.any(1), same.argmax(1), -1)


def test_without_noise_games_keep_their_values():
    source = source_of(FOUR)
    examples, after = one_ply(source, 5000, 1, noise=0.0, max_plies=100)
    at = found_at(examples, after)
    going_on = at >= 0
    assert going_on.mean() > 0.8
    assert examples.keeps_value[going_on, at[going_on]].all()
    ended = after.plies == 0
    assert np.array_equal(ended, ~going_on)
    assert not after.positions.own[ended].any(), "they begin anew at the start of the game"
    assert (after.positions.own_hand[ended] == 4).all()


def test_with_noise_any_move_is_played():
    source = source_of(FOUR)
    examples, after = one_ply(source, 20_000, 2, noise=1.0, max_plies=100)
    at = found_at(examples, after)
    going_on = at >= 0
    is_kept = examples.keeps_value[going_on, at[going_on]]
    by_chance = (examples.keeps_value.sum(1) / examples.children.count)[going_on]
    # Games that end are left out on both sides, so a small difference remains.
    assert abs(is_kept.mean() - by_chance.mean()) < 0.05
    half = one_ply(source, 20_000, 2, noise=0.5, max_plies=100)
    at_half = found_at(*half)
    half_kept = half[0].keeps_value[at_half >= 0, at_half[at_half >= 0]].mean()
    assert is_kept.mean() + 0.02 < half_kept < 0.99


def test_long_games_begin_anew_and_plies_are_counted():
    source = source_of(FOUR)
    _, after = one_ply(source, 700, 3, noise=0.0, max_plies=4)
    before = np.arange(700) % 7
    assert (after.plies[before >= 3] == 0).all()
    assert set(after.plies[before == 1].tolist()) <= {0, 2}


def test_chosen_moves_are_played():
    source = source_of(FOUR)
    drawn = source.sample_positions(2000, 4)
    examples = source.examples(drawn, 128)
    last = examples.children.count - 1
    rows = np.arange(2000)
    chosen = np.where(rows % 2 == 0, examples.children.move[rows, last], -1).astype(np.int32)
    games = GamePositions(drawn, np.zeros(2000, np.int32))
    after = source.advance(games, examples, source.start_positions(1), 5, chosen=chosen, noise=0.0)
    is_same = (after.positions.own == examples.children.positions.own[rows, last]) & (
        after.positions.other == examples.children.positions.other[rows, last]
    )
    is_chosen = (chosen >= 0) & (after.plies > 0)
    assert is_chosen.sum() > 700
    assert is_same[is_chosen].all()
    assert not is_same[(chosen < 0) & (after.plies > 0)].all()


def test_games_that_go_on_by_themselves():
    source = source_of(FOUR)
    games = ParallelGames(source, 300, seed=1)
    phases = set()
    for _ in range(30):
        games.step()
        assert (games.examples.children.count > 0).all(), "no game stands where it is over"
        phases |= set(games.examples.positions.own_hand.tolist())
    assert phases == {0, 1, 2, 3, 4}
    again = ParallelGames(source, 300, seed=1)
    for _ in range(30):
        again.step()
    assert np.array_equal(again.examples.positions.own, games.examples.positions.own)
    assert np.array_equal(again.examples.children.value, games.examples.children.value)


def bad_moves(examples):
    """A move of each position that gives the value away; -1 where none does."""
    children = examples.children
    is_bad = children.is_move & ~examples.keeps_value
    rows = np.arange(len(examples))
    return np.where(is_bad.any(1), children.move[rows, is_bad.argmax(1)], -1).astype(np.int32)


def keys(positions):
    return set(zip(*(column.tolist() for column in positions.columns), strict=True))


def test_games_begin_again_where_the_chosen_moves_were_errors():
    source = source_of(FOUR)
    # A game of one ply begins anew at once.
    options = ParallelGamesOptions(from_start=0.0, from_errors=1.0, max_plies=1)
    games = ParallelGames(source, 400, 2, options)
    chosen = bad_moves(games.examples)
    errors = keys(games.examples.positions[chosen >= 0])
    games.step(chosen)
    again = keys(games.examples.positions)
    assert again <= errors
    assert len(again) > len(errors) / 2 > 50
    games.step()
    assert keys(games.examples.positions) <= errors, "they are remembered"


def test_a_share_of_the_games_begins_at_errors():
    source = source_of(FOUR)
    options = ParallelGamesOptions(from_start=0.5, from_errors=0.25, max_plies=1)
    games = ParallelGames(source, 4000, 2, options)
    one_error = np.where(np.arange(4000) == 3999, bad_moves(games.examples), -1)
    assert one_error[-1] >= 0
    error = keys(games.examples.positions[-1:])
    games.step(one_error.astype(np.int32))
    columns = (column.tolist() for column in games.examples.positions.columns)
    begun = list(zip(*columns, strict=True))
    assert abs(begun.count(next(iter(error))) / 4000 - 0.25) < 0.03
    assert abs(begun.count((0, 0, 4, 4)) / 4000 - 0.5) < 0.04


def test_good_moves_are_not_remembered():
    source = source_of(THREE)
    games = ParallelGames(
        source, 200, 3, ParallelGamesOptions(from_start=0.0, from_errors=1.0, max_plies=1)
    )
    children, rows = games.examples.children, np.arange(200)
    games.step(children.move[rows, games.examples.keeps_value.argmax(1)])
    first = keys(games.examples.positions)
    assert len(first) > 100, "drawn anywhere, since there are no errors to begin at"


@pytest.mark.parametrize(
    "options",
    [
        {"noise": 1.5},
        {"from_start": -0.1},
        {"from_start": 0.6, "from_errors": 0.6},
        {"max_plies": 0},
        {"warm_up": -1},
        {"noise": float("nan")},
    ],
)
def test_options_that_cannot_be(options):
    with pytest.raises(BadSpec):
        ParallelGamesOptions(**options)
