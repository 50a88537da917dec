"""Cube decisions from chances: Janowski's formulas, and tables and points of other programs."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludus.games.backgammon import (
    Chances,
    CubeEquities,
    Rules,
    Stakes,
    evaluate_cube,
    match_winning_chance,
)
from ludus.games.backgammon.cube import CubeModel, choose_action, score_actions
from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.stakes import ACCEPT

MONEY = Rules(cube=True)

PUBLISHED = {
    (1, 2): 0.677, (1, 3): 0.751, (1, 4): 0.814, (1, 5): 0.842, (1, 7): 0.907,
    (2, 3): 0.599, (2, 4): 0.669, (2, 5): 0.744, (2, 7): 0.842,
    (3, 4): 0.572, (3, 5): 0.648, (3, 7): 0.762, (4, 5): 0.577, (4, 7): 0.699, (5, 7): 0.626,
}  # fmt: skip
"""Scores of the table by Kazaross and eXtreme Gammon 2, made from rollouts."""

KAZAROSS = Path("/usr/share/gnubg/met/Kazaross-XG2.xml")
"""The whole table, which comes with GNU Backgammon."""


def test_the_match_equity_table_agrees_with_a_published_one():
    for (own, other), chance in PUBLISHED.items():
        assert match_winning_chance(own, other) == pytest.approx(chance, abs=0.006), (own, other)


@pytest.mark.needs_debian("gnubg")
def test_the_whole_of_the_published_table():
    rows = ElementTree.parse(KAZAROSS).getroot().iterfind("pre-crawford-table/row")
    table = [[float(cell.text or "nan") for cell in row][:25] for row in rows][:25]
    assert [len(row) for row in table] == [25] * 25
    for (own, other), chance in PUBLISHED.items():
        assert table[own - 1][other - 1] == pytest.approx(chance, abs=0.0005)
    for own, row in enumerate(table, 1):
        ours = [match_winning_chance(own, other) for other in range(1, 26)]
        assert ours == pytest.approx(row, abs=0.006), own
        if own > 1:  # games without the cube are played for the score, and ours for money
            assert ours[1:] == pytest.approx(row[1:], abs=0.003), own


def test_match_equities_are_symmetric_and_ordered():
    for own in range(1, 25):
        for other in range(1, 25):
            for post in (False, True):
                chance = match_winning_chance(own, other, post)
                assert chance + match_winning_chance(other, own, post) == pytest.approx(1)
                assert match_winning_chance(own, other + 1, post) >= chance - 1e-12
    assert (match_winning_chance(0, 3), match_winning_chance(3, -1)) == (1, 0)


def test_after_the_crawford_game_an_odd_score_is_nearly_as_good_as_the_next_even_one():
    """The side that trails doubles at once; where it needs even points a drop costs nothing."""
    for even in range(2, 12, 2):
        gain = match_winning_chance(1, even, True) - match_winning_chance(1, even - 1, True)
        assert 0 < gain < 0.02


@pytest.mark.parametrize("efficiency", [0.0, 0.5, 0.68, 1.0])
def test_the_take_point_for_money_is_janowskis(efficiency):
    """Without gammons a double is taken from 25% (dead cube) down to 20% (live cube)."""
    take = 0.5 / (2 + 0.5 * efficiency)
    for chance, is_take in ((1 - take - 0.001, True), (1 - take + 0.001, False)):
        model = CubeModel(Chances(chance), Stakes(MONEY), 0, efficiency)
        assert model.decide().is_take == is_take


def test_gammons_make_a_position_too_good_except_by_the_jacoby_rule():
    chances = Chances(0.8, 0.5)
    plain = CubeModel(chances, Stakes(MONEY), 0).decide()
    assert plain.best_action == "too good to double"
    jacoby = CubeModel(chances, Stakes(Rules(cube=True, jacoby=True)), 0).decide()
    assert jacoby.best_action == "double, drop"


def test_a_match_decision_depends_on_the_score():
    game = Backgammon(Rules(cube=True, match=7))
    men = "6:1,5:1,off:13 6:1,5:1,off:13 0 cube"
    # Where both need two points, a double ends the match, and the cube is turned early.
    early = Chances(0.65)
    assert not evaluate_cube(game.parse(f"{men} 1 0-0/7"), early).is_double
    assert evaluate_cube(game.parse(f"{men} 1 5-5/7"), early).is_double
    # After the Crawford game the side that trails doubles with any position.
    behind = game.parse(f"{men} 1 1-6/7")
    assert str(choose_action(behind, evaluate_cube(behind, Chances(0.4)))) == "double"


def test_actions_follow_from_chances():
    game = Backgammon(Rules(cube=True, resign=True))
    men = "6:1,5:1,off:13 6:1,5:1,off:13 0"
    cases = [
        (f"{men} cube", Chances(0.5), "roll"),
        (f"{men} cube", Chances(0.72), "double"),
        (f"{men} doubled", Chances(0.72), "take"),
        (f"{men} doubled", Chances(0.85), "drop"),
        (f"{men} cube 2@1", Chances(0.72), "roll"),
        (f"{men} resigns", Chances(0.0), "accept"),
        (f"{men} resigns", Chances(0.0, 0, 0, 0.9), "reject"),
        (f"{men} resigns_gammon", Chances(0.0, 0, 0, 0.9), "accept"),
        (f"{men} resigns", Chances(0.6), "accept"),
    ]
    for text, chances, action in cases:
        position = game.parse(text)
        equities = evaluate_cube(position, chances)
        assert str(choose_action(position, equities)) == action, (text, chances)
        assert set(score_actions(position, equities)) == set(position.legal_moves())


def test_a_resignation_counts_what_the_other_side_makes_of_it():
    game = Backgammon(Rules(cube=True, resign=True))
    men = "6:1,5:1,off:13 6:1,5:1,off:13 0"
    likely_gammon = game.parse(f"{men} cube 2@0")
    scores = score_actions(likely_gammon, CubeEquities(-1.6, -3.0))
    assert {str(action): score for action, score in scores.items()} == {
        "roll": -1.6,
        "double": -3.0,
        "resign": -1.6,  # it is refused
        "resign_gammon": -2.0,
        "resign_backgammon": -3.0,
    }
    # Where the winner of a single game wins the match, a gammon is no more.
    last = Backgammon(Rules(cube=True, resign=True, match=7)).parse(f"{men} resigns 1 3-6/7")
    assert score_actions(last, CubeEquities(-1.0, -1.0))[ACCEPT] == pytest.approx(1)
    assert choose_action(last, CubeEquities(-1.0, -1.0)) == ACCEPT


def test_chances_of_the_other_side_have_the_opposite_equity():
    chances = Chances(0.6, 0.2, 0.01, 0.1, 0.005)
    assert chances.flip().equity == pytest.approx(-chances.equity)
    assert chances.flip().flip() == pytest.approx(chances)
