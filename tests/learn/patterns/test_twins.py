"""The readable Fuzzy player and its compiled twin give every move the same weight."""

import random
from dataclasses import replace

import pytest

import ludus
from ludus._native import patterns as native
from ludus.arena.match import play_compiled_games
from ludus.games.nine_mens_morris import PRESETS
from ludus.learn.patterns.inference import PRESETS as SETTINGS
from ludus.learn.patterns.inference import FuzzySettings, build_policy, compute_move_weights
from ludus.learn.patterns.network import QUADRANTS, encode_quadrant
from ludus.learn.patterns.network_file import load_network
from ludus.learn.patterns.player import build_native_policy
from support.games import check_like_matches
from support.morris import UNUSUAL, morris, odd_positions

VARIED = [
    *SETTINGS.values(),
    FuzzySettings(k=1, passes=0, moveThr=0),
    FuzzySettings(take="share", corners=False),
    FuzzySettings(take="best", defence=False, moveThr=0, seen=5),
    FuzzySettings(rateThr=0, moveThr=1, take="share", k=2.5),
    FuzzySettings(network="empty", take="best"),
    FuzzySettings(moveThr=0, seen=5, threatSeen=5, leaves=True, take="random"),
    FuzzySettings(moveThr=0, seen=5, threatSeen=0, corners=False, leaves=True),
]


def test_patterns_are_read_alike():
    rng = random.Random(1)
    for _ in range(2000):
        men = rng.getrandbits(24)
        for quadrant in range(len(QUADRANTS)):
            assert native.pattern(men, quadrant) == encode_quadrant(men, quadrant)


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_moves_are_weighed_alike(rules):
    """Bit for bit, and in the order of the legal moves."""
    game = morris(rules)
    different = 0
    for settings in VARIED:
        known = build_policy(load_network(settings.network), settings)
        twin = build_native_policy(game.rules, known)
        for position in odd_positions(game, 80, seed=3):
            weights = twin.weights(position.bits, position.hands, position.mover)
            expected = compute_move_weights(position, known)
            if not weights:
                assert [str(move) for move in position.legal_moves()] == ["pass"]
            else:
                assert weights == expected, str(position)
            different += len(set(expected)) > 1
    assert different > 200, "most positions have moves of different worth"


def test_python_positions_are_weighed_like_compiled_ones():
    game, readable = morris(), morris(engine="python")
    player = ludus.player("fuzzy", readable)
    known = player.policy
    for position in odd_positions(game, 100, seed=4):
        other = readable.parse(str(position))
        assert compute_move_weights(other, known) == compute_move_weights(position, known)
        assert player.choose(other).move in position.legal_moves()


@pytest.mark.parametrize("names", [("fuzzy", "focused"), ("newbie", "fuzzy:k=3,take=share")])
def test_compiled_games_end_like_matches_of_the_players(names):
    """Shares of wins and the mean length of 200 matches within four standard errors."""
    game = morris()
    many = play_compiled_games(game, names, 20_000, seed=1, threads=2, max_plies=10_000)
    players = tuple(ludus.player(name, game) for name in names)
    few = [ludus.play_game(game, players, seed=seed) for seed in range(200)]
    check_like_matches(many, few)


def test_compiled_games_depend_on_the_seed_alone():
    game, names = morris(), ("fuzzy", "fuzzy:k=1")
    once = play_compiled_games(game, names, 3000, seed=7, threads=1, max_plies=10_000)
    assert once == play_compiled_games(game, names, 3000, seed=7, threads=2, max_plies=10_000)
    assert once != play_compiled_games(game, names, 3000, seed=8, threads=1, max_plies=10_000)
    assert once["games"] == sum(once["reasons"].values()) == 3000


def test_who_is_not_compiled_is_not_played():
    def played(*names):
        return play_compiled_games(morris(), names, 10, seed=0, threads=1, max_plies=100)

    assert played("fuzzy", "negascout:level=1") is None
    assert played("fuzzy:learn=yes", "newbie") is None
    assert play_compiled_games(ludus.game("hexapawn"), ("random", "random"), 1, 0, 1, 10) is None


def test_bad_arguments_of_compiled_code():
    rules = morris().rules
    scores = [1.0] * 512
    for change, complaint in (
        ({"scores": scores[:-1]}, "512"),
        ({"scores": [float("nan"), *scores[1:]]}, "scores are numbers"),
        ({"scores": [-1.0, *scores[1:]]}, "scores are numbers"),
        ({"edges": [(0, 512)]}, "numbered from 0 to 511"),
        ({"threat_edges": [(512, 0)]}, "numbered from 0 to 511"),
        ({"rate_threshold": float("inf")}, "thresholds"),
        ({"move_threshold": -1.0}, "thresholds"),
        ({"take": "all"}, "random, share or best"),
        ({"rules": replace(rules), "take": "\0"}, "random, share or best"),
    ):
        arguments = {
            "rules": rules,
            "scores": scores,
            "edges": [(0, 1)],
            "threat_edges": None,
            **change,
        }
        with pytest.raises(ValueError, match=complaint):
            native.Fuzzy(**arguments)
    fuzzy = native.Fuzzy(rules, scores, [(0, 1)], None)
    with pytest.raises(ValueError, match="two men on one point"):
        fuzzy.weights((1, 1), (0, 0), 0)
    with pytest.raises(ValueError, match="more men than the rules give"):
        fuzzy.weights((0, 0), (10, 0), 0)
    with pytest.raises(ValueError, match="mover"):
        fuzzy.weights((0, 0), (9, 9), 2)
    with pytest.raises(ValueError, match="newbie, basic and focused"):
        native.games(rules, (0, 0), (9, 9), 0, fuzzy, "newby", 1)
    with pytest.raises(ValueError, match="quadrants"):
        native.pattern(0, 4)
    with pytest.raises(TypeError):
        native.games(rules, (0, 0), (9, 9), 0, fuzzy, None, 1)
