"""Many games against an opponent are those of Gymnasium's own vector of single environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import ludus
from ludus.envs import OpponentEnv, PolicyPlayer, VectorEnv
from support.repetition import repeat

SPECS = ["nine_mens_morris:men=3", "backgammon:hyper", "hexapawn"]

MODES = ["same_step", "next_step", "disabled"]


def choose_last(seen):
    """Choose the last legal action of each row, or of one observation."""
    mask = np.atleast_2d(seen["action_mask"])
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def make_single(spec, side, **options):
    player = PolicyPlayer(ludus.game(spec), lambda seen: choose_last(seen)[0])
    return OpponentEnv(spec, player, side=side, oracle=None, max_moves=40, **options)


def choose_random(infos, source):
    """Choose a random legal action in each game; where a game has ended any will do."""
    masks = infos["action_mask"]
    masks = np.where(masks.any(axis=1, keepdims=True), masks, 1)
    return np.array([source.choice(np.flatnonzero(mask)) for mask in masks])


def same_infos(infos, expected):
    assert infos.keys() == expected.keys()
    for key, value in expected.items():
        if isinstance(value, dict):
            same_infos(infos[key], value)
        elif value.dtype == object:
            assert all(np.array_equal(*pair) for pair in zip(infos[key], value, strict=True))
        else:
            known = expected.get(f"_{key}", np.ones(len(value), bool))
            if key == "action_mask":  # any action will do after the end
                value = np.where(value.any(axis=1, keepdims=True), value, 1)
            assert np.array_equal(infos[key][known], value[known])


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["policy", "player"])
@pytest.mark.parametrize("side", [0, 1])
def test_it_is_the_vector_of_single_environments(spec, mode, kind, side):
    """Observations, rewards, ends and infos are the same, with the same dice, game after game."""
    game, num_envs = ludus.game(spec), 3
    opponent = choose_last
    if kind == "player":
        opponent = PolicyPlayer(game, lambda seen: choose_last(seen)[0])
    envs = VectorEnv(game, num_envs, opponent, side=side, max_moves=40, autoreset=mode)
    makers = [lambda: make_single(spec, side)] * num_envs
    expected = SyncVectorEnv(makers, autoreset_mode=AutoresetMode[mode.upper()])
    assert envs.single_observation_space == expected.single_observation_space
    assert envs.observation_space == expected.observation_space
    assert envs.action_space == expected.action_space
    assert envs.metadata["autoreset_mode"] == expected.metadata["autoreset_mode"]
    source, num_ends = np.random.default_rng(1), 0
    (seen, infos), (wanted, others) = envs.reset(seed=6), expected.reset(seed=6)
    assert np.array_equal(seen, wanted)
    same_infos(infos, others)
    for _ in range(repeat(60, 600)):
        actions = choose_random(others, source)
        found, right = envs.step(actions), expected.step(actions)
        assert found[0] in envs.observation_space
        assert all(np.array_equal(*pair) for pair in zip(found[:4], right[:4], strict=True))
        ended = right[2] | right[3]
        others, num_ends = right[4], num_ends + ended.sum()
        same_infos(found[4], others)
        if mode == "disabled" and ended.any():
            (seen, infos) = envs.reset(options={"reset_mask": ended})
            wanted, others = expected.reset(options={"reset_mask": ended})
            assert np.array_equal(seen, wanted)
            others["action_mask"] = infos["action_mask"]  # theirs has the rows of the mask alone
    assert num_ends > 5


def test_the_agent_plays_both_sides_in_turn():
    envs = VectorEnv("noughts_and_crosses", 4)
    _, infos = envs.reset(seed=1)
    assert infos["side"].tolist() == [0, 1, 0, 1]
    source = np.random.default_rng(2)
    for _ in range(20):
        before = infos["side"]
        _, _, terminated, _, infos = envs.step(choose_random(infos, source))
        assert np.array_equal(infos["side"] != before, terminated)


@pytest.mark.parametrize("spec", SPECS)
def test_equal_seeds_give_equal_games(spec):
    def play(seed):
        envs, source = VectorEnv(spec, 3), np.random.default_rng(5)
        _, infos = envs.reset(seed=seed)
        seen = []
        for _ in range(40):
            *step, infos = envs.step(choose_random(infos, source))
            seen += step
        return seen

    first, second, other = play(3), play(3), play(4)
    assert all(np.array_equal(*pair) for pair in zip(first, second, strict=True))
    assert not all(np.array_equal(*pair) for pair in zip(first, other, strict=True))


def test_planes_and_a_mask_in_the_observation():
    envs = VectorEnv("nine_mens_morris", 2, observation="planes", mask="observation")
    seen, infos = envs.reset(seed=1)
    assert seen in envs.observation_space
    assert seen["observation"].shape == (2, 7, 7, 7)
    assert "action_mask" not in infos
    seen, *_ = envs.step(seen["action_mask"].argmax(axis=1))
    assert seen in envs.observation_space


def test_gymnasium_makes_it_by_name_and_counts_its_returns():
    envs = gymnasium.make_vec("ludus.envs:ludus/Hexapawn-v1", num_envs=8, opponent="perfect")
    assert isinstance(envs.unwrapped, VectorEnv)
    envs = RecordEpisodeStatistics(envs)
    source = np.random.default_rng(0)
    _, infos = envs.reset(seed=1)
    for _ in range(40):
        *_, infos = envs.step(choose_random(infos, source))
    assert len(envs.return_queue) > 20
    assert {*envs.return_queue} == {-1.0, 0.0}, "nobody beats a perfect player in hexapawn"


def test_an_illegal_action_loses():
    envs = VectorEnv("noughts_and_crosses", 2, choose_last, side=0, autoreset="next_step")
    envs.reset(seed=0)
    envs.step([0, 1])
    _, rewards, terminated, _, _ = envs.step([0, 2])
    assert rewards.tolist() == [-1, 0]
    assert terminated.tolist() == [True, False]


def test_what_is_wrong_is_refused_in_one_line():
    with pytest.raises(ludus.BadSpec, match="no autoreset 'never'"):
        VectorEnv("hexapawn", 2, autoreset="never")
    with pytest.raises(ludus.BadSpec, match="side=2"):
        VectorEnv("hexapawn", 2, side=2)
    with pytest.raises(ludus.BadSpec, match="num_envs=0"):
        VectorEnv("hexapawn", 0)
    envs = VectorEnv("hexapawn", 2, autoreset="disabled", side=0)
    envs.reset(seed=1)
    with pytest.raises(ludus.LudusError, match="from 0 to"):
        envs.step([-1, 0])
    with pytest.raises(ludus.LudusError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True, False]})
    _, infos = envs.reset(seed=1)
    legal = infos["action_mask"][0]
    envs.step([legal.argmin(), legal.argmax()])
    with pytest.raises(gymnasium.error.ResetNeeded, match="game 0 has ended"):
        envs.step([0, 0])


class Cheat(ludus.Player):
    """Chooses a move that is not legal."""

    title = "cheats"

    def choose(self, position, limit=None):
        return ludus.Choice(next(iter({*self.game.all_moves()} - {*position.legal_moves()})))


def test_a_player_must_make_legal_moves():
    envs = VectorEnv("hexapawn", 2, Cheat(ludus.game("hexapawn")), side=1)
    with pytest.raises(ludus.BadMove, match="not legal"):
        envs.reset(seed=1)
