"""Encodings: the numbers and figures of the paper, and the compiled twin."""

import numpy as np
import pytest

from ludus._native import gammon
from ludus.core.errors import UnknownName
from ludus.games.backgammon.batch import position_to_row, row_to_view
from ludus.games.backgammon.board import make_view
from ludus.learn.gammon.encoding import (
    CHANGE_UNITS,
    FEATURE_UNITS,
    MOVE_ENCODINGS,
    NUM_LOCATIONS,
    STATE_UNITS,
    compute_activations,
    encode_moves,
    find_encoding,
)
from support.backgammon import met, position


def units(coding, before, move):
    """Return the active units after a move, by name."""
    here = make_view(before.board, 0)
    end = make_view(before.play(_found(before, move)).board, 0)
    found = compute_activations(MOVE_ENCODINGS[coding], here, before.dice, end)
    return {
        name for name, unit in zip(MOVE_ENCODINGS[coding].unit_names, found, strict=True) if unit
    }


def _found(before, text):
    return next(move for move in before.legal_moves() if str(move) == text)


@pytest.mark.parametrize(
    ("name", "size"), [("features", 459), ("raw", 393), ("tool", 410), ("exact", 651)]
)
def test_sizes_are_those_of_the_paper(name, size):
    coding = MOVE_ENCODINGS[name]
    assert coding.num_units == len(set(coding.unit_names)) == size
    here = met(games=1, seed=1)[0]
    _, _, patterns = encode_moves(
        position_to_row(here)[None], np.array([here.dice], np.int8), coding
    )
    assert patterns.to_dense(size).shape[1] == size


def test_sizes_add_up_as_the_paper_says():
    assert (
        MOVE_ENCODINGS["features"].num_units - MOVE_ENCODINGS["raw"].num_units
        == len(FEATURE_UNITS)
        == 66
    )
    assert MOVE_ENCODINGS["tool"].num_units - MOVE_ENCODINGS["raw"].num_units == 17
    assert len(STATE_UNITS) + len(CHANGE_UNITS[2]) == 23
    assert MOVE_ENCODINGS["exact"].num_units == NUM_LOCATIONS * 23 + 99
    assert MOVE_ENCODINGS["unary"].num_units == NUM_LOCATIONS * 16 + 33


@pytest.mark.parametrize("name", MOVE_ENCODINGS)
def test_the_twin_sees_the_same(name):
    coding = MOVE_ENCODINGS[name]
    moves = 0
    for here in met(games=6, seed=5)[::6]:
        before = make_view(here.board, 0)
        _, ends, patterns = encode_moves(
            position_to_row(here)[None], np.array([here.dice], np.int8), coding
        )
        for end, row in list(zip(ends, patterns.to_dense(coding.num_units), strict=True))[::7]:
            expected = compute_activations(coding, before, here.dice, row_to_view(end))
            np.testing.assert_allclose(row, expected, atol=1e-6)
            moves += 1
    assert moves > 150


def test_two_men_before_and_three_after():
    """The example of Fig. 1: under (a) the units for three men and for a point that has changed
    are on, under (b) none for the change. Location 20 is White's five point, where 6/5 goes."""
    before = position("21:2,13:4,8:3,6:4,5:2", "24:2,13:5,8:3,6:5", (5, 1))
    stack = "21/16 6/5"
    own = "location 20: "
    assert {name for name in units("unary", before, stack) if name.startswith(own)} == {
        own + "x≥2",
        own + "y≥2",
        own + "y=3",
    }
    assert {name for name in units("raw", before, stack) if name.startswith(own)} == {own + "x≥2"}


def test_kinds_of_change():
    """One move clears a point, slots one, breaks one and strips none."""
    before = position("24:2,13:5,8:3,6:5", "24:2,13:5,8:3,6:5", (3, 1))
    assert {"location 20: making", "location 17: stripping"} <= units("raw", before, "8/5 6/5")
    assert "location 20: slotting" in units("raw", before, "13/10 6/5")
    on = units("raw", before, "24/20")
    assert {"location 1: breaking", "location 5: slotting"} <= on
    assert "location 1: clearing" not in on
    cleared = position("23:1,13:5,8:4,6:5", "24:2,13:5,8:3,6:5", (2, 1))
    assert "location 2: clearing" in units("raw", cleared, "23/20")


def test_columns_of_figure_3():
    before = position("24:2,13:5,8:3,6:5", "24:2,13:5,8:3,6:5", (3, 1))
    on = units("exact", before, "8/5 6/5")
    assert {
        "location 20: x<2 & y≥2",
        "location 17: x≥3 & y=2",
        "location 19: x≥5 & y=4",
        "roll 31",
    } <= on
    assert "location 19: x>y & y≥5" not in on
    blot = units("exact", before, "13/9")
    assert {"location 16: x<1 & y=1", "location 16: chance of a hit"} <= blot


def test_bars_and_hits():
    before = position("bar:1,13:5,8:4,6:5", "24:1,21:1,13:5,8:3,6:5", (4, 1))
    on = units("features", before, "bar/24 8/4*")
    assert "own men on the bar before: 1" in on
    assert "their men on the bar after: 1" in on
    assert not {name for name in on if name.startswith("own men on the bar after")}
    assert "their man on the bar: share of the own home that is closed" in on


def test_unknown_codings():
    with pytest.raises(UnknownName, match="did you mean features"):
        find_encoding("feature")
    here = met(games=1, seed=1)[0]
    rolls = np.array([here.dice], np.int8)
    for change, beside in ((3, 0), (-1, 0), (0, 3)):
        with pytest.raises(ValueError, match="no such encoding"):
            gammon.inputs(position_to_row(here)[None], rolls, change, beside)
    with pytest.raises(ValueError, match="every board"):
        gammon.inputs(position_to_row(here)[None], np.zeros((2, 2), np.int8), 1, 1)
