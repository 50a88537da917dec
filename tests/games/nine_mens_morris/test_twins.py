"""Python and C++ are twins: the same moves in the same order, the same ends, the same texts."""

import pickle
import random

import pytest

import ludus
from ludus.games.nine_mens_morris import PRESETS, SYMMETRIES
from ludus.games.nine_mens_morris.notation import PositionFields
from support.games import play_randomly
from support.repetition import repeat

UNUSUAL = [
    "men=3",
    "men=5,flying=no,repetition=3",
    "lasker,diagonals=yes,take_from_mills=always",
    "morabaraba,blocked=passes,repetition=4,quiet_plies=30",
    "vrajitoru,flying=yes,lose_below=2,men=12",
    "men=12,place_or_move=yes,take_from_mills=never,full_board=draws",
]


def pair(rules):
    return (ludus.game("nine_mens_morris", rules, engine) for engine in ("native", "python"))


def assert_twins(native, python):
    assert str(native) == str(python)
    assert native.outcome() == python.outcome()
    assert native.legal_moves() == python.legal_moves()
    for name in ("mover", "hands", "men", "bits", "occurrence", "quiet", "rules"):
        assert getattr(native, name) == getattr(python, name), name


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_random_games(rules):
    """Over all rules hundreds of games, each compared at every ply."""
    native_game, python_game = pair(rules)
    reasons = set()
    for seed in range(repeat(10, 300)):
        rng = random.Random(seed)
        native, python = native_game.start(), python_game.start()
        for _ in range(150):
            if seed % 10 == 0:
                assert_twins(native, python)
            else:
                assert native.legal_moves() == python.legal_moves()
            moves = native.legal_moves()
            if not moves:
                reasons.add(native.outcome().reason)
                break
            # Quiet moves are preferred half of the time, so that games last and repeat.
            quiet = [move for move in moves if move.take is None]
            move = rng.choice(quiet if quiet and rng.random() < 0.5 else moves)
            native, python = native.play(move), python.play(move)
        assert_twins(native, python)
    assert reasons


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_odd_positions(rules):
    """Boards that no game reaches: any men anywhere, one-sided hands, blocked corners."""
    native_game, python_game = pair(rules)
    most = native_game.rules.men
    rng = random.Random(1)
    for _ in range(repeat(50, 400)):
        points = rng.sample(range(24), 24)
        counts = [rng.randint(0, most), rng.randint(0, most)]
        hands = tuple(rng.choice([0, rng.randint(0, most - count)]) for count in counts)
        men = (frozenset(points[: counts[0]]), frozenset(points[counts[0] : sum(counts)]))
        fields = PositionFields(men, hands, rng.randint(0, 1))
        native, python = native_game.position(fields), python_game.position(fields)
        assert_twins(native, python)
        for move in native.legal_moves()[:5]:
            assert_twins(native.play(move), python.play(move))


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_perft(rules):
    """From the start to depth 3, and through the end of the placing phase into repetitions."""
    native_game, python_game = pair(rules)
    for depth in (1, 2, 3):
        start = python_game.start()
        assert native_game.perft(native_game.start(), depth) == python_game.perft(start, depth)
    for seed in range(6):
        native = list(play_randomly(native_game, seed, plies=40))[-1]
        python = list(play_randomly(python_game, seed, plies=40))[-1]
        assert str(native) == str(python)
        for depth in (1, 2):
            assert native_game.perft(native, depth) == python_game.perft(python, depth)


@pytest.mark.parametrize("rules", [*PRESETS][: repeat(1, 4)])
def test_perft_to_depth_four(rules):
    native_game, python_game = pair(rules)
    assert native_game.perft(native_game.start(), 4) == python_game.perft(python_game.start(), 4)


def test_perft_knows_repetition():
    """Eight men that can only shuffle: from the fifth ply on, repeated positions end lines."""
    native_game, python_game = pair("standard")
    text = "W.W/.../.../W..W../.B./..B/B.B w 0 0"
    endless_game = ludus.game("nine_mens_morris", "repetition=0")
    native, python = native_game.parse(text), python_game.parse(text)
    counts = [native_game.perft(native, depth) for depth in (4, 5)]
    assert counts == [python_game.perft(python, depth) for depth in (4, 5)]
    endless = [endless_game.perft(endless_game.parse(text), depth) for depth in (4, 5)]
    assert endless[0] == counts[0]
    assert endless[1] > counts[1]


@pytest.mark.parametrize("rules", PRESETS)
def test_canonical_forms(rules):
    native_game, python_game = pair(rules)
    for seed in range(repeat(8, 20)):
        for native in list(play_randomly(native_game, seed))[::7]:
            canonical = native_game.canonical(native)
            assert str(canonical) == str(python_game.canonical(python_game.parse(str(native))))
            for symmetry in SYMMETRIES:
                assert native_game.canonical(native_game.transform(native, symmetry)) == canonical


def test_random_playouts_follow_the_rules():
    """The compiled lottery draws each legal move equally often: its statistics are Python's."""
    native_game, python_game = pair("standard")
    native = native_game.start().playouts(20_000, seed=3, threads=2)
    lengths, winners = [], []
    for seed in range(repeat(60, 400)):
        game = list(play_randomly(python_game, seed))
        lengths.append(len(game) - 1)
        winners.append(game[-1].outcome().winner)
    mean = sum(lengths) / len(lengths)
    spread = (sum((x - mean) ** 2 for x in lengths) / len(lengths)) ** 0.5
    assert abs(native["plies"] / native["games"] - mean) < 4 * spread / len(lengths) ** 0.5
    for side in (0, 1):
        share = native["wins"][side] / native["games"]
        found = winners.count(side) / len(winners)
        assert abs(share - found) < 4 * (share * (1 - share) / len(winners)) ** 0.5


def test_playouts_depend_on_the_seed_alone():
    game = ludus.game("nine_mens_morris")
    once, twice = (game.start().playouts(5000, seed=7, threads=threads) for threads in (1, 2))
    assert once == twice
    assert once != game.start().playouts(5000, seed=8)


def test_a_pickled_position_keeps_its_history():
    """A position sent to another process keeps its repetitions."""
    game = ludus.game("nine_mens_morris")
    position = game.parse("W.W/.../.../W..W../.B./..B/B.B w 0 0")
    for text in ("g7-d7", "f2-f4", "d7-g7"):
        position = position.play(game.parse_move(text, position))
    copy = pickle.loads(pickle.dumps(position))
    assert copy == position
    assert hash(copy) == hash(position)
    assert copy.play(game.parse_move("f4-f2", copy)).outcome().reason == "repetition"


@pytest.mark.parametrize("preset", ["standard", "vrajitoru"])
def test_native_and_python_positions_are_equal(preset):
    """They are the same keys of a dictionary, along a game with its repetitions and quiet plies."""
    twins = [ludus.game("nine_mens_morris", preset, engine) for engine in ("native", "python")]
    native, python = (game.start() for game in twins)
    source, seen = random.Random(5), {}
    while native.outcome() is None:
        assert native == python
        assert python == native
        assert hash(native) == hash(python)
        seen[native] = len(seen)
        assert seen[python] == seen[native]
        move = source.choice(native.legal_moves())
        before, native, python = native, native.play(move), python.play(move)
        assert before != python
        assert python != before
    assert native != ludus.game("nine_mens_morris:lasker", engine="python").start()
    assert python != "WWW"
