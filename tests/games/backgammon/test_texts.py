"""Positions written and read: our own text, GNU Backgammon's IDs and XGID."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core import BadPosition
from ludus.games.backgammon import Backgammon, Rules, to_gnubg_id, to_position_id
from ludus.games.backgammon.position_ids import to_xgid
from support.backgammon import any_position
from support.games import play_randomly
from support.repetition import repeat

GAME = Backgammon()
START = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 opening"
MIDDLE = "bar:1,24:1,13:2,9:1,8:3,6:5,2:2 bar:1,20:1,13:4,9:1,8:3,6:5"
"""A position typed into GNU Backgammon 1.07, whose IDs for it are used below."""


def test_the_start_is_what_everybody_calls_it():
    start = GAME.start()
    assert str(start) == START
    assert to_position_id(start) == "4HPwATDgc/ABMA"
    assert to_xgid(start) == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    assert to_gnubg_id(start) == "4HPwATDgc/ABMA:cAkAAAAAAAAA"
    for text in (START, to_position_id(start), to_xgid(start), to_gnubg_id(start)):
        assert GAME.parse(text) == start


@pytest.mark.parametrize(
    ("text", "key", "xg"),
    [
        (f"{MIDDLE} 0 roll", "4HPhAUGGz4UBUA:cAkAAAAAAAAA", "1:00"),
        (f"{MIDDLE} 0 52", "4HPhAUGGz4UBUA:cIkKAAAAAAAA", "1:52"),
        (f"{MIDDLE} 1 roll", "hs+FAVDgc+EBQQ:MAEAAAAAAAAA", "-1:00"),
    ],
)
def test_ids_are_those_of_gnu_backgammon(text, key, xg):
    position = GAME.parse(text)
    assert to_gnubg_id(position) == key
    assert to_xgid(position) == f"XGID=a-B--aE-CA--dB--ac-e----AA:0:0:{xg}:0:0:0:0:10"
    assert GAME.parse(key) == GAME.parse(to_xgid(position)) == position


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("4HPhAUGGz4UBUA", f"{MIDDLE} 0 roll"),
        ("4HPhAUGGz4UBUA:0", f"{MIDDLE} 0 roll"),
        ("4HPhAUGGz4UBUA:0:52", f"{MIDDLE} 0 52"),
        ("4HPhAUGGz4UBUA:0:25", f"{MIDDLE} 0 52"),
        ("hs+FAVDgc+EBQQ:1:61", f"{MIDDLE} 1 61"),
        ("4HPhAUGGz4UBUA:cIkKAAAAAAAE", f"{MIDDLE} 0 52"),
        ("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", START),
        ("XGID=-b----E-C---eE---c-e----B-:1:-1:1:31:3:2:0:5:8", START.replace("opening", "31")),
        (f"  {MIDDLE}   0\t25 ", f"{MIDDLE} 0 52"),
        ("6:5,24:2,13:5,8:3 24:2,13:5,8:3,6:5 1 roll", START.replace("0 opening", "1 roll")),
    ],
)
def test_other_ways_to_write_a_position(text, same):
    assert str(GAME.parse(text)) == same


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no position"),
        ("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0", "no position"),
        (START.replace("6:5", "6:6", 1), "side 0 has 16 men"),
        (START.replace("6:5", "6:4", 1), "side 0 has 14 men"),
        (START.replace("24:2", "25:2", 1), "points are 1 to 24"),
        (START.replace("24:2", "24:1,24:1", 1), "twice"),
        (START.replace("24:2", "0:2", 1), "place:count"),
        (START.replace("24:2", "24:²", 1), "place:count"),
        (START.replace("24:2", "24:٢", 1), "place:count"),
        (START.replace("24:2", "24:2:2", 1), "place:count"),
        (START.replace(" 0 ", " 2 "), "turn"),
        (START.replace("opening", "71"), "roll"),
        (START.replace("opening", "over"), "over"),
        (START.replace("0 opening", "1 opening"), "opening"),
        ("24:2,13:5,8:3,7:5 24:2,13:5,8:3,6:5 0 opening", "opening"),
        ("19:15 6:15 0 roll", "both sides have men on point 19"),
        ("off:15 off:15 0 over", "both sides"),
        ("off:15 6:15 0 over", "not its turn"),
        ("off:15 6:15 1 roll", "over"),
        ("off:15 6:15 1 31", "nothing to roll"),
        (
            "bar:3,6:2,5:2,4:2,3:2,2:2,1:2 bar:3,6:2,5:2,4:2,3:2,2:2,1:2 0 roll",
            "closed boards",
        ),
        ("//////////////", "too many|middle|last byte"),
        ("AAAAAAAAAAAAAA", "both sides"),
        ("4HPwATDgc/ABMB", "last byte"),
        ("4HPwATDgc/ABMA:2", "no position"),
        ("4HPwATDgc/ABMA:0:71", "no position"),
        ("4HPwATDgc/ABMA:////////////", "dice"),
        ("XGID=", "XGID"),
        ("XGID=-b----E-C---eE---c-e----B-", "XGID"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10", "cube"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:70:0:0:0:0:10", "dice"),
        ("XGID=Ab----D-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "bar"),
        ("XGID=-b----F-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "16 men"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:²1:0:0:0:0:10", "XGID"),
        ("\0", "no position"),
        ("\ud800", "no position"),
        ("x" * 1_000_000, "characters long"),
    ],
)
def test_what_is_no_position_is_refused(text, reason):
    with pytest.raises(BadPosition, match=reason) as error:
        GAME.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("preset", ["standard", "hyper"])
def test_every_position_of_a_game_is_read_back(preset):
    game = Backgammon(Backgammon.presets[preset])
    for seed in range(5):
        for position in play_randomly(game, seed):
            assert game.parse(str(position)) == position
            assert str(game.parse(str(position))) == str(position)


@settings(max_examples=repeat(100, 300))
@given(any_position(Rules()))
def test_any_position_is_read_back_from_every_text(position):
    assert GAME.parse(str(position)) == position
    assert GAME.parse(to_xgid(position)) == position
    assert GAME.parse(to_gnubg_id(position)) == position
    roll = "" if position.dice is None else ":{}{}".format(*position.dice)
    assert GAME.parse(f"{to_position_id(position)}:{position.turn}{roll}") == position


@given(any_position(Rules(layout="hyper")))
def test_hypergammon_is_read_back_from_every_text(position):
    game = Backgammon(Rules(layout="hyper"))
    for text in (str(position), to_xgid(position), to_gnubg_id(position)):
        assert game.parse(text) == position


@settings(max_examples=repeat(200, 500))
@given(
    st.text(max_size=60)
    | st.text(alphabet="ABCabc-:0123456789=XGID", max_size=60)
    | st.from_regex(r"\A[A-Za-z0-9+/]{14}(:[A-Za-z0-9+/]{12})?\Z")
)
def test_any_text_is_a_position_or_a_clear_error(text):
    message = ""
    try:
        position = GAME.parse(text)
        assert GAME.parse(str(position)) == position
    except BadPosition as error:
        message = str(error)
    assert "\n" not in message
