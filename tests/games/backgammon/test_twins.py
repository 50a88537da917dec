"""The readable engine and the compiled one: the same moves in the same order."""

import pickle
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings

from ludus._native import backgammon as compiled
from ludus.core import CHANCE
from ludus.games.backgammon import Backgammon, Roll, Rules, native
from support.backgammon import any_position
from support.games import play_randomly
from support.repetition import repeat

MASK = 2**64 - 1


def assert_twins(position):
    readable, fast = replace(position, engine="python"), replace(position, engine="native")
    assert readable == fast
    assert hash(readable) == hash(fast)
    moves = readable.legal_moves()
    assert fast.legal_moves() == moves
    assert readable.outcome() == fast.outcome()
    for move in moves:
        after, twin = readable.play(move), fast.play(move)
        assert after == twin
        assert hash(after) == hash(twin)


@pytest.mark.parametrize(
    ("preset", "games", "every"), [("standard", 12, repeat(10, 1)), ("hyper", 16, repeat(3, 1))]
)
def test_in_random_games(preset, games, every):
    """With all moves of a position played; a position of the whole game has up to hundreds."""
    game = Backgammon(Backgammon.presets[preset])
    checked = 0
    for seed in range(games):
        for position in islice(play_randomly(game, seed), seed % every, None, every):
            assert_twins(position)
            checked += 1
    assert checked > 500 / every


def test_move_lists_of_thousands_of_positions():
    game = Backgammon()
    positions = (p for seed in range(100, 100 + repeat(20, 40)) for p in play_randomly(game, seed))
    checked = 0
    for position in islice((p for p in positions if p.dice), repeat(400, 3000)):
        moves = position.legal_moves()
        assert replace(position, engine="python").legal_moves() == moves
        assert [type(move) for move in moves] == [type(m) for m in moves[:1]] * len(moves)
        checked += 1
    assert checked == repeat(400, 3000)


@settings(max_examples=repeat(50, 300), deadline=None)
@given(any_position(Rules()))
def test_in_any_position(position):
    fast = replace(position, engine="native")
    assert fast.legal_moves() == position.legal_moves()
    for move in fast.legal_moves()[:20]:
        assert fast.play(move) == position.play(move)


def test_perft_is_the_same():
    fast, readable = Backgammon(), Backgammon(engine="python")
    for position in islice(play_randomly(fast, 3), 0, 60, 6):
        for depth in range(3):
            assert fast.perft(position, depth) == readable.perft(position, depth)


def test_compiled_moves_are_ordinary_values():
    position = Backgammon().start().play(Roll(3, 1))
    for move in position.legal_moves():
        assert pickle.loads(pickle.dumps(move)) == move
        assert move._replace(side=0) == move
    assert pickle.loads(pickle.dumps(position)) == position


def splitmix64(seed):
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        yield z ^ (z >> 31)


def below(numbers, bound):
    while True:
        product = (next(numbers) >> 32) * bound
        if product & 0xFFFFFFFF >= 2**32 % bound:
            return product >> 32


def play_out(position, numbers):
    while position.outcome() is None:
        if position.mover == CHANCE:
            dice = below(numbers, 6) + 1, below(numbers, 6) + 1
            if position.opening and dice[0] == dice[1]:
                continue
            position = position.play(Roll(max(dice), min(dice)))
        else:
            moves = position.legal_moves()
            position = position.play(moves[below(numbers, len(moves))])
    return position.outcome()


@pytest.mark.parametrize("text", ["start", "24:2,13:5,8:2,6:4,5:2 24:2,13:5,8:3,6:5 1 64"])
def test_playouts_are_games_by_the_rules(text):
    """The same random numbers, drawn here in Python, lead to the same games."""
    game = Backgammon(Rules(opening="first"), engine="python")
    start = game.start() if text == "start" else game.parse(text)
    tally = [[0, 0, 0], [0, 0, 0]]
    numbers = splitmix64(7)
    for _ in range(12):
        outcome = play_out(start, numbers)
        tally[outcome.winner][outcome.points - 1] += 1
    assert native.playouts(start, 12, 7) == (tuple(tally[0]), tuple(tally[1]))


def test_each_side_begins_half_of_the_playouts():
    start = Backgammon(engine="python").start()
    halves = [
        native.playouts(replace(start, opening="first", turn=turn), 5 - turn, 7 + turn)
        for turn in (0, 1)
    ]
    both = [[a + b for a, b in zip(*sides, strict=True)] for sides in zip(*halves, strict=True)]
    assert native.playouts(start, 9, 7) == (tuple(both[0]), tuple(both[1]))


def test_playouts_of_a_finished_game_only_count_it():
    over = Backgammon().parse("off:15 13:15 1 over")
    assert native.playouts(over, 5, 1) == ((0, 5, 0), (0, 0, 0))


@pytest.mark.parametrize(
    "fields",
    [
        ([0] * 23, (0, 0), (15, 15), 0, (3, 1)),
        ([16, *[0] * 23], (0, 0), (0, 15), 0, (3, 1)),
        ([-128, *[0] * 23], (0, 0), (15, 0), 0, (3, 1)),
        ([1, *[0] * 23], (-1, 0), (14, 15), 0, (3, 1)),
        ([1, *[0] * 23], (0, 0), (14, 15), 2, (3, 1)),
        ([1, *[0] * 23], (0, 0), (14, 15), 0, (7, 1)),
        ([1, *[0] * 23], (0, 0), (14, 15), 0, (1, 3)),
    ],
)
def test_nonsense_does_not_reach_the_core(fields):
    with pytest.raises((ValueError, TypeError)):
        compiled.legal_moves(*fields)
