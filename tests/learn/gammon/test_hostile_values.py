"""Compiled functions with arbitrary values: they raise an error, or the result is usable."""

import contextlib
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fuzzing import native_tables
from ludus._native import gammon
from support.backgammon import START

REFUSED = (ValueError, TypeError)


def odd_boards(rng):
    """Return rows that are boards, nearly boards, or arbitrary numbers."""
    few = rng.integers(0, 3, (4, 52), dtype=np.int8) * (rng.random((4, 52)) < 0.2)
    changed = START.copy()
    changed[0, rng.integers(52)] += rng.integers(-2, 3)
    moved = START.copy()
    moved[0, [24, rng.integers(1, 25)]] += np.array([-1, 1], np.int8)
    wild = rng.integers(-128, 128, (2, 52), dtype=np.int8)
    shapes = [np.zeros(shape, np.int8) for shape in ((0, 52), (1, 51), (52,), (1, 1, 52))]
    return [few.astype(np.int8), changed, moved, wild, START.astype(np.float32), None, *shapes]


@pytest.mark.parametrize("seed", range(20))
def test_boards_of_every_kind(seed):
    rng = np.random.default_rng(seed)
    used = 0
    for boards in odd_boards(rng):
        dice = [int(die) for die in rng.integers(0, 8, 2)]
        calls = [
            lambda boards=boards, dice=dice: gammon.plays(boards, *dice),
            lambda boards=boards: gammon.tool_scores(boards),
            lambda boards=boards: gammon.tool_terms(boards),
            lambda boards=boards, dice=dice: gammon.inputs(
                boards, np.array([dice], np.int8), *(int(n) for n in rng.integers(0, 4, 2))
            )[4],
            lambda boards=boards: gammon.met_in_games("tool", "random", boards, False, 1, 0.5, 1)[
                0
            ],
        ]
        for call in calls:
            with contextlib.suppress(*REFUSED):
                used += np.isfinite(np.asarray(call(), np.float64)).all()
    assert used > 0


@pytest.mark.parametrize(
    "layers",
    [
        [],
        [(np.zeros((393, 2), np.float32), np.zeros(1, np.float32))],
        [(np.zeros((393, 2), np.float32), np.zeros(2, np.float32))],
        [(np.zeros((5, 1), np.float32), np.zeros(1, np.float32))],
        [(np.zeros((393, 0), np.float32), np.zeros(0, np.float32))],
        [None],
    ],
)
def test_layers_that_make_no_network(layers):
    with pytest.raises(REFUSED):
        gammon.Network(1, 0, layers)


@pytest.mark.parametrize(
    ("games", "threads"), [(1, 0), (1, 10_000), (2**40, 1), (-1, 1), (1, -1), (1, 2**70)]
)
def test_too_many_games_or_threads(games, threads):
    with pytest.raises(REFUSED):
        gammon.contest("tool", "tool", START, games, 1, threads)


def test_a_network_learns_in_one_thread_alone():
    """Others get an error instead of weights that are half changed."""
    shape = [(np.zeros((393, 40), np.float32), np.zeros(40, np.float32))]
    network = gammon.Network(
        1, 0, [*shape, (np.zeros((40, 1), np.float32), np.zeros(1, np.float32))]
    )
    patterns = np.array([0, 1]), np.array([5], np.uint16), np.ones(1, np.float32)
    rows, targets = np.zeros(1_000_000, np.int64), np.full(1_000_000, 0.7, np.float32)
    with ThreadPoolExecutor(1) as other:
        learning = other.submit(network.learn, *patterns, rows, targets, 0.1)
        found = set()
        while not learning.done():
            for work in (network.layers, lambda: network.scores(*patterns)):
                try:
                    work()
                except ValueError as error:
                    found.add(str(error))
    assert learning.result() >= 0
    assert found == {"this network is learning in another thread"}
    assert network.scores(*patterns)[0] == pytest.approx(0.7, abs=0.01)


@pytest.mark.parametrize("draw", [native_tables.chances_values, native_tables.gammon_values])
def test_every_seed_of_a_fuzzer_sets_itself_up(draw):
    for seed in range(60):
        draw(random.Random(seed), 0)
