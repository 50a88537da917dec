"""Deep Q-learning: the encoding, one training step checked in detail, files, and the player."""

import random
import subprocess
import sys

import numpy as np
import pytest

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.learn import learner
from ludus.learn.dqn.network import QNetworkTrainer
from ludus.learn.dqn.player import WEIGHTS_FOLDER
from ludus.learn.dqn.train import (
    ILLEGAL_MOVE_REWARD,
    DqnParameters,
    load_replay,
    make_replay_buffer,
    make_transition,
    replay_to_arrays,
)
from ludus.learn.dqn.weights import (
    compute_q_values,
    encode_position,
    list_actions,
    list_tensor_shapes,
    load_weights,
    select_weights,
)
from ludus.learn.episodes import train_learner
from ludus.learn.weights import BadWeights
from ludus.players import player
from support.waiting import PATIENCE

OX = game("noughts_and_crosses")
HEXAPAWN = game("hexapawn")


def walk(played):
    boards = [played.start()]
    seen = set(boards)
    for board in boards:
        for after in map(board.play, board.legal_moves()):
            if after not in seen:
                seen.add(after)
                boards.append(after)
    return boards


def test_the_mover_sees_its_own_men_as_one():
    board = OX.parse("X.O/.../... x")
    assert encode_position(board) == [1, -1, 0] + [-1] * 6
    after = board.play(OX.parse_move("b2", board))
    assert encode_position(after) == [0, -1, 1, -1, 0, -1, -1, -1, -1]


@pytest.mark.parametrize(
    ("name", "number"), [("noughts_and_crosses", 9), ("hexapawn", 28), ("hexapawn:four", 60)]
)
def test_every_move_has_its_own_output(name, number):
    played = game(name)
    names = list_actions(played)
    assert len(set(names)) == len(names) == number
    met = {str(move) for board in walk(played) for move in board.legal_moves()}
    assert met <= set(names)


def test_numpy_plays_what_torch_has_learned():
    trainer = QNetworkTrainer(list_tensor_shapes(OX), DqnParameters(), 5)
    states = np.random.default_rng(0).normal(size=(20, 9)).astype(np.float32)
    found = compute_q_values(trainer.to_arrays(), states).argmax(axis=1)
    assert found.tolist() == [trainer.select_action(state.tolist()) for state in states]


def test_one_step_of_learning_by_hand():
    """The output bias of one move, whose gradient is that of the error plus that of the penalty."""
    settings = DqnParameters(clip=1e6)
    trainer = QNetworkTrainer(list_tensor_shapes(OX), settings, 5)
    state, after = encode_position(OX.start()), encode_position(OX.parse("XO./.../... x"))
    before = {name: weights.copy() for name, weights in trainer.to_arrays().items()}
    target = {name: before[f"target_{name}"] for name in list_tensor_shapes(OX)}
    found = compute_q_values(before, np.array([state], dtype=np.float32))[0, 4]
    goal = 7 + 0.8 * compute_q_values(target, np.array([after], dtype=np.float32)).max()
    trainer.step(make_transition(state, 4, 7.0, after))
    gradient = 2 * (found - goal)  # the bias is zero, so nothing is added for its size
    square = 0.9 + 0.1 * gradient**2
    moved = trainer.to_arrays()
    assert moved["b3"][4] == pytest.approx(-1e-4 * gradient / square**0.5, rel=1e-4)
    assert moved["b3"][3] == 0
    assert moved["squares_b3"][4] == pytest.approx(square, rel=1e-4)
    assert moved["target_b3"][4] == pytest.approx(0.01 * moved["b3"][4], rel=1e-4)


def test_a_long_gradient_is_cut():
    trainer = QNetworkTrainer(list_tensor_shapes(OX), DqnParameters(penalty=0.0), 5)
    trainer.step(make_transition(encode_position(OX.start()), 4, 1e6, None))
    # 0.9 of the first square and 0.1 of the new ones, which add up to 5 squared.
    grown = trainer.to_arrays()["squares_w1"] - 0.9
    assert grown.sum() == pytest.approx(0.1 * 5**2, rel=1e-3)


def test_learning_again_and_again_comes_near_the_reward():
    trainer = QNetworkTrainer(list_tensor_shapes(OX), DqnParameters(rate=0.01, penalty=0.0), 5)
    state = encode_position(OX.start())
    for _ in range(300):
        trainer.step(make_transition(state, 4, 10.0, None))
    found = compute_q_values(trainer.to_arrays(), np.array([state], dtype=np.float32))
    assert found[0, 4] == pytest.approx(10, abs=1.5)
    assert trainer.select_action(state) == 4


def test_the_oldest_experience_makes_room():
    replay = make_replay_buffer(3, 1)
    for number in range(5):
        replay.add(make_transition([0.0], number, 0.5, None if number % 2 else [1.0]))
    assert sorted(replay.columns.action) == [2, 3, 4]
    assert len(replay) == 3
    again = make_replay_buffer(3, 1)
    load_replay(again, replay_to_arrays(replay))
    assert again.columns.action.tolist() == [2, 3, 4]
    assert np.isnan(again.columns.next_state).tolist() == [[False], [True], [False]]
    again.add(make_transition([0.0], 5, 0.5, None))
    assert again.list_oldest_first().action.tolist() == [3, 4, 5]


def test_experience_is_drawn_as_from_a_list():
    """The same random numbers choose the same transitions, and none of them twice."""
    replay = make_replay_buffer(50, 1)
    for number in range(70):
        replay.add(make_transition([0.0], number, 0.5, None))
    drawn = replay.sample_distinct(20, random.Random(4)).action.tolist()
    kept = [*range(50, 70), *range(20, 50)]
    assert drawn == random.Random(4).sample(kept, 20)


def test_experience_that_does_not_fit_is_refused():
    replay = make_replay_buffer(3, 2)
    replay.add(make_transition([0.0, 1.0], 1, 0.5, None))
    arrays = replay_to_arrays(replay)
    for name, change in (
        ("replay_states", np.zeros((1, 3), "f")),
        ("replay_after", np.zeros((2, 2), "f")),
        ("replay_facts", np.full((1, 2), np.nan, "f")),
    ):
        with pytest.raises(ValueError, match=r"reshape|not a number"):
            load_replay(replay, {**arrays, name: change})
    many = {name: np.repeat(array, 4, axis=0) for name, array in arrays.items()}
    with pytest.raises(ValueError, match="capacity of 3"):
        load_replay(replay, many)


def train(played, games, seed=3):
    return train_learner(learner("deepq", played), games, seed).learner


def test_it_is_punished_for_illegal_moves_and_remembers_ends_and_every_fifth_move():
    agent = train(OX, 40)
    replay = agent.replay[: len(agent.replay)]
    is_illegal = replay.reward == ILLEGAL_MOVE_REWARD
    is_end = np.isnan(replay.next_state).all(axis=1)
    assert is_illegal.any()
    assert is_end[is_illegal].all()
    assert (replay.state[is_illegal, replay.action[is_illegal]] != -1).all()
    assert set(replay.reward[is_end].tolist()) <= {100.0, 10.0, -1.0, ILLEGAL_MOVE_REWARD}
    assert (is_end & ~is_illegal).sum() == 40
    going_on = (~is_end).sum()
    assert 0 < going_on < agent.num_moves / 5 + 1
    assert 0.59 < agent.exploration < 0.6


def test_the_same_seed_learns_the_same():
    first, second = (train(HEXAPAWN, 20) for _ in range(2))
    for name, weights in first.trainer.to_arrays().items():
        assert (second.trainer.to_arrays()[name] == weights).all()
    other = train(HEXAPAWN, 20, seed=4)
    assert (other.trainer.to_arrays()["w1"] != first.trainer.to_arrays()["w1"]).any()


def test_training_begins_with_existing_weights(tmp_path):
    agent, again = train(HEXAPAWN, 30), learner("deepq", HEXAPAWN)
    file = tmp_path / "net.npz"
    agent.export({}).save(file)
    again.init_from(file)
    wanted = agent.trainer.to_arrays()
    for name, weights in again.export({}).arrays.items():
        assert (weights == wanted[name]).all()
    assert again.num_updates == len(again.replay) == 0


def test_weights_alone_are_enough_to_play(tmp_path):
    file = tmp_path / "net.npz"
    train(HEXAPAWN, 5).export({}).save(file)
    choice = player(f"deepq:weights={file}", HEXAPAWN).choose(HEXAPAWN.start())
    assert set(choice.scores) == set(HEXAPAWN.start().legal_moves())
    with pytest.raises(BadWeights, match="game differs"):
        _ = player(f"deepq:weights={file}", OX).weights


def test_hostile_files_are_refused(tmp_path):
    file, odd = tmp_path / "net.npz", tmp_path / "odd.npz"
    train(HEXAPAWN, 1).export({}).save(file)
    whole = file.read_bytes()
    damaged = whole[: len(whole) // 2], whole[:-30], b"PK\x03\x04" + whole[60:]
    for content in (b"", b"\0" * 50, *damaged):
        odd.write_bytes(content)
        with pytest.raises(BadWeights):
            load_weights(odd, HEXAPAWN)
    arrays = load_weights(file, HEXAPAWN)
    for change in (arrays["w1"][:-1], arrays["w1"].astype(np.float64), arrays["w1"] * np.nan):
        with pytest.raises(BadWeights, match="w1"):
            select_weights({**arrays, "w1": change}, HEXAPAWN)
    np.savez(odd, about=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(BadWeights):
        load_weights(odd, HEXAPAWN)


@pytest.mark.parametrize("played", [OX, HEXAPAWN], ids=lambda each: each.id)
def test_the_network_that_comes_with_the_program_beats_chance(played):
    """It wins more than it loses against random moves; many positions at a time cost the same."""
    assert (WEIGHTS_FOLDER / f"{played.id}-3.npz").is_file()
    who, chance = player("deepq", played), player("random", played)
    boards = [board for board in walk(played)[:200] if board.outcome() is None]
    one_by_one = [who.choose(board).move for board in boards]
    assert [choice.move for choice in who.choose_many(boards)] == one_by_one
    score = 0
    for number in range(60):
        chance.start_game(number)
        board = played.start()
        while (outcome := board.outcome()) is None:
            mine = board.mover == number % 2
            board = board.play((who if mine else chance).choose(board).move)
        score += outcome.score(number % 2)
    assert score > 10


def test_playing_does_not_load_torch():
    code = (
        "import sys, ludus; g = ludus.game('noughts_and_crosses');"
        "ludus.player('deepq', g).choose(g.start()); print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("options", ["rate=2", "batch=0", "last=0", "steps=0", "clip=-1"])
def test_bad_options(options):
    with pytest.raises(BadSpec):
        learner(f"deepq:{options}", OX)


def test_other_games_are_refused():
    with pytest.raises(BadSpec, match="does not learn"):
        learner("deepq", game("nine_mens_morris"))
    with pytest.raises(BadSpec, match="weights=FILE"):
        _ = player("deepq", game("hexapawn:four")).weights
