"""Moves written and read: many ways to write one move, one way to print it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core import BadMove
from ludus.games.backgammon import Backgammon, Move, Roll, Step
from support.repetition import repeat

GAME = Backgammon()
OPENING = GAME.start().play(Roll(3, 1))
TWO_WAYS = GAME.parse("24:1,13:2,off:12 7:1,6:5,off:9 0 63")
"""From 24 the six hits on 18 on the way to 15, the three passes over 21 and hits nobody."""

DOUBLE = GAME.parse("24:2,13:4,off:9 7:1,6:2,off:12 0 33")
ENTERING = GAME.parse("bar:2,13:4,off:9 22:1,5:2,off:12 0 61")


@pytest.mark.parametrize(
    ("position", "text", "written"),
    [
        (OPENING, "8/5 6/5", "8/5 6/5"),
        (OPENING, "6/5 8/5", "8/5 6/5"),
        (OPENING, " 6/5,8/5 ", "8/5 6/5"),
        (OPENING, "6/5, 8/5", "8/5 6/5"),
        (OPENING, "24/20", "24/20"),
        (OPENING, "24/21/20", "24/20"),
        (OPENING, "24/23/20", "24/20"),
        (OPENING, "24/23 23/20", "24/20"),
        (OPENING, "23/20 24/23", "24/20"),
        (TWO_WAYS, "24/15", "24/15"),
        (TWO_WAYS, "24/21/15", "24/15"),
        (TWO_WAYS, "24/18*/15", "24/18*/15"),
        (TWO_WAYS, "24/18/15", "24/18*/15"),
        (TWO_WAYS, "18/15 24/18", "24/18*/15"),
        (TWO_WAYS, "13/10 24/18", "24/18* 13/10"),
        (DOUBLE, "24/18*(2)", "24/18*(2)"),
        (DOUBLE, "24/18(2)*", "24/18*(2)"),
        (DOUBLE, "24/21(2) 21/18(2)", "24/18*(2)"),
        (DOUBLE, "24/18*, 24/18", "24/18*(2)"),
        (DOUBLE, "13/10(4)", "13/10(4)"),
        (DOUBLE, "13/10(2) 13/7", "13/7 13/10(2)"),
        (DOUBLE, "24/12", "24/18*/12"),
        (ENTERING, "bar/24 BAR/19", "bar/24 bar/19"),
        (ENTERING, "25/19 25/24", "bar/24 bar/19"),
        (GAME.parse("3:2,off:13 13:1,off:14 0 33"), "3/off(2)", "3/off(2)"),
        (GAME.parse("3:2,off:13 13:1,off:14 0 33"), "3/0 3/0", "3/off(2)"),
        (GAME.parse("6:1,off:14 13:1,off:14 0 31"), "6/2", "6/2"),
    ],
)
def test_moves_are_read_and_written(position, text, written):
    assert str(GAME.parse_move(text, position)) == written


@pytest.mark.parametrize(
    "text",
    [
        *("", "8/5", "8/5 6/4", "8/5 6/5 6/5", "pass", "31", "5/8 5/6", "8/5* 6/5", "8/8", "0/1"),
        *(
            "26/25",
            "99/1",
            "8/5(0)",
            "8/5(5)",
            "8/5(²)",
            "٨/٥ 6/5",
            "8/5\0 6/5",
            "8//5",
            "/5",
            "8/",
        ),
        *("8/5/", "8/5 6/5 ;", "\ud800", "-8/5", "8/5 " * 300, "bar/22 8/7", "24/off"),
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(BadMove) as error:
        GAME.parse_move(text, OPENING)
    assert "\n" not in str(error.value)


def test_what_can_mean_two_moves_is_refused():
    # 24/15 hits on 18 or on 21, according to which die goes first.
    position = GAME.parse("24:1,13:2,off:12 7:1,4:1,6:5,off:8 0 63")
    with pytest.raises(BadMove, match="can mean"):
        GAME.parse_move("24/15", position)
    assert str(GAME.parse_move("24/18/15", position)) == "24/18*/15"
    assert str(GAME.parse_move("24/21/15", position)) == "24/21*/15"


@pytest.mark.parametrize("text", ["31", "13", " 31 "])
def test_rolls_are_read_in_any_order(text):
    second = OPENING.play(OPENING.legal_moves()[0])
    assert GAME.parse_move(text, second) == Roll(3, 1)


def test_an_opening_roll_has_the_die_of_side_0_first():
    for text, beginner in (("31", 0), ("13", 1)):
        roll = GAME.parse_move(text, GAME.start())
        assert (str(roll), roll.beginner) == (text, beginner)
        assert GAME.start().play(roll).turn == beginner


@pytest.mark.parametrize("text", ["", "3", "311", "37", "03", "22", "³1", "8/5", "pass"])
def test_other_rolls_are_refused(text):
    with pytest.raises(BadMove):
        GAME.parse_move(text, GAME.start())


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_move_that_is_not_canonical_is_not_legal(engine):
    position = replace(OPENING, engine=engine)
    legal = Move(0, (Step(8, 5, False), Step(6, 5, False)))
    assert position.play(legal).turn == 1
    for wrong in (
        Move(1, legal.steps),
        Move(0, legal.steps[::-1]),
        Move(0, (Step(8, 5, True), Step(6, 5, False))),
        Move(0, (Step(8, 5, False),)),
        Move(0, ()),
        Roll(3, 1),
        "8/5 6/5",
        None,
    ):
        with pytest.raises(BadMove):
            position.play(wrong)


@settings(max_examples=repeat(100, 300))
@given(st.text(alphabet="0123456789/()*,off bar\0²", max_size=24))
def test_any_text_is_a_move_or_a_clear_error(text):
    for position in (OPENING, DOUBLE, ENTERING):
        message = ""
        try:
            assert GAME.parse_move(text, position) in position.legal_moves()
        except BadMove as error:
            message = str(error)
        assert "\n" not in message
