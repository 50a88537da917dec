"""The conventional program: its terms, its twin, and what it plays."""

from dataclasses import replace

import numpy as np
import pytest

import ludus
from ludus._native import gammon
from ludus.core.errors import BadSpec
from ludus.games.backgammon.batch import generate_afterstates, position_to_row, row_to_view
from ludus.games.backgammon.reference import generate_plays
from ludus.learn.gammon.network import play_native_games
from ludus.players import player
from ludus.players.backgammon_heuristics import (
    CONTACT_WEIGHTS,
    RACE_WEIGHTS,
    compute_terms,
    evaluate_board,
)
from support.backgammon import met, position

GAME = ludus.game("backgammon")


def test_there_are_seventeen_terms():
    assert len(CONTACT_WEIGHTS) == len(RACE_WEIGHTS) == 17
    assert list(CONTACT_WEIGHTS) == list(RACE_WEIGHTS)


def test_the_twin_counts_the_same():
    boards = 0
    for here in met(games=8, seed=3)[::5]:
        after = generate_afterstates(here)[:4]
        compiled, scores = gammon.tool_terms(after), gammon.tool_scores(after)
        for row, found, total in zip(after, compiled, scores, strict=True):
            view = row_to_view(row)
            np.testing.assert_allclose(found, list(compute_terms(view).values()), atol=1e-5)
            assert total == pytest.approx(evaluate_board(view), abs=1e-4)
            boards += 1
    assert boards > 200


def test_ends_are_those_of_the_rules_in_their_order():
    for here in met(games=2, seed=4)[::7]:
        expected = [
            view.own + view.other for view in generate_plays(replace(here, engine="python"))
        ]
        np.testing.assert_array_equal(generate_afterstates(here), expected)


@pytest.mark.parametrize(
    ("roll", "move"), [("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7"), ("53", "8/3 6/3")]
)
def test_opening_rolls_that_everybody_plays_alike(roll, move):
    """Each makes the point that the books name for it."""
    start = GAME.start()
    choice = player("tool", GAME).choose(start.play(GAME.parse_move(roll, start)))
    assert str(choice.move) == move
    assert choice.scores[choice.move] == max(choice.scores.values())
    assert choice.comment.startswith("likes ")


def test_it_bears_men_off():
    here = position("6:2,4:2,3:1,1:1,off:9", "5:2,4:1,3:2,2:1,off:9", (6, 4))
    assert str(player("tool", GAME).choose(here).move) == "6/off 4/off"


def test_it_beats_chance_and_not_itself():
    assert play_native_games("tool", "random", 200, seed=1).win_rate > 0.97
    assert 0.4 < play_native_games("tool", "tool", 1000, seed=1).win_rate < 0.6


def test_threads_do_not_change_the_games():
    one = play_native_games("tool", "random", 60, seed=7, threads=1)
    assert one == play_native_games("tool", "random", 60, seed=7, threads=3)
    assert one != play_native_games("tool", "random", 60, seed=8, threads=3)
    assert one.points_per_game == pytest.approx(
        (np.dot(one.wins, (1, 2, 3)) - np.dot(one.losses, (1, 2, 3))) / 60
    )


def test_games_that_cannot_be_played():
    with pytest.raises(BadSpec, match="0 games"):
        play_native_games("tool", "tool", 0, seed=1)
    with pytest.raises(ValueError, match="mover"):
        play_native_games("nobody", "tool", 1, seed=1)


def test_compiled_code_refuses_boards_that_cannot_be():
    start = position_to_row(GAME.start())
    for change in ({0: 100}, {24: -1}, {26 + 24: 3}):
        wrong = start.copy()
        for place, men in change.items():
            wrong[place] = men
        for ask in (gammon.tool_terms, gammon.tool_scores):
            with pytest.raises(ValueError, match="no game"):
                ask(wrong[None])
        with pytest.raises(ValueError, match="no game"):
            gammon.plays(wrong[None], 3, 1)
    for dice in ((1, 3), (7, 1), (0, 0)):
        with pytest.raises(ValueError, match="dice"):
            gammon.plays(start[None], *dice)
