"""Games as text: every move has the reward it deserves, in whatever words the game is shown."""

import random

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import ludus
from ludus.core.errors import BadPosition, BadSpec
from ludus.envs import TextEnv, ToolEnv
from ludus.envs.text import CHARSET, ILLEGAL_COST
from ludus.games.presentation import VARIANTS


def choose_random(env, source):
    return source.choice(env.position.legal_moves())


def choose_greedy(env, source):
    """Complete a row or take a man where that is possible, else move at random."""
    game, position = env.game, env.position
    side, moves = position.mover, position.legal_moves()
    rows = len(game.completed_rows(position, side))
    good = [
        move
        for move in moves
        if game.is_capture(move) or len(game.completed_rows(position.play(move), side)) > rows
    ]
    return source.choice(good or moves)


def choose_perfect(env, source):
    return ludus.oracle(env.game).verdict(env.position).best[0]


def play(env, choose, seed, **options):
    """Play an episode; return its rewards and the last info."""
    env.reset(seed=seed, options=options)
    source, rewards, is_over = random.Random(seed), [], False
    while not is_over:
        move = env.presentation.format_move(choose(env, source))
        text, reward, has_ended, is_truncated, info = env.step(f"My move is\n{move}")
        assert set(text) <= CHARSET
        rewards.append(reward)
        is_over = has_ended or is_truncated
    return rewards, info


@pytest.mark.parametrize("spec", ["hexapawn", "hexapawn:gardner", "noughts_and_crosses"])
@pytest.mark.parametrize("choose", [choose_random, choose_greedy, choose_perfect])
def test_against_perfect_play_the_rewards_account_for_the_result(spec, choose):
    """The value of the start less what was given away is the outcome, game by game."""
    env = TextEnv(spec, opponent="perfect")
    value = ludus.oracle(spec).value(ludus.game(spec).start()).utility
    for seed in range(8):
        rewards, info = play(env, choose, seed, side=seed % 2)
        expected = value if info["side"] == 0 else -value
        assert expected + sum(rewards) == info["outcome"]
        assert choose is not choose_perfect or not any(rewards)


@pytest.mark.parametrize("spec", ["noughts_and_crosses", "hexapawn:four", "nine_mens_morris"])
def test_better_players_get_more(spec):
    """In Morris the puzzles are endings, which are solved everywhere."""
    env = TextEnv(spec, start="puzzles", moves=1)
    means = [
        sum(sum(play(env, choose, seed)[0]) for seed in range(40)) / 40
        for choose in (choose_random, choose_greedy, choose_perfect)
    ]
    assert means[0] < means[1] < means[2] == 0


@pytest.mark.parametrize("spec", ["noughts_and_crosses", "nine_mens_morris", "backgammon:hyper"])
def test_a_game_has_the_same_rewards_in_every_variant(spec):
    found = []
    for variant in VARIANTS:
        env = TextEnv(spec, variant=variant, start="puzzles", moves=3)
        found.append([play(env, choose_random, seed) for seed in range(4)])
    for rewards, info in found[0]:
        assert info["certainty"] in ("exact", "likely", "estimate")
        assert len(rewards) >= 1
    reduced = [
        [(rewards, info["move"], info["loss"]) for rewards, info in games] for games in found
    ]
    assert reduced[0] == reduced[1] == reduced[2]


def test_an_answer_without_a_legal_move_loses():
    env = TextEnv("hexapawn")
    env.reset(seed=1)
    text, reward, has_ended, _, info = env.step("I resign.")
    assert (reward, has_ended, info["outcome"], info["is_illegal"]) == (
        -ILLEGAL_COST,
        True,
        -1,
        True,
    )
    assert "loses the game" in text


def test_the_reward_may_be_the_outcome():
    env = TextEnv("hexapawn:gardner", opponent="perfect", reward="outcome")
    rewards, info = play(env, choose_random, 1, side=0)
    assert [*rewards[:-1], info["outcome"]] == [0.0] * (len(rewards) - 1) + [rewards[-1]]
    assert rewards[-1] == -1


def test_values_that_are_not_known_count_only_if_estimates_may():
    for estimates in (True, False):
        env = TextEnv("nine_mens_morris", moves=1, estimates=estimates)
        _, info = play(env, choose_random, 1)
        assert (info["loss"] is not None) == estimates
        assert (info["certainty"] != "") == estimates


def test_feedback_says_what_a_move_gave_away():
    env = TextEnv("noughts_and_crosses", opponent="perfect", feedback=True)
    position = env.game.parse("X../.O./..X o")  # a corner allows crosses two threats at once
    for move, cost in (("c3", 1), ("b3", 0)):
        env.reset(seed=1, options={"position": position})
        text, reward, *_ = env.step(move)
        assert reward == -cost
        assert ("which gives away 1 points" in text) == bool(cost)


@pytest.mark.parametrize("variant", VARIANTS)
def test_gymnasium_accepts_it(variant):
    check_env(
        gymnasium.make("ludus/HexapawnText-v1", variant=variant, render_mode="ansi").unwrapped
    )
    env = TextEnv("hexapawn", variant=variant)
    text, info = env.reset(seed=4)
    assert text in env.observation_space
    assert env.reset(seed=4)[0] == text != env.reset(seed=5, options={"side": 1})[0]
    assert all(move in env.action_space for move in info["legal_moves"])


def test_a_position_may_begin_with_a_roll_but_not_be_over():
    env = TextEnv("backgammon")
    before_roll = env.game.parse("20:1,18:1,13:3,8:1,6:8,2:1 bar:1,24:2,13:5,8:1,6:5,1:1 1 roll")
    _, info = env.reset(seed=1, options={"position": before_roll})
    assert (info["side"], env.position.mover) == (1, 1)
    env = TextEnv("noughts_and_crosses")
    with pytest.raises(BadPosition, match="the game is over"):
        env.reset(options={"position": env.game.parse("XXX/OO./... o")})


def test_odd_options_are_named():
    for options in ({"variant": "upside"}, {"start": "end"}, {"reward": "gold"}, {"moves": 0}):
        with pytest.raises(BadSpec, match=next(iter(options.values())).__str__()):
            TextEnv("hexapawn", **options)


def test_tools_play_a_whole_game():
    """TRL calls `reset`, offers the other public methods as tools, and asks for `get_reward`."""
    env = ToolEnv("noughts_and_crosses", opponent="random", side=0)
    assert "You are crosses" in env.reset(seed=2, prompt="a column of the dataset")
    assert env.get_reward() == -ILLEGAL_COST  # not to play is no way to give nothing away
    text = env.play_move("b2")
    while "Legal moves: " in text:
        text = env.play_move(text.split("Legal moves: ")[1].split(",")[0].split("\n")[0])
    assert env.play_move("b2") == "The game is over."
    assert -3 <= env.get_reward() <= 0
    assert env.reset(seed=2) == env.reset(seed=2)
    assert env.get_reward() == -ILLEGAL_COST
    tools = [name for name in vars(ToolEnv) if not name.startswith("_")]
    assert tools == ["reset", "play_move", "get_reward"]
