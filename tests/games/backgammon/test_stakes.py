"""The doubling cube, matches and resigning, one small game each."""

import random
import re

import pytest

import ludus
from ludus.core.errors import BadMove, BadPosition, BadSpec
from ludus.games.backgammon import Backgammon, CubeAction, Rules, Stakes

MEN = "6:1,off:14 6:1,off:14"
START = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5"


def play(game, text, *words):
    position = game.parse(text)
    for word in words:
        position = position.play(game.parse_move(word, position))
    return position


@pytest.fixture
def money():
    return ludus.game("backgammon:money")


@pytest.fixture
def match():
    return ludus.game("backgammon:tournament")


def test_a_double_is_taken_and_the_taker_owns_the_cube(money):
    doubled = play(money, f"{MEN} 0 cube", "double")
    assert (doubled.mover, doubled.phase) == (1, "doubled")
    taken = play(money, f"{MEN} 0 cube", "double", "take", "21", "6/3")
    assert str(taken) == "3:1,off:14 6:1,off:14 1 cube 2@1"
    assert [str(each) for each in taken.legal_moves()][:2] == ["roll", "double"]
    again = play(money, str(taken), "double", "take", "21", "6/3")
    assert str(again.stakes) == "4@0"


def test_only_the_owner_may_double(money):
    position = money.parse(f"{MEN} 0 cube 2@1")
    assert "double" not in map(str, position.legal_moves())
    with pytest.raises(BadMove, match="'double' is not possible here; possible are roll, resign"):
        money.parse_move("double", position)
    with pytest.raises(BadMove, match="double is not a legal move in"):
        position.play(CubeAction("double"))


def test_a_dropped_double_loses_what_the_cube_showed(money):
    over = play(money, f"{MEN} 1 cube 4@1", "double", "drop")
    assert over.legal_moves() == []
    outcome = over.outcome()
    assert (outcome.winner, outcome.reason, outcome.points) == (1, "dropped", 4)
    assert money.describe_outcome(outcome) == "Black won 4 points: white dropped a double."


def test_the_cube_multiplies_a_gammon():
    game = ludus.game("backgammon:money,jacoby=no")
    for text, points in (("1 ", 2), ("2@0 ", 4), ("2@1 ", 4)):
        over = play(game, f"1:1,off:14 6:15 0 31 {text}", "1/off")
        assert (over.outcome().reason, over.outcome().points) == ("gammon", points)


def test_gammons_count_with_a_turned_cube_alone_by_the_jacoby_rule(money):
    for text, points in (("1", 1), ("2@1", 4)):
        assert play(money, f"1:1,off:14 6:15 0 31 {text}", "1/off").outcome().points == points


def test_resignations_are_offered_and_answered(money):
    over = play(money, f"{MEN} 0 cube 2@1", "resign gammon", "accept")
    outcome = over.outcome()
    assert (outcome.winner, outcome.reason, outcome.points) == (1, "resigned_gammon", 4)
    going_on = play(money, f"{MEN} 0 cube 2@1", "resign", "reject")
    assert (going_on.phase, going_on.mover, going_on.turn) == ("play", ludus.CHANCE, 0)
    # With the cube in the middle gammons do not count, so none is resigned.
    centred = money.parse(f"{MEN} 0 cube")
    assert [str(each) for each in centred.legal_moves()] == ["roll", "double", "resign"]


def test_a_match_goes_on_until_a_side_has_its_points(match):
    after = play(match, "1:1,off:14 6:15 0 31 2@0 0-3/7", "1/off")
    assert str(after) == f"{START} 0 opening 1 4-3/7"
    over = play(match, "1:1,off:14 6:15 0 31 2@0 4-3/7", "1/off")
    assert (over.outcome().winner, over.outcome().reason) == (0, "match")
    assert str(over).endswith("1 over 2@0 8-3/7")
    assert match.parse(str(over)) == over


def test_the_crawford_game_has_no_cube_and_is_one_game(match):
    crawford = play(match, f"{MEN} 0 cube 1 5-3/7", "double", "drop")
    assert str(crawford) == f"{START} 0 opening 1 6-3/7/crawford"
    turn = match.parse(f"{MEN} 1 roll 1 6-3/7/crawford")
    assert not turn.stakes.may_double(0)
    assert not turn.stakes.may_double(1)
    later = play(match, "6:15 1:1,off:14 1 31 1 6-3/7/crawford", "1/off")
    assert str(later) == f"{START} 0 opening 1 6-5/7"
    assert later.stakes.may_double(1)
    assert not later.stakes.may_double(0)  # it needs one point
    without = ludus.game("backgammon:tournament,crawford=no")
    assert not play(without, f"{MEN} 0 cube 1 5-3/7", "double", "drop").stakes.crawford


def test_old_texts_stay_valid_under_rules_with_a_cube(money):
    assert str(money.parse(f"{MEN} 0 roll")) == f"{MEN} 0 roll 1"
    assert str(Backgammon().parse(f"{MEN} 0 roll")) == f"{MEN} 0 roll"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"{MEN} 0 cube 3@0 0-0/7", "cube cannot show 3"),
        (f"{MEN} 0 cube 2 0-0/7", "has an owner"),
        (f"{MEN} 0 cube 1@0 0-0/7", "has an owner"),
        (f"{MEN} 0 cube x 0-0/7", "cube 'x' must be"),
        (f"{MEN} 0 cube 1 0-0/5", "match to 5, not to 7"),
        (f"{MEN} 0 cube 1 7-7/7", "both sides have won"),
        (f"{MEN} 0 cube 1 0-0/7/crawford", "no score of a Crawford game"),
        (f"{MEN} 0 cube 2@0 6-0/7/crawford", "cube cannot show 2"),
        (f"{MEN} 0 doubled 2@1 0-0/7", "no such choice"),
        (f"{MEN} 0 dropped 1 0-0/7", "the next game has begun"),
        (f"{MEN} 0 31 1 7-0/7", "the match is over"),
        ("off:15 6:15 1 over 1 0-0/7", "the next game of the match has begun"),
        (f"{MEN} 0 sideways 1 0-0/7", "must be two dice, roll, opening, over, cube"),
        (f"{MEN} 0 cube 1 0-0/7 more", "no position: write side 0's men"),
    ],
)
def test_impossible_stakes_are_refused_in_one_line(match, text, complaint):
    with pytest.raises(BadPosition, match=complaint) as refused:
        match.parse(text)
    assert "\n" not in str(refused.value)


def test_rules_that_contradict_each_other_are_refused():
    for rules in ("jacoby=yes", "cube=yes,jacoby=yes,match=7", "match=26", "match=-1"):
        with pytest.raises(BadSpec):
            ludus.game("backgammon", rules)


def test_a_cubeless_position_has_no_cube():
    with pytest.raises(BadPosition, match="no position"):
        Backgammon().parse(f"{MEN} 0 roll 2@0")


@pytest.mark.parametrize("player", ["tool", "gammon", "bsd", "pubeval"])
def test_players_of_moves_alone_say_so(player, money):
    with pytest.raises(BadSpec, match=f"{player} plays single games without the cube"):
        ludus.player(player, money)


@pytest.mark.parametrize("rules", ["money", "tournament", "hyper,cube=yes,match=3", "match=2"])
def test_texts_are_inverses_in_whole_matches(rules):
    game, rng, phases = ludus.game("backgammon", rules), random.Random(5), set()
    for _ in range(3):
        position = game.start()
        while position.outcome() is None:
            assert game.parse(str(position)) == position
            phases.add(position.phase)
            moves = position.legal_moves()
            move = rng.choice(moves[:2] if rng.random() < 0.8 else moves)
            assert game.parse_move(str(move), position) == move
            position = position.play(move)
        assert game.parse(str(position)) == position
    assert phases >= {"play", "cube", "doubled"} or rules == "match=2"


@pytest.mark.parametrize("rules", ["money", "tournament"])
def test_other_programs_ids_carry_cube_and_score(rules):
    game, rng, checked = ludus.game("backgammon", rules), random.Random(2), 0
    position = game.start()
    while checked < 60:
        if position.outcome() is not None:
            position = game.start()
        texts = game.position_texts(position)
        if len(texts) == 3 and not position.opening:
            assert {game.parse(text) for text in texts.values()} == {position}
            checked += 1
        position = position.play(rng.choice(position.legal_moves()[:2]))


def test_a_match_that_is_over_awaits_no_opening_roll():
    game = ludus.game("backgammon:tournament")
    position = game.parse("4HPwATDgc/ABMA:cAngAACAMAAA")
    assert str(position) == f"{START} 0 over 1 6-2048/7"
    assert game.parse(str(position)) == position


def test_an_xgid_names_its_rules():
    from ludus.games.backgammon.position_ids import detect_rules

    board = "-b----E-C---eE---c-e----B-"
    assert detect_rules(f"XGID={board}:0:0:1:00:0:0:1:0:10") == Rules(cube=True, jacoby=True)
    assert detect_rules(f"XGID={board}:1:-1:1:D:3:6:1:7:10") == Rules(cube=True, match=7)
    assert detect_rules(f"{START} 0 31") == Rules()
    text = f"XGID={board}:1:1:1:D:3:2:0:7:10"
    position = Backgammon(detect_rules(text)).parse(text)
    assert (position.mover, position.phase, str(position.stakes)) == (1, "doubled", "2@0 3-2/7")


def test_stakes_know_when_the_cube_is_dead():
    rules = Rules(cube=True, match=5)
    assert not Stakes(rules, 4, 1, (1, 2)).may_double(1)
    assert Stakes(rules, 2, 1, (1, 2)).may_double(1)
    assert not Stakes(rules, 2, 1, (1, 2)).may_double(0)


def test_the_cube_is_drawn_beside_its_owner():
    game = ludus.game("backgammon:money")
    men = "24:2,13:5,8:3,6:5 24:2,13:4,8:4,6:5 0 31"
    heights = []
    for cube in ("2@1", "1", "2@0"):
        drawing = game.parse(f"{men} {cube}").drawing().svg()
        (found,) = re.findall(r'<rect class="cube" [^>]*\by="([0-9.]+)"', drawing)
        heights.append(float(found))
    assert heights == sorted(heights)
    assert len(set(heights)) == 3
    assert 'class="cube"' not in ludus.game("backgammon").start().drawing().svg()
