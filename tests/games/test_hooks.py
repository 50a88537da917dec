"""What front ends ask a game instead of knowing it: whose turn it is, dice, stakes, repetitions."""

import pytest

from ludus.core.game import CHANCE, GameStakes
from ludus.games import game as named_game
from support.games import VARIANTS


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_every_game_answers_what_a_front_end_asks(name, preset):
    game = named_game(name, preset)
    start = game.start()
    assert game.turn(start) in (0, 1)
    assert game.is_roll_for_turn(start) == (start.mover == CHANCE)
    assert game.dice(start) is None
    assert game.repeating_moves(start) == []
    assert (game.stakes(start) is None) or game.is_in_points
    assert game.has_sessions == (name == "backgammon" and not getattr(game.rules, "match", 0))


def test_a_roll_and_the_side_that_plays_it_are_known():
    game = named_game("backgammon")
    rolled = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 1 31")
    waiting = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,5:5 1 roll")
    assert (game.turn(rolled), game.dice(rolled)) == (1, (3, 1))
    assert (game.turn(waiting), waiting.mover, game.dice(waiting)) == (1, CHANCE, None)
    assert not game.is_roll_for_turn(waiting)


def test_stakes_name_the_cube_and_its_owner():
    game = named_game("backgammon", "money")
    position = game.parse("24:2,13:5,8:3,6:5 24:2,13:4,8:4,6:5 0 cube 2@1")
    found = game.stakes(position)
    assert isinstance(found, GameStakes)
    assert (found.cube, found.owner, found.match, found.score) == (2, 1, 0, (0, 0))
    assert (found.can_resign, found.jacoby) == (True, True)
    assert named_game("backgammon").stakes(named_game("backgammon").start()) is None


def test_moves_that_repeat_a_position_are_found():
    game = named_game("nine_mens_morris")
    position = game.parse("WW./.../.../....W./.../..B/BB. w 0 0")
    for text in ("f4-g4", "f2-e4", "g4-f4"):
        position = position.play(game.parse_move(text, position))
    assert [str(move) for move in game.repeating_moves(position)] == ["e4-f2"]
