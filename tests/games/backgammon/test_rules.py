"""The rules, one small position each: what a person learns when learning the game."""

import pytest

from ludus.core import CHANCE, BadMove, Outcome
from ludus.games.backgammon import Backgammon, Move, Roll, Rules


@pytest.fixture(params=["native", "python"])
def game(request):
    return Backgammon(engine=request.param)


def moves(game, text):
    return {str(move) for move in game.parse(text).legal_moves()}


def result(game, text, move):
    position = game.parse(text)
    return str(position.play(game.parse_move(move, position)))


def test_the_higher_die_begins_and_plays_both(game):
    start = game.start()
    assert start.mover == CHANCE
    assert len(start.legal_moves()) == 30
    assert {weight for _, weight in game.chances(start)} == {1 / 30}
    for roll in start.legal_moves():
        after = start.play(roll)
        assert (after.turn, after.dice) == (roll.second > roll.first, (max(roll), min(roll)))
        assert not after.opening
    with pytest.raises(BadMove):
        start.play(Roll(2, 2))


@pytest.mark.parametrize("engine", ["native", "python"])
def test_rules_may_number_the_side_that_begins_0(engine):
    game = Backgammon(Rules(opening="first"), engine)
    start = game.start()
    assert len(start.legal_moves()) == 15
    assert {weight for _, weight in game.chances(start)} == {1 / 15}
    assert game.parse(str(start)) == start
    for roll in (Roll(2, 2), Roll(1, 3)):
        with pytest.raises(BadMove):
            start.play(roll)


def test_later_rolls_are_any(game):
    position = game.start().play(Roll(3, 1))
    position = position.play(game.parse_move("8/5 6/5", position))
    assert (position.turn, position.mover) == (1, CHANCE)
    chances = dict(game.chances(position))
    assert len(chances) == 21
    assert chances[Roll(6, 6)] == 1 / 36
    assert chances[Roll(6, 5)] == 1 / 18
    assert sum(chances.values()) == pytest.approx(1)


def test_rules_may_allow_a_double_at_the_start():
    game = Backgammon(Rules(opening="any"))
    assert len(game.start().legal_moves()) == 21
    assert game.parse(str(game.start())) == game.start()


def test_the_opening_moves_of_a_three_and_a_one(game):
    position = game.start().play(Roll(3, 1))
    assert {str(move) for move in position.legal_moves()} == {
        *("24/23 24/21", "24/20", "24/21 8/7", "24/21 6/5", "13/9", "13/10 8/7", "13/10 6/5"),
        *("8/7 8/5", "8/5 6/5", "8/4", "6/5 6/3", "6/2", "24/23 13/10", "24/23 8/5", "24/23 6/3"),
        "8/7 6/3",
    }


def test_a_point_held_by_two_men_blocks(game):
    # The five cannot be played from 24, so the six comes first.
    position = game.parse("24:1,off:14 6:2,off:13 0 65")
    assert [game.steps(move) for move in position.legal_moves()] == [("24", "18", "18", "13")]


def test_a_single_man_is_hit_and_goes_to_the_bar(game):
    text = "6:1,off:14 20:1,6:2,off:12 0 41"
    assert moves(game, text) == {"6/5*/1", "6/1"}
    assert game.parse(result(game, text, "6/5*/1")).bar == (0, 1)
    assert game.parse(result(game, text, "6/1")).bar == (0, 0)


def test_a_six_that_leaves_no_five_may_not_be_played(game):
    # After 7/1 the five could not be played: 20/15 is blocked.
    assert moves(game, "20:1,7:1,off:13 10:2,off:13 0 65") == {"20/9", "20/14 7/2"}


def test_the_larger_die_if_only_one_can_be_played(game):
    # Either 24/18 or 24/19 can be played, but not both one after the other.
    text = "24:1,off:14 12:2,off:13 0 65"
    assert moves(game, text) == {"24/18"}


def test_the_smaller_die_if_the_larger_cannot_be_played(game):
    text = "24:1,off:14 12:2,7:2,off:11 0 65"
    assert moves(game, text) == {"24/19"}


def test_men_on_the_bar_enter_first(game):
    assert moves(game, "bar:1,13:2,off:12 4:2,off:13 0 43") == {"bar/18", "bar/22 13/9"}
    # Two on the bar and one die that enters: the other die is lost.
    assert moves(game, "bar:2,13:2,off:11 4:2,off:13 0 43") == {"bar/22"}


def test_a_closed_board_means_passing(game):
    text = "bar:1,13:2,off:12 6:2,5:2,4:2,3:2,2:2,1:2,off:3 0 43"
    position = game.parse(text)
    assert position.legal_moves() == [Move(0, ())]
    assert moves(game, text) == {"pass"}
    assert result(game, text, "pass").endswith(" 1 roll")
    with pytest.raises(BadMove):
        game.parse_move("pass", game.start().play(Roll(3, 1)))


def test_a_double_is_played_four_times(game):
    text = "13:4,off:11 24:1,off:14 0 22"
    assert result(game, text, "13/11(4)").startswith("11:4,")
    assert result(game, text, "13/5").startswith("13:3,5:1,")
    assert all(len(move.steps) == 4 for move in game.parse(text).legal_moves())


def test_a_double_is_played_as_far_as_it_goes(game):
    # From 24 two threes can be played, then a point is in the way.
    assert moves(game, "24:1,off:14 10:2,off:13 0 33") == {"24/18"}
    assert moves(game, "24:1,off:14 4:2,off:13 0 33") == {"pass"}


def test_bearing_off_needs_all_men_home(game):
    assert moves(game, "8:1,6:1,off:13 13:1,off:14 0 61") == {"8/2 6/5", "8/1"}
    # The first die may bring the last man home for the second to bear one off.
    assert moves(game, "7:1,6:1,off:13 13:1,off:14 0 61") == {"7/off", "7/1 6/5"}


def test_a_die_takes_off_a_man_from_its_point(game):
    # After 6/2 nobody is behind 4 any more, and the six takes that man off.
    assert moves(game, "6:1,4:1,off:13 13:1,off:14 0 64") == {"6/off 4/off", "6/2 4/off"}


def test_a_die_without_a_man_takes_off_the_one_furthest_back(game):
    # No man on 6 or 5, so the six takes one off from 4, or from 3 after 4/3.
    assert moves(game, "4:1,3:2,off:12 13:1,off:14 0 61") == {"4/off 3/2", "4/off"}


def test_a_die_without_a_man_takes_nobody_off_while_one_is_behind(game):
    # With a man on 6 the five takes nobody off from 4.
    assert moves(game, "6:1,4:1,off:13 13:1,off:14 0 51") == {"6/off", "6/1 4/3"}


def test_bearing_off_stops_while_a_man_is_on_the_bar(game):
    assert moves(game, "bar:1,2:2,off:12 13:1,off:14 0 61") == {"bar/18", "bar/19 2/1"}


@pytest.mark.parametrize(
    ("loser", "reason", "points"),
    [
        ("13:14,off:1", "single", 1),
        ("23:14,off:1", "single", 1),
        ("13:15", "gammon", 2),
        ("18:1,6:14", "gammon", 2),
        ("19:1,6:14", "backgammon", 3),
        ("bar:1,6:14", "backgammon", 3),
    ],
)
def test_what_a_game_counts(game, loser, reason, points):
    before = game.parse(f"1:1,off:14 {loser} 0 21")
    over = before.play(before.legal_moves()[0])
    assert over.outcome() == Outcome(0, reason, points)
    assert over.legal_moves() == []
    assert over.mover != CHANCE
    assert game.chances(over) == []
    assert game.perft(over, 1) == 0
    assert game.parse(str(over)) == over
    mirrored = game.parse(f"{loser} 1:1,off:14 1 21")
    assert mirrored.play(mirrored.legal_moves()[0]).outcome() == Outcome(1, reason, points)


def test_both_sides_play_by_the_same_rules(game):
    mine = game.parse("24:2,13:4,10:1,8:3,6:5 24:1,20:1,13:5,8:3,6:5 0 64")
    yours = game.parse("24:1,20:1,13:5,8:3,6:5 24:2,13:4,10:1,8:3,6:5 1 64")
    assert [str(move) for move in mine.legal_moves()] == [str(m) for m in yours.legal_moves()]


def test_steps_name_the_places_of_the_board(game):
    position = game.parse("bar:1,13:2,off:12 bar:1,6:2,off:12 0 61")
    move = game.parse_move("bar/24 13/7", position)
    assert game.steps(move) == ("bar", "24", "13", "7")
    position = game.parse("bar:1,13:2,off:12 bar:1,6:2,off:12 1 61")
    move = game.parse_move("bar/24/18", position)
    assert game.steps(move) == ("bar", "6", "6", "7"), (
        "the larger die first, points as side 0 counts"
    )
    assert game.steps(Roll(3, 1)) == ()


def test_hypergammon_has_three_men_a_side():
    game = Backgammon(Backgammon.presets["hyper"])
    assert str(game.start()) == "24:1,23:1,22:1 24:1,23:1,22:1 0 opening"
