"""Many games at once are those of the single environment, action for action."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import ludus
from ludus.core.splitmix import SplitMix64
from ludus.envs import GameArrays
from ludus.envs.episode import EnvEpisode
from support.repetition import repeat
from support.waiting import PATIENCE

MORRIS = [f"nine_mens_morris:{name}" for name in ludus.game("nine_mens_morris").presets]
OTHERS = [
    "nine_mens_morris:men=3",
    "nine_mens_morris:take_from_mills=always,men=5",
    "nine_mens_morris:blocked=passes,flying=no,men=7,quiet_plies=30",
    "backgammon",
    "backgammon:hyper",
    "backgammon:opening=first",
    "backgammon:hyper,opening=any",
]
SPECS = [*MORRIS, *OTHERS]

IN_PYTHON = ["hexapawn", "noughts_and_crosses", "backgammon:money"]


def check_row(envs, number, episode, has_ended):
    """A row of the arrays is what the single environment shows the side to act."""
    state, side = envs.state, episode.mover
    other = envs.observe(np.full(envs.num_envs, 1 - side))[number]
    assert np.array_equal(other, episode.observe(1 - side)["observation"])
    seen = episode.observe(side)
    assert state.players[number] == side
    assert np.array_equal(state.observations[number], seen["observation"])
    assert np.array_equal(state.action_masks[number], seen["action_mask"])
    assert state.terminated[number] == has_ended


@pytest.mark.parametrize(
    ("spec", "compiled"),
    [*((spec, True) for spec in SPECS), *((spec, False) for spec in (*IN_PYTHON, *SPECS[-4:-2]))],
)
def test_the_arrays_are_the_single_environment(spec, compiled):
    seed, num_envs = 5, 3
    envs = GameArrays(spec, num_envs, seed=seed, autoreset="next_step", compiled=compiled)
    assert envs.is_compiled == compiled
    episodes = [EnvEpisode(ludus.game(spec), oracle=None) for _ in range(num_envs)]
    for number, episode in enumerate(episodes):
        episode.reset(seed + number)
        check_row(envs, number, episode, False)
    num_ends = 0
    for _ in range(repeat(150, 3000)):
        actions = envs.sample_actions()
        ended = [episode.is_over for episode in episodes]
        state = envs.step(actions)
        for number, episode in enumerate(episodes):
            if ended[number]:
                episode.reset()
            else:
                assert actions[number] in episode.legal_actions
                episode.act(int(actions[number]))
            check_row(envs, number, episode, episode.is_over)
            assert state.rewards[number].tolist() == [episode.reward(0), episode.reward(1)]
            num_ends += episode.is_over
    assert num_ends or "vrajitoru" in spec or spec == "backgammon:opening=first"


@pytest.mark.parametrize("spec", ["nine_mens_morris:men=3", "backgammon:hyper"])
def test_games_depend_neither_on_their_number_nor_on_threads(spec):
    kinds = [{"num_envs": 5}, {"num_envs": 200}, {"num_envs": 200, "threads": 3}]
    vectors = [GameArrays(spec, seed=9, **kind) for kind in kinds]
    for _ in range(60):
        actions = [envs.sample_actions() for envs in vectors]
        states = [envs.step(chosen) for envs, chosen in zip(vectors, actions, strict=True)]
        for column in range(len(states[0]) - 1):
            first, *others = (state[column][:5] for state in states)
            assert all(np.array_equal(first, other) for other in others)
        assert np.array_equal(states[1].observations, states[2].observations)


@pytest.mark.parametrize("spec", ["nine_mens_morris:men=3", "backgammon:hyper", "hexapawn"])
def test_the_next_game_begins_in_the_same_step(spec):
    same, following = (
        GameArrays(spec, 4, seed=3, autoreset=mode) for mode in ("same_step", "next_step")
    )
    num_ends = 0
    for _ in range(400):
        actions = same.sample_actions()
        state, other = same.step(actions), following.step(actions)
        for number in np.flatnonzero(state.terminated):
            num_ends += 1
            assert other.terminated[number]
            assert np.array_equal(state.rewards[number], other.rewards[number])
            assert np.array_equal(state.final_observations[number], other.observations[number])
            assert not other.action_masks[number].any()
            assert state.action_masks[number].any()
        # The games that lag behind by one step are brought level by actions that are ignored.
        if state.terminated.any():
            same, following = (
                GameArrays(spec, 4, seed=3 + num_ends, autoreset=mode)
                for mode in ("same_step", "next_step")
            )
    assert num_ends


def test_an_illegal_action_loses():
    envs = GameArrays("nine_mens_morris", 2, seed=0, autoreset="next_step")
    placing = 25 * 24
    envs.step([placing, placing + 1])
    state = envs.step([placing, placing])
    assert state.terminated.tolist() == [True, False]
    assert state.rewards.tolist() == [[1, -1], [0, 0]]
    assert not envs.step([placing, placing + 7]).terminated.any()


@pytest.mark.parametrize("spec", ["nine_mens_morris:men=3", "backgammon:hyper", "hexapawn"])
@pytest.mark.parametrize("copy", [False, True])
def test_games_that_wait_stay_as_they_are(spec, copy):
    """Each game is that of an environment of its own, whenever its actions come."""
    envs = GameArrays(spec, 3, seed=4, autoreset="next_step", copy=copy)
    alone = [GameArrays(spec, 1, seed=4 + row, autoreset="next_step") for row in range(3)]
    source = np.random.default_rng(1)
    for _ in range(120):
        acts = source.random(3) < 0.5
        actions = np.where(acts, envs.sample_actions(), -1)
        state = envs.step(actions)
        assert not state.rewards[~acts].any()
        assert not (state.terminated | state.truncated)[~acts].any()
        for row in np.flatnonzero(acts):
            alone[row].step(actions[row : row + 1])
        for row, single in enumerate(alone):
            for found, expected in zip(state[:2], single.state[:2], strict=True):
                assert np.array_equal(found[row], expected[0])
            assert state.players[row] == single.players[0]
            assert not acts[row] or np.array_equal(state.rewards[row], single.rewards[0])


def test_games_in_python_have_positions():
    games = GameArrays("nine_mens_morris", 2, seed=0, compiled=False)
    games.step([25 * 24 + 8, 25 * 24])
    assert [str(position)[:7] for position in games.positions] == [".../W..", "W../..."]


def test_long_games_are_truncated():
    envs = GameArrays("backgammon", 3, seed=0, max_moves=4)
    for _ in range(30):
        state = envs.step(envs.sample_actions())
        if state.truncated.any():
            assert not state.rewards.any()
            assert not state.terminated.any()
            return
    pytest.fail("no game was truncated")


def test_arrays_go_to_torch_without_a_copy():
    torch = pytest.importorskip("torch")
    envs = GameArrays("nine_mens_morris", 8, seed=0, copy=False)
    tensors = [torch.from_dlpack(array) for array in envs.state]
    before = envs.observations
    for _ in range(3):
        envs.step(torch.from_dlpack(envs.sample_actions()))
    assert envs.observations is before
    for tensor, array in zip(tensors, envs.state, strict=True):
        assert tensor.data_ptr() == array.ctypes.data
        assert np.array_equal(tensor.numpy(), array)


def test_copies_are_kept():
    envs = GameArrays("nine_mens_morris", 8, seed=0)
    first = envs.state
    before = first.observations.copy()
    envs.step(envs.sample_actions())
    assert np.array_equal(first.observations, before)
    assert not np.array_equal(envs.observations, before)


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ludus.BadSpec, match="num_envs=0"):
        GameArrays("backgammon", 0)
    with pytest.raises(ludus.BadSpec, match="autoreset"):
        GameArrays("backgammon", 1, autoreset="never")
    envs = GameArrays("backgammon", 2, seed=0)
    with pytest.raises(ludus.LudusError, match="shape"):
        envs.step([0])
    seen = envs.state.observations.copy()
    with pytest.raises(ludus.BadSpec, match="compiled=False"):
        print(envs.positions)
    with pytest.raises(ludus.LudusError, match="from 0 to 150"):
        envs.step([0, 151])
    assert np.array_equal(envs.observations, seen)
    assert not envs.step(envs.sample_actions()).terminated.any()


def test_both_generators_draw_the_same_numbers():
    """SplitMix64's first outputs for two seeds, as Rosetta Code lists them."""
    source = SplitMix64(1234567)
    assert [source.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
    assert SplitMix64(0).next() == 0xE220A8397B1DCDAF
    assert {SplitMix64(seed).below(6) for seed in range(50)} == set(range(6))


@pytest.mark.parametrize("game", ["nine_mens_morris", "backgammon"])
@pytest.mark.parametrize(
    "actions",
    [
        *([0.5, 0.5], [True, True], [1, np.nan], [1], [0, 0, 0], [[0, 0]], torch.full((2,), 0.5)),
        *([-2, 0], [2**62] * 2, np.full(2, 2**64 - 1, np.uint64)),
    ],
)
def test_actions_that_are_no_actions_are_refused_and_change_nothing(game, actions):
    envs, twin = (GameArrays(game, num_envs=2, seed=1) for _ in range(2))
    with pytest.raises(ludus.LudusError, match=r"^actions [^\n]*$"):
        envs.step(actions)
    legal = twin.sample_actions()
    for one, other in zip(envs.step(legal), twin.step(legal), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["num_envs", "threads", "max_moves"])
@pytest.mark.parametrize("value", [-1, 0, 2**40])
def test_numbers_out_of_range_are_refused(name, value):
    settings = {"game": "nine_mens_morris", "num_envs": 2, name: value}
    with pytest.raises(ludus.BadSpec, match=f"GameArrays {name}={value} must be from 1 to"):
        GameArrays(**settings)


@pytest.mark.parametrize("seed", [0, -1, 2**70, None])
def test_every_whole_number_is_a_seed(seed):
    assert GameArrays("nine_mens_morris", num_envs=2, seed=seed).num_envs == 2


def test_seeds_of_numpy_are_seeds():
    one, other = (GameArrays("backgammon", num_envs=3, seed=seed) for seed in (7, np.int64(7)))
    assert np.array_equal(one.observations, other.observations)


MANY_THREADS = """
import sys, threading
import ludus
from ludus.envs import GameArrays

games = GameArrays(sys.argv[1], num_envs=300, seed=1, copy=bool(int(sys.argv[2])), threads=2)
native = games._engine
outcomes = set()

def play(make):
    for number in range(150):
        try:
            make(number)
            outcomes.add("played")
        except (ludus.LudusError, ValueError) as error:
            outcomes.add(str(error))

def step(number):
    actions = games.sample_actions()
    games.step(actions)

def step_natively(number):
    actions = games.sample_actions()
    native.step(actions)
    actions[:] = 2**60

works = [step, step, step_natively, lambda number: games.reset(number), lambda _: native.reset(1)]
threads = [threading.Thread(target=play, args=[work]) for work in works]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert outcomes <= {"played", "these games are being played by another thread"}, outcomes
assert "played" in outcomes
"""


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("game", ["nine_mens_morris", "backgammon"])
def test_threads_that_play_the_same_games_get_an_error_and_no_crash(game, copy):
    command = [sys.executable, "-c", MANY_THREADS, game, str(int(copy))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
