"""The strong networks: inputs, compiled twin, lookahead, bearing off, files, and the player."""

import numpy as np
import pytest

import ludus
from ludus._native import chances as native
from ludus._native import equities
from ludus.core.errors import BadSpec
from ludus.games.backgammon.batch import generate_afterstates, position_to_row, row_to_view
from ludus.learn.gammon.afterstate_inputs import UNIT_NAMES, compute_inputs
from ludus.learn.gammon.data import load_test_positions as shipped_test_positions
from ludus.learn.gammon.network import (
    ChancesNetwork,
    compute_equities,
    load_shipped_chances,
)
from ludus.learn.weights import BadWeights
from ludus.players import player
from support.backgammon import met, position

GAME = ludus.game("backgammon")
NAMES = ("expert", "selfplay")
ROLL_WEIGHTS = np.array([1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)]) / 36


def make_row(own, other):
    """A row from both sides' men, each by its own places."""
    row = np.zeros(52, np.int8)
    for place, men in own.items():
        row[place] = men
    for place, men in other.items():
        row[51 - place] = men
    return row


def sample_boards(seed, count):
    boards = np.concatenate([generate_afterstates(here)[:1] for here in met(games=3, seed=seed)])
    return boards[:: max(1, len(boards) // count)]


def flip(chances):
    return np.stack(
        (1 - chances[:, 0], chances[:, 3], chances[:, 4], chances[:, 1], chances[:, 2]), axis=1
    )


SPECIAL = [
    make_row({25: 1, 24: 2, 6: 5, 5: 4, 4: 3}, {25: 2, 13: 5, 8: 3, 6: 5}),  # both on the bar
    make_row({25: 1, 14: 2, 6: 12}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 25: 3}),
    make_row({1: 3, 0: 12}, {23: 1, 6: 2, 0: 12}),
    make_row({6: 5, 5: 5, 4: 5}, {3: 15}),
    make_row({13: 1, 12: 1, 11: 1, 10: 1, 9: 1, 8: 10}, {24: 3, 22: 2, 6: 10}),
]


def test_inputs_are_those_of_the_reference():
    boards = np.concatenate([sample_boards(seed=1, count=40), SPECIAL])
    inputs = native.encode(boards, threads=2)
    assert inputs.shape == (len(boards), native.NUM_INPUTS) == (len(boards), len(UNIT_NAMES))
    for row, found in zip(boards, inputs, strict=True):
        np.testing.assert_allclose(found, compute_inputs(row_to_view(row)), atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_chances_are_those_of_numpy(name):
    network = load_shipped_chances(name)
    boards = sample_boards(seed=2, count=60)
    on_board = boards[:, 1:26].sum(axis=1) * boards[:, 26:51].sum(axis=1) > 0
    outside = boards[:, 7:26].any(axis=1) | boards[:, 26:45].any(axis=1)
    boards = boards[on_board & outside]
    found = network.to_native().evaluate(boards, threads=2)
    wins = 1 / (1 + np.exp(-network.logits(native.encode(boards))[:, 0]))
    np.testing.assert_allclose(found[:, 0], wins, atol=1e-4)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[:, 1] <= found[:, 0]).all()
    assert (found[:, 2] <= found[:, 1]).all()
    assert (found[boards[:, 0] > 0, 3:] == 0).all()


@pytest.mark.parametrize(
    ("other", "points"), [({6: 1, 0: 14}, 1), ({7: 15}, 2), ({19: 1, 6: 14}, 3), ({25: 15}, 3)]
)
def test_a_finished_game_is_known(other, points):
    board = make_row({0: 15}, other)[None]
    found = load_shipped_chances("selfplay").to_native().evaluate(board, depth=2)
    assert compute_equities(found).tolist() == [points]


def test_bearing_off_is_nearly_exact():
    """Compared with the exact equities of up to three men a side; they differ by single rolls."""
    exact = equities.two_sided(3, 6)[0]
    sides = equities.unrank(np.arange(1, len(exact), dtype=np.uint32), 3, 6)
    network = load_shipped_chances("selfplay").to_native()
    rng = np.random.default_rng(3)
    pairs = rng.integers(len(sides), size=(300, 2))
    boards = np.zeros((len(pairs), 52), np.int8)
    for board, (own, other) in zip(boards, pairs, strict=True):
        board[:26], board[26:] = sides[own], sides[other][::-1]
        board[0], board[51] = 15 - board[1:26].sum(), 15 - board[26:51].sum()
    found = compute_equities(network.evaluate(boards))
    expected = -exact[pairs[:, 1] + 1, pairs[:, 0] + 1]
    assert np.abs(found - expected).max() < 0.02


def test_gammons_when_bearing_off():
    """The other side has one roll to bear off a man from the six point: 17 rolls of 36 do."""
    board = make_row({1: 2, 0: 13}, {6: 15})[None]
    found = load_shipped_chances("expert").to_native().evaluate(board)[0]
    assert found[0] == pytest.approx(1, abs=1e-5)
    assert found[1] == pytest.approx(19 / 36, abs=1e-5)


def test_lookahead_averages_the_best_replies():
    network = load_shipped_chances("selfplay").to_native()
    # Few men, so that there are few replies.
    board = make_row({20: 1, 5: 2}, {18: 1, 4: 2})[None]
    for depth in (1, 2):
        replies, offsets = native.expand(np.ascontiguousarray(board[:, ::-1]), None)
        assert len(offsets) == 22
        mean = np.zeros(5)
        quick = compute_equities(network.evaluate(replies))
        for weight, begin, end in zip(ROLL_WEIGHTS, offsets[:-1], offsets[1:], strict=True):
            best = begin + int(np.argmax(quick[begin:end]))
            mean += weight * flip(network.evaluate(replies[best : best + 1], depth - 1))[0]
        np.testing.assert_allclose(network.evaluate(board, depth)[0], mean, atol=1e-5)


def test_only_moves_that_pass_the_filter_are_looked_at():
    network = load_shipped_chances("expert").to_native()
    here = position("13:1,6:7,5:7", "13:1,6:7,5:7", (3, 1))
    rows, rolls = position_to_row(here)[None], np.array([here.dice], np.int8)
    offsets, numbers, chances, depths = network.rank(rows, rolls, 1, most=2, margin=5.0)
    assert depths.tolist() == [1, 1] + [0] * (len(numbers) - 2)
    assert sorted(numbers.tolist()) == list(range(len(here.legal_moves())))
    assert offsets.tolist() == [0, len(numbers)]
    ends = generate_afterstates(here)
    np.testing.assert_allclose(chances[:2], network.evaluate(ends[numbers[:2]], 1), atol=1e-6)
    assert network.rank(rows, rolls, 1, most=8, margin=0.0)[3].sum() == 1
    chosen = network.choose(rows, rolls, 1, most=2, margin=5.0)
    assert (chosen[0] == ends[numbers[0]]).all()


def test_threads_change_nothing():
    network = load_shipped_chances("expert").to_native()
    some = met(games=1, seed=9)[:10]
    rows = np.array([position_to_row(here) for here in some])
    rolls = np.array([here.dice for here in some], np.int8)
    one, three = (network.choose(rows, rolls, threads=threads) for threads in (1, 3))
    assert (one == three).all()


@pytest.mark.parametrize(("name", "least"), [("expert", 0.75), ("selfplay", 0.75)])
def test_agreement_with_the_expert(name, least):
    """The paper's network reaches .55 on these positions, scored by GNU Backgammon at 2-ply."""
    scored = shipped_test_positions()[::4]
    choices = player(f"gammon:net={name}", GAME).choose_many([each.position for each in scored])
    agreed = [each.scores.get(c.move, 0) == 100 for each, c in zip(scored, choices, strict=True)]
    assert np.mean(agreed) >= least


@pytest.mark.parametrize("spec", ["net=expert", "net=selfplay", "net=selfplay,ply=1"])
def test_the_player_ranks_every_move(spec):
    who = player(f"gammon:{spec}", GAME)
    opening = GAME.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 53")
    choice = who.choose(opening)
    assert str(choice.move) == "8/3 6/3"
    assert set(choice.scores) == set(opening.legal_moves())
    assert choice.scores[choice.move] == max(choice.scores.values())
    assert choice.comment.startswith("expects +0.0")
    assert str(who.choose_many([opening])[0].move) == str(choice.move)
    assert who.choose_many([]) == []
    assert who.pictures(opening)[1].text.endswith("behind the best.")


def test_names():
    names = {
        "gammon": "paper network 459-24-24-1",
        "gammon:net=expert": "expert network 257-768-64-5",
        "gammon:net=selfplay,ply=2": "selfplay network 257-768-64-5, looking 2 moves ahead",
    }
    assert {spec: player(spec, GAME).name for spec in names} == names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("ply=1", "only the strong networks look ahead"),
        ("net=other", "must be one of paper, expert, selfplay"),
        ("net=expert,weights=comparison", "not by both"),
        ("net=expert,ply=3", "must be one of 0, 1, 2"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(BadSpec, match=message):
        player(f"gammon:{options}", GAME)


def test_files(tmp_path):
    shape = [(native.NUM_INPUTS, 4), (4, 5)]
    rng = np.random.default_rng(1)
    layers = tuple(
        (rng.normal(size=each).astype(np.float32), np.zeros(each[1], np.float32)) for each in shape
    )
    file = tmp_path / "own.safetensors"
    ChancesNetwork(layers, {"way": "by hand"}).save(file)
    again = ChancesNetwork.load(file)
    assert again.name == "257-4-5"
    assert again.description == {"way": "by hand"}
    assert player(f"gammon:weights={file}", GAME).name == "trained network 257-4-5"
    with pytest.raises(BadWeights, match="must have 5 units"):
        ChancesNetwork(layers[:1], {})
    with pytest.raises(BadWeights, match="has weights"):
        ChancesNetwork(layers[1:], {})
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(BadWeights, match="holds no such networks"):
        ChancesNetwork.load(file)


def test_hostile_values_are_refused():
    network = load_shipped_chances("expert").to_native()
    start = position_to_row(GAME.start())[None]
    roll = np.array([[3, 1]], np.int8)
    broken = start.copy()
    broken[0, 5] = -3
    for boards in (broken, np.full_like(start, 9)):
        with pytest.raises(ValueError, match="no game can have led"):
            network.evaluate(boards)
        with pytest.raises(ValueError, match="no game can have led"):
            native.expand(boards, roll)
        with pytest.raises(ValueError, match="no game can have led"):
            native.encode(boards)
    for rolls in ([[1, 3]], [[7, 1]], [[3, 0]]):
        with pytest.raises(ValueError, match="dice must be"):
            network.choose(start, np.array(rolls, np.int8))
    with pytest.raises(ValueError, match="every board needs a roll"):
        network.rank(start, np.repeat(roll, 2, axis=0))
    with pytest.raises(ValueError, match="the depth is"):
        network.evaluate(start, 3)
    with pytest.raises(ValueError, match="at least one move"):
        network.rank(start, roll, 1, most=0)
    with pytest.raises((ValueError, TypeError)):
        native.ChancesNetwork([(np.zeros((3, 5), np.float32), np.zeros(5, np.float32))])
