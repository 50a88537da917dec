"""Rollouts: exact values, the reference in Python, dice, stopping and resuming."""

from dataclasses import replace
from itertools import islice
from math import comb

import numpy as np
import pytest

import ludus
from ludus._native import chances as native
from ludus._native import equities
from ludus.analysis import find_evaluator
from ludus.core.errors import LudusError
from ludus.games.backgammon.batch import position_to_row
from ludus.games.backgammon.cube import (
    CUBE_EFFICIENCY,
    Chances,
    CubeModel,
    tabulate_match_chances,
)
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.stakes import Stakes
from ludus.learn.gammon.network import load_shipped_chances
from ludus.learn.gammon.rollout import rollout
from support.rollout import PlainRollout, draw_dice

GAME = ludus.game("backgammon")
NETWORK = load_shipped_chances("selfplay")
LATE = "6:2,5:1,off:12 6:2,3:1,off:12 0"
CONTACT = "20:1,4:1,2:1,off:12 20:1,3:1,off:13 0"

SCORES = [
    Stakes(Rules(cube=True)),
    Stakes(Rules(cube=True, jacoby=True), 4, 1),
    Stakes(Rules(cube=True, match=7), 2, 0, (3, 5)),
    Stakes(Rules(cube=True, match=5), 1, None, (4, 2), crawford=True),
    Stakes(Rules(cube=True, match=5), 1, None, (4, 2)),
]


def to_native(stakes):
    table = np.array(tabulate_match_chances(stakes, 0)) if stakes.rules.match else None
    return native.Stakes(stakes.has_cube, stakes.rules.jacoby, CUBE_EFFICIENCY, table)


@pytest.mark.parametrize("stakes", SCORES, ids=str)
def test_the_cube_is_that_of_the_reference(stakes):
    rng = np.random.default_rng(1)
    owner = -1 if stakes.owner is None else stakes.owner
    for win, *gammons in rng.random((200, 5)):
        win_gammon, lose_gammon = win * gammons[0], (1 - win) * gammons[1]
        chances = Chances(
            win, win_gammon, win_gammon * gammons[2], lose_gammon, lose_gammon * gammons[3]
        )
        chances = Chances(*np.array(chances, np.float32).tolist())
        side = int(win < 0.5)
        found = to_native(stakes).decide(list(chances), stakes.value, owner, side)
        model = CubeModel(chances, stakes, side)
        expected = (
            model.evaluate(stakes.value, stakes.owner),
            model.evaluate(2 * stakes.value, 1 - side),
            model.value_of(stakes.value, 1),
        )
        assert found == pytest.approx(expected, abs=1e-6)


def test_every_pair_of_first_rolls_comes_once():
    rolls = [tuple(islice(draw_dice(5, game), 2)) for game in range(1296)]
    assert len(set(rolls)) == 1296
    for turn in (0, 1):
        assert len({roll[turn] for roll in rolls[36:72]}) == 36


@pytest.mark.parametrize(
    ("text", "stakes", "settings"),
    [
        (LATE, None, {}),
        (CONTACT, None, {"is_luck_removed": False}),
        (CONTACT, SCORES[0], {"horizon": 3}),
        (CONTACT, SCORES[1], {"is_luck_removed": False}),
        (LATE, SCORES[2], {}),
    ],
)
def test_games_are_those_of_the_reference(text, stakes, settings):
    here = GAME.parse(f"{text} roll")
    network = NETWORK.to_native()
    plain = PlainRollout(network, replace(here, stakes=stakes), 3, **settings)
    value, owner = (stakes.value, stakes.owner) if stakes else (1, None)
    found = network.roll_out(
        position_to_row(here)[None],
        [(value, -1 if owner is None else owner, True)],
        stakes and to_native(stakes),
        30,
        8,
        native.RolloutSettings(3, is_exact=False, **settings),
    )
    expected = [plain.play(game, may_double=True) for game in range(30, 38)]
    np.testing.assert_allclose(found[0], expected, atol=2e-5)


def draw_bearoffs(men, count, seed):
    """Positions with few men a side, all at home, and the ranks of both sides."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, comb(men + 6, 6), size=(count, 2), dtype=np.uint32)
    sides = equities.unrank(ranks.reshape(-1), men, 6).reshape(count, 2, 26)
    rows = np.concatenate([sides[:, 0], sides[:, 1, ::-1]], axis=1)
    rows[:, 0] = 15 - rows[:, 1:26].sum(axis=1)
    rows[:, 51] = 15 - rows[:, 26:51].sum(axis=1)
    return rows, ranks


def compare_with_exact(found, expected):
    """Differences of the means of games from exact values, in standard errors, and these."""
    errors = found.std(axis=1, ddof=1) / np.sqrt(found.shape[1])
    is_open = errors > 1e-6
    return (found.mean(axis=1) - expected)[is_open] / errors[is_open], errors[is_open]


@pytest.mark.parametrize("is_luck_removed", [True, False])
def test_means_are_within_their_errors_of_exact_values(is_luck_removed):
    """Bearing off, played to the end: in 50 positions the errors are as large as they say."""
    rows, ranks = draw_bearoffs(6, 50, 4)
    own, other = ranks.T
    settings = native.RolloutSettings(4, is_luck_removed=is_luck_removed, is_exact=False)
    found = NETWORK.to_native().roll_out(rows, [(1, -1, False)] * 50, None, 0, 180, settings, 2)
    ratios, errors = compare_with_exact(found[:, :, 5], equities.two_sided(6, 6)[0, own, other])
    assert abs(ratios).max() < 4
    assert 0.3 < (ratios**2).mean() < 1.6
    assert np.median(errors) < (0.004 if is_luck_removed else 0.1)


def test_games_end_where_they_are_known():
    rows, ranks = draw_bearoffs(6, 50, 5)
    exact = equities.two_sided(6, 6)[:, ranks[:, 0], ranks[:, 1]]
    network, money = NETWORK.to_native(), to_native(SCORES[0])
    for stakes, cube, expected in (
        (None, (1, -1, False), exact[0]),
        (money, (2, 0, False), 2 * exact[1]),
        (money, (4, 1, True), 4 * exact[3]),
        (money, (1, -1, True), np.maximum(exact[2], np.minimum(1, 2 * exact[3]))),
    ):
        found = network.roll_out(rows, [cube] * 50, stakes, 0, 1, native.RolloutSettings(4))
        np.testing.assert_allclose(found[:, 0, 5], expected, atol=1e-6)
    # One man more: two or three rolls with Janowski's cube, then exact values.
    rows, ranks = draw_bearoffs(7, 20, 6)
    exact = equities.two_sided(7, 6)[2, ranks[:, 0], ranks[:, 1]]
    found = network.roll_out(
        rows, [(1, -1, False)] * 20, money, 0, 180, native.RolloutSettings(4), 2
    )
    assert abs(found[:, :, 5].mean(axis=1) - exact).max() < 0.02


def test_threads_interruptions_and_later_games_change_nothing(tmp_path):
    options = {"network": NETWORK, "seed": 2, "is_exact": False, "separation": 0}
    here = f"{LATE} 21"
    whole = rollout("backgammon", here, games=252, threads=1, **options)
    assert [each.games for each in whole.lines] == [252] * len(whole.lines)
    file = tmp_path / "games"

    def interrupt(done, total):
        if done == 72:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rollout("backgammon", here, games=216, out=file, on_progress=interrupt, **options)
    begun = []
    rollout(
        "backgammon",
        here,
        games=216,
        out=file,
        on_progress=lambda done, _: begun.append(done),
        **options,
    )
    assert begun[0] == 72
    resumed = rollout("backgammon", here, games=252, out=file, threads=3, **options)
    assert resumed.lines == whole.lines
    with pytest.raises(LudusError, match="another"):
        rollout("backgammon", here, out=file, **{**options, "seed": 3})


def test_moves_far_behind_are_given_up_and_small_errors_are_enough():
    options = {"network": NETWORK, "seed": 2, "is_exact": False, "games": 3600}
    here = "6:2,4:2,off:11 20:1,6:2,off:12 0 64"
    moves = ["6/off 4/off", "6/off 6/2"]
    found = rollout("backgammon", here, moves=moves, **options)
    assert found.games < 7200
    assert found.lines[1].behind > 4 * found.lines[1].behind_error > 0
    (only,) = rollout("backgammon", f"{LATE} roll", max_error=0.01, **options).lines
    assert only.standard_error <= 0.01
    assert only.games < 3500


def test_cube_actions_and_match_scores():
    """The other side will bear off its last two men, so that all is decided by this roll."""
    money = rollout("backgammon:money", "6:1,1:1,off:13 1:2,off:13 0 cube", network=NETWORK, seed=1)
    wins = 15 / 36  # 61 62 63 64 65, and doubles of 2 and more: 10 + 5
    assert money.lines[0].chances.win == pytest.approx(wins, abs=1e-6)
    assert money.cube.no_double == pytest.approx(2 * wins - 1, abs=1e-6)
    assert money.cube.double_take == pytest.approx(4 * wins - 2, abs=1e-6)
    assert money.cube.best_action == "no double"
    match = rollout(
        "backgammon:match=5", "6:1,1:1,off:13 1:2,off:13 0 roll 1 4-2/5", network=NETWORK
    )
    assert [each.move for each in match.lines] == ["no double"]


def test_an_evaluator_rolls_out():
    evaluator = find_evaluator(GAME, "gammon:net=selfplay,rollout=36")
    found = evaluator.analyse(GAME.parse(f"{CONTACT} 21"))
    assert found.best.evaluation.lookahead == "rollout 36"
    assert len(found.moves) == len(GAME.parse(f"{CONTACT} 21").legal_moves())
