"""The rules of the Morris family, one small position at a time; both engines must agree."""

import pytest

import ludus
from ludus import Outcome
from ludus.core import BadMove, BadSpec


@pytest.fixture(params=["native", "python"])
def engine(request):
    return request.param


def moves(engine, position, rules=""):
    game = ludus.game("nine_mens_morris", rules, engine)
    return {str(move) for move in game.parse(position).legal_moves()}


def after(engine, position, *played, rules=""):
    game = ludus.game("nine_mens_morris", rules, engine)
    here = game.parse(position)
    for text in played:
        here = here.play(game.parse_move(text, here))
    return here


def test_a_closed_mill_takes_one_man(engine):
    found = moves(engine, "WW./B../B../....../.../.../... w 7 7")
    assert {"g7xb6", "g7xc5"} <= found
    assert "g7" not in found
    assert "d6" in found


def test_two_mills_closed_at_once_still_take_one(engine):
    position = "WW./.../.../.....W/.../.../B.W w 4 6"
    assert {move for move in moves(engine, position) if move.startswith("g7")} == {"g7xa1"}


def test_men_in_mills_are_safe_unless_all_are(engine):
    mill_and_one = "WW./BBB/..B/....../.../.../... w 6 5"
    assert {"g7xe5"} == {m for m in moves(engine, mill_and_one) if m.startswith("g7")}
    mill_only = "WW./BBB/.../....../.../.../... w 6 5"
    taken = {m for m in moves(engine, mill_only) if m.startswith("g7")}
    assert taken == {"g7xb6", "g7xd6", "g7xf6"}


def test_men_in_mills_under_other_rules(engine):
    position = "WW./BBB/..B/....../.../.../... w 6 5"
    always = {m for m in moves(engine, position, "take_from_mills=always") if m.startswith("g7")}
    assert always == {"g7xb6", "g7xd6", "g7xf6", "g7xe5"}
    mill_only = "WW./BBB/.../....../.../.../... w 6 5"
    never = {m for m in moves(engine, mill_only, "take_from_mills=never") if m.startswith("g7")}
    assert never == {"g7"}


def test_sliding_follows_the_lines(engine):
    found = moves(engine, "W../.W./.../....../.../..B/BBB w 0 0", "flying=no,lose_below=1")
    assert found == {"a7-d7", "a7-a4", "d6-d7", "d6-b6", "d6-f6", "d6-d5"}


def test_a_man_cannot_use_itself_to_close_a_mill(engine):
    """Sliding along the line of two partners does not make three of them."""
    assert "g7-d7" not in {
        move for move in moves(engine, "W.W/.../.../W...../.B./..B/B.B w 0 0") if "x" in move
    }


def test_three_men_fly(engine):
    position = "W.W/.../.../W...../.B./..B/B.B w 0 0"
    assert "a7-d3" not in moves(engine, position)  # d3 is taken
    assert len({m for m in moves(engine, position) if m.startswith("a7-")}) == 24 - 7
    assert moves(engine, position, "flying=no") == {"a7-d7", "g7-d7", "g7-g4", "a4-b4"}


def test_nobody_flies_with_men_in_hand(engine):
    """Lasker: with three men left, one of them still in hand, the others only slide."""
    found = moves(engine, "W../.../..W/....../.B./..B/B.B w 1 0", "lasker")
    assert {"a7-d7", "a7-a4", "e5-d5", "e5-e4"} == {move for move in found if "-" in move}


def test_fewer_than_three_men_lose(engine):
    end = after(engine, "WW./..W/.../..B.../B../.../..B w 0 0", "f6-g7xg1")
    assert end.outcome() == Outcome(0, "men")
    assert end.legal_moves() == []


def test_a_blocked_side_loses(engine):
    game = ludus.game("nine_mens_morris", "lose_below=1,flying=no", engine)
    assert game.parse("BW./.../.../W...../.../.../... b 0 0").outcome() == Outcome(0, "blocked")
    assert game.parse("BW./.../.../W...../.../.../... b 0 1").outcome() is None  # can place
    assert game.parse("BW./.../.../W...../.../.../B.. b 0 0").outcome() is None  # a1 can move


def test_a_blocked_side_passes_under_vrajitoru(engine):
    here = "BW./.W./.../W...../.../.../... b 0 0"
    assert moves(engine, here, "vrajitoru") == {"pass"}
    later = after(engine, here, "pass", rules="vrajitoru")
    assert later.mover == 0
    assert later.quiet == 1


def test_a_pass_is_no_choice(engine):
    game = ludus.game("nine_mens_morris", "vrajitoru", engine)
    here = game.parse("B../.W./.../W...../.../.../... b 0 0")
    with pytest.raises(BadMove):
        game.parse_move("pass", here)


def test_both_sides_blocked_is_a_draw_where_they_would_pass(engine):
    full = "BWB/WBW/BWB/WBWBWB/WBW/BWB/WBW w 0 0"
    game = ludus.game("nine_mens_morris", "vrajitoru,men=12", engine)
    assert game.parse(full).outcome() == Outcome(None, "blocked")


def test_a_full_board_is_a_draw_in_morabaraba_only(engine):
    full = "BWB/WBW/BWB/WBWBWB/WBW/BWB/WBW w 0 0"
    assert ludus.game("nine_mens_morris", "morabaraba", engine).parse(full).outcome() == Outcome(
        None, "full"
    )
    other = ludus.game("nine_mens_morris", "morabaraba,full_board=blocked", engine)
    assert other.parse(full).outcome() == Outcome(1, "blocked")


SHUFFLE = "W.W/.../.../W..W../.B./..B/B.B w 0 0"


def test_a_repeated_position_is_a_draw(engine):
    there_and_back = ("g7-d7", "f2-f4", "d7-g7", "f4-f2")
    almost = after(engine, SHUFFLE, *there_and_back[:3])
    assert almost.outcome() is None
    again = after(engine, SHUFFLE, *there_and_back)
    assert again.outcome() == Outcome(None, "repetition")
    assert again.occurrence == 2


def test_repetition_can_be_threefold_or_off(engine):
    there_and_back = ("g7-d7", "f2-f4", "d7-g7", "f4-f2")
    assert after(engine, SHUFFLE, *there_and_back, rules="repetition=3").outcome() is None
    thrice = after(engine, SHUFFLE, *there_and_back, *there_and_back, rules="repetition=3")
    assert thrice.outcome() == Outcome(None, "repetition")
    assert after(engine, SHUFFLE, *(3 * there_and_back), rules="repetition=0").outcome() is None


def test_a_capture_clears_the_memory(engine):
    """Positions before a capture cannot occur again, so the history drops them."""
    first = "WW./..W/.B./B...../B../B../.B. w 0 0"
    later = after(engine, first, "f6-f4", "d5-e5", "f4-f6", "e5-d5", rules="repetition=3")
    assert later.occurrence == 2
    fresh = after(engine, first, "f6-f4", "d5-e5", "f4-g4", "e5-d5", "g4-g7xd5")
    assert fresh.occurrence == 1


def test_quiet_plies_can_end_a_game(engine):
    rules = "repetition=0,quiet_plies=4"
    played = ("g7-d7", "f2-f4", "d7-g7", "f4-f2")
    assert after(engine, SHUFFLE, *played[:3], rules=rules).outcome() is None
    assert after(engine, SHUFFLE, *played, rules=rules).outcome() == Outcome(None, "quiet")


def test_lasker_places_or_moves(engine):
    found = moves(engine, "W../B../.../....../.../.../... w 9 9", "lasker")
    assert {"d6", "a7-d7", "a7-a4"} <= found
    assert len(found) == 22 + 2


def test_diagonals_are_lines_and_mills(engine):
    position = "W../W../.../....../..B/.../..B w 10 10"
    assert {"c5xe3", "c5xg1"} <= moves(engine, position, "morabaraba")
    assert "c5" in moves(engine, position, "men=12")


@pytest.mark.parametrize(
    "rules", ["men=2", "men=13", "lose_below=0", "repetition=1", "repetition=-1", "quiet_plies=-3"]
)
def test_rules_out_of_range_are_refused(rules):
    with pytest.raises(BadSpec, match="nine_mens_morris"):
        ludus.game("nine_mens_morris", rules)
