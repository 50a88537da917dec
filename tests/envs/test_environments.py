"""Environments of every game and preset pass the test suites of PettingZoo and Gymnasium."""

import itertools
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import ludus
import ludus.envs
from ludus.envs import PolicyPlayer, coding_for
from ludus.envs.environments import AGENTS, OpponentEnv
from ludus.games import GAMES
from support.repetition import repeat

SPECS = [f"{name}:{preset}" for name in GAMES for preset in GAMES[name].presets]
NUM_CYCLES = repeat(40, 1000)

EXPECTED_WARNINGS = ".*" + "|.*".join(
    (
        # PettingZoo lists the environments that may have a dict of arrays by their names.
        "Observation is not a NumPy array",
        "probably should be gymnasium.spaces.box",
        # The agent that waits has no legal action, and at the end of a game nobody has.
        "no legal actions",
    )
)


def name_env(name):
    return f"ludus/{''.join(word.capitalize() for word in name.split('_'))}-v1"


def choose_action(env, source):
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(source.choice(np.flatnonzero(mask)))


def play_out(env, seed=0):
    """Play a game at random; return the agents that acted, the rewards and the infos."""
    env.reset(seed=seed)
    source, acted, infos = np.random.default_rng(seed), [], []
    while not any((*env.terminations.values(), *env.truncations.values())):
        agent = env.agent_selection
        env.step(choose_action(env, source))
        acted.append(agent)
        infos.append(env.infos[agent])
    return acted, dict(env.rewards), infos


@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_accepts_it(spec):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", EXPECTED_WARNINGS, UserWarning)
        api_test(ludus.env(spec, oracle=None), num_cycles=NUM_CYCLES)
    seed_test(lambda: ludus.env(spec, oracle=None), num_cycles=NUM_CYCLES)


@pytest.mark.parametrize("spec", SPECS)
def test_gymnasium_accepts_it(spec):
    name, _, rules = spec.partition(":")
    env = gymnasium.make(name_env(name), rules=rules, oracle=None, render_mode="ansi")
    check_env(env.unwrapped)


def test_pettingzoo_renders_it():
    for name in GAMES:
        env_fn = lambda render_mode, name=name: ludus.env(name, render_mode=render_mode)  # noqa: E731
        render_test(env_fn, {"svg": lambda found: found.startswith("<svg")})


@pytest.mark.parametrize("name", [*GAMES])
def test_gymnasium_makes_it_by_name(name):
    gymnasium.register_envs(ludus.envs)
    preset = [*GAMES[name].presets][-1]
    env = gymnasium.make(name_env(name), opponent="random", rules=preset, side=1)
    observation, info = env.reset(seed=3)
    assert env.unwrapped.game.rules == GAMES[name].presets[preset]
    assert info["side"] == 1
    mask = info["action_mask"]
    assert mask.any()
    observation = env.step(int(np.flatnonzero(mask)[0]))[0]
    assert observation in env.observation_space


@pytest.mark.parametrize("spec", SPECS)
def test_each_move_has_its_own_actions(spec):
    check_actions(ludus.game(spec))


def check_actions(game):
    """Sequences of actions differ, and none is the beginning of another."""
    env = ludus.env(game, oracle=None)
    coding = coding_for(game)
    source = np.random.default_rng(2)
    for seed in range(repeat(1, 20)):
        env.reset(seed=seed)
        for _ in range(repeat(40, 500)):
            if not env.agents or env.terminations["player_0"]:
                break
            position = env.episode.position
            found = coding.decode_actions(position)
            assert [*found.values()] == position.legal_moves()
            beginnings = {actions[:size] for actions in found for size in range(len(actions))}
            assert beginnings.isdisjoint(found)
            assert all(0 <= each < coding.num_actions for actions in found for each in actions)
            described = {coding.describe_action(each) for actions in found for each in actions}
            assert len(described) == len({each for actions in found for each in actions})
            env.step(choose_action(env, source))


def test_rewards_are_the_points_of_the_outcome():
    for spec in ("hexapawn", "noughts_and_crosses", "nine_mens_morris", "backgammon:hyper"):
        env = ludus.env(spec, oracle=None)
        results = set()
        for seed in range(12):
            _, rewards, _ = play_out(env, seed)
            outcome = env.episode.position.outcome()
            assert [*rewards.values()] == [outcome.score(0), outcome.score(1)]
            results.add(outcome.score(0))
        assert len(results) > 1


def test_agents_act_several_times_where_a_move_has_parts():
    acted, _, _ = play_out(ludus.env("backgammon:hyper", oracle=None))
    assert any(one == other for one, other in itertools.pairwise(acted))
    env = ludus.env("nine_mens_morris", oracle=None, render_mode="ansi")
    env.reset()
    for point in (0, 8, 1, 16, 2):  # White closes the mill 0, 1, 2
        env.step(25 * 24 + point)
    assert env.agent_selection == "player_0"
    seen = env.observe("player_0")
    assert seen["observation"][50] == 1
    assert np.flatnonzero(seen["action_mask"]).tolist() == [25 * 8 + 24, 25 * 16 + 24]
    assert env.render().endswith(", …")
    env.step(25 * 8 + 24)
    assert env.agent_selection == "player_1"
    assert env.observe("player_1")["observation"][:24].sum() == 1


@pytest.mark.parametrize(
    ("spec", "share"), [("noughts_and_crosses", 1), ("hexapawn", 1), ("nine_mens_morris:men=3", 0)]
)
def test_infos_have_the_exact_regret(spec, share):
    env = ludus.env(spec)
    oracle, source = ludus.oracle(env.episode.game), np.random.default_rng(1)
    env.reset(seed=1)
    known = []
    while not env.terminations["player_0"]:
        position, agent = env.episode.position, env.agent_selection
        action = choose_action(env, source)
        actions = (*env.episode.actions, action)
        env.step(action)
        move = env.episode.coding.decode_actions(position).get(actions)
        if "regret" in env.infos[agent]:
            assert env.infos[agent]["regret"] == oracle.verdict(position).cost(move)
        elif move is not None:
            assert not oracle.has_value(position)
        known.append("regret" in env.infos[agent])
    assert sum(known) > share * (len(known) - 1)


def test_regret_is_absent_where_nothing_is_known():
    for spec in ("nine_mens_morris:vrajitoru", "backgammon:money"):
        env = ludus.env(spec)
        env.reset(seed=0)
        agent = env.agent_selection
        env.step(choose_action(env, np.random.default_rng(0)))
        assert env.infos[agent] == {}


def test_an_illegal_action_loses():
    env = ludus.env("noughts_and_crosses")
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values())
    single = ludus.env("hexapawn", opponent="perfect")
    _, info = single.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert single.step(illegal)[1:3] == (-1.0, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        single.step(0)


def test_games_are_broken_off_after_the_last_move():
    _, rewards, _ = play_out(env := ludus.env("nine_mens_morris", oracle=None, max_moves=5))
    assert env.truncations == {"player_0": True, "player_1": True}
    assert rewards == {"player_0": 0.0, "player_1": 0.0}


def test_the_agent_plays_both_sides_in_turn():
    env = ludus.env("hexapawn", opponent="random", oracle=None)
    sides = [env.reset(seed=None if number else 5)[1]["side"] for number in range(4)]
    assert sides == [0, 1, 0, 1]
    assert ludus.env("hexapawn", opponent="random", side=1).reset(seed=5)[1]["side"] == 1
    assert env.reset(seed=1, options={"side": 1})[1]["side"] == 1
    with pytest.raises(ludus.BadSpec, match="side=2"):
        ludus.env("hexapawn", opponent="random", side=2)


def test_a_perfect_player_never_loses_to_a_random_agent():
    env = ludus.env("noughts_and_crosses", opponent="perfect")
    source, results = np.random.default_rng(0), set()
    for _ in range(6):
        _, info = env.reset()
        done = False
        while not done:
            action = source.choice(np.flatnonzero(info["action_mask"]))
            _, reward, done, _, info = env.step(action)
            assert info["regret"] >= 0
        results.add(reward)
    assert -1.0 in results
    assert 1.0 not in results


def test_opponents_must_be_able_to_play():
    with pytest.raises(ludus.BadSpec):
        ludus.env("backgammon:money", opponent="tool")
    with pytest.raises(ludus.UnknownName):
        ludus.env("hexapawn", opponent="nobody")


@pytest.mark.parametrize("spec", ["nine_mens_morris:men=3", "backgammon:hyper", "hexapawn"])
def test_a_policy_is_a_player(spec):
    """It plays whole moves in matches, and chooses every action of a move."""
    game, requests = ludus.game(spec), []

    def choose_last(seen):
        requests.append(int(seen["action_mask"].sum()))
        return np.flatnonzero(seen["action_mask"])[-1]

    player = PolicyPlayer(game, choose_last)
    found = ludus.match(game, player, "random", games=3, seed=1)
    assert "illegal" not in found.score.reasons
    num_moves = sum(
        move.mover == number % 2
        for number, record in enumerate(found.records)
        for move in record.moves
    )
    assert len(requests) >= num_moves
    assert (len(requests) > num_moves) == (spec != "hexapawn")
    position, wrong = game.start(), PolicyPlayer(game, lambda seen: -1)
    while position.mover < 0:
        position = position.play(position.legal_moves()[0])
    with pytest.raises(ludus.BadMove, match="action -1"):
        wrong.choose(position)


@pytest.mark.parametrize("name", [*GAMES])
def test_a_game_without_a_coding_has_one(name):
    """Places of a move are its actions, the text of a position is the observation."""

    class Uncoded(GAMES[name]):
        coding = ""

        def all_moves(self):
            return None

    check_any_game(Uncoded())
    check_actions(Uncoded())


def test_moves_are_the_actions_of_a_game_that_lists_them():
    class Listed(GAMES["hexapawn"]):
        coding = ""

    check_any_game(Listed())
    coding = coding_for(Listed())
    assert [coding.describe_action(each) for each in range(coding.num_actions)] == [
        str(move) for move in Listed().all_moves()
    ]


def test_a_place_that_is_not_drawn_has_no_action():
    class Secret(GAMES["hexapawn"]):
        coding = ""

        def all_moves(self):
            return None

        def steps(self, move):
            return (f"{self.start().cells} {move}",)

    game = Secret()
    coding, position = coding_for(game), game.start()
    assert len(coding.decode_actions(position)) == 3, "all that occur in random games are known"
    Secret.steps = lambda self, move: ("somewhere",)
    with pytest.raises(ludus.BadMove, match=r"somewhere.*needs `all_moves`"):
        coding.decode_actions(position)


def check_any_game(game):
    for observation in ("columns", "planes"):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", EXPECTED_WARNINGS, UserWarning)
            env = ludus.env(game, oracle=None, observation=observation)
            api_test(env, num_cycles=NUM_CYCLES)
        check_env(OpponentEnv(game, oracle=None, observation=observation), skip_render_check=True)


@pytest.mark.parametrize("spec", SPECS)
def test_planes_have_the_numbers_of_the_columns(spec):
    """Each column stands on its place of the board, or everywhere in a plane of its own."""
    env = ludus.env(spec, oracle=None, observation="planes")
    coding, source = env.episode.coding, np.random.default_rng(3)
    env.reset(seed=1)
    for _ in range(30):
        if any(env.terminations.values()):
            break
        episode, side = env.episode, AGENTS.index(env.agent_selection)
        planes = env.observe(env.agent_selection)["observation"]
        columns = coding.observe(episode.position, side, episode.actions)
        assert planes.shape == coding.plane_shape
        assert planes.dtype == np.float32
        assert sorted({*np.unique(planes), 0}) == sorted({*np.unique(columns), 0} - {-1})
        assert np.array_equal(coding.to_planes(np.stack([columns] * 2))[1], planes)
        env.step(choose_action(env, source))


def test_planes_show_the_board():
    morris = ludus.game("nine_mens_morris")
    position = morris.parse("W../.../.../..B..B/W../.../... w 6 6")
    coding = coding_for(morris)
    own, other = coding.to_planes(coding.observe(position, 0))[:2]
    assert np.argwhere(own).tolist() == [[0, 0], [4, 2]], "a7 and c3"
    assert np.argwhere(other).tolist() == [[3, 2], [3, 6]], "c4 and g4"
    hyper = ludus.game("backgammon:hyper")
    coding = coding_for(hyper)
    planes = coding.to_planes(coding.observe(hyper.start(), 0))
    assert np.flatnonzero(planes[0]).tolist() == [21, 22, 23], "own men begin furthest away"
    assert np.flatnonzero(planes[4]).tolist() == [0, 1, 2]
    crosses = ludus.game("noughts_and_crosses")
    coding = coding_for(crosses)
    own, other, side = coding.to_planes(coding.observe(crosses.parse("X../.O./..X o"), 1))
    assert own.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert other.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert (side == 1).all()


def test_the_mask_is_in_the_info_or_in_the_observation():
    env = gymnasium.make("ludus.envs:ludus/Hexapawn-v1", opponent="random")
    other = ludus.env("hexapawn", opponent="random", mask="observation")
    check_env(other, skip_render_check=True)
    (seen, info), (expected, rest) = env.reset(seed=2), other.reset(seed=2)
    assert isinstance(env.observation_space, gymnasium.spaces.Box)
    assert rest == {"side": 0}
    assert np.array_equal(seen, expected["observation"])
    assert np.array_equal(info["action_mask"], expected["action_mask"])
    action = int(np.flatnonzero(info["action_mask"])[0])
    (seen, *_, info), (expected, *_) = env.step(action), other.step(action)
    assert np.array_equal(seen, expected["observation"])
    assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())
    with pytest.raises(ludus.BadSpec, match="no mask 'reward'"):
        ludus.env("hexapawn", opponent="random", mask="reward")
    with pytest.raises(ludus.BadSpec, match="no observation 'pixels'"):
        ludus.env("hexapawn", observation="pixels")


def test_without_the_extra_one_line_says_what_to_install():
    code = """
import sys
sys.modules["pettingzoo"] = None
import ludus
assert "gymnasium" not in sys.modules
from ludus.envs import GameArrays
GameArrays("nine_mens_morris", 2)
for use in (lambda: ludus.env("hexapawn"), lambda: ludus.envs.VectorEnv):
    try:
        use()
    except ludus.LudusError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "ludus.env needs pettingzoo: pip install 'ludus-games[rl]'\n"
        "ludus.envs.VectorEnv needs pettingzoo: pip install 'ludus-games[rl]'\n"
    )


@pytest.mark.parametrize("action", [1.5, "1"])
def test_actions_are_not_rounded_or_parsed(action):
    single, pair = OpponentEnv("hexapawn"), ludus.env("hexapawn")
    single.reset(seed=1)
    pair.reset(seed=1)
    for each in (single, pair.unwrapped):
        with pytest.raises(TypeError):
            each.step(action)
        assert not each.episode.is_over


def test_a_game_must_have_begun_before_a_step():
    with pytest.raises(gymnasium.error.ResetNeeded):
        OpponentEnv("hexapawn").step(0)


@pytest.mark.parametrize("value", [-1, 0, 2**40])
def test_wrong_settings_are_refused(value):
    with pytest.raises(ludus.BadSpec, match="max_moves="):
        ludus.env("hexapawn", max_moves=value)
    with pytest.raises(ludus.LudusError, match="side=7"):
        OpponentEnv("hexapawn").reset(options={"side": 7})
