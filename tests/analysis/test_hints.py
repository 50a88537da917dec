"""Hints for positions of backgammon in the notations of other programs."""

import pytest

from ludus.analysis import hint
from ludus.core.errors import LudusError

CUBE = "XGID=-BBBBBD------A----adbbbbb-:0:0:1:00:0:0:0:7:10"


def test_the_moves_are_ranked():
    pytest.importorskip("bgsage")
    found = hint("4HPwATDgc/ABMA:0:31", plies=0)
    assert found.is_cubeless
    assert str(found.analysis.best.move) == "8/5 6/5"
    output = found.to_json(2)
    assert output["xgid"] == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    first, second = output["moves"]
    assert (first["move"], first["loss"], first["mark"]) == ("8/5 6/5", 0, "")
    assert second["loss"] > 0.1


def test_the_cube_is_evaluated_before_the_roll():
    pytest.importorskip("bgsage")
    output = hint(CUBE, plies=0).to_json()
    assert output["cubeless"] is False
    assert output["cube"]["best"] == "no double"
    assert "moves" not in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4HPwATDgc/ABMA", "has no dice"),
        ("bar:2,off:13 6:2,5:2,4:2,3:2,2:2,1:2,off:3 0 66", "one legal"),
    ],
)
def test_positions_without_a_choice_are_refused(text, message):
    with pytest.raises(LudusError, match=message):
        hint(text)
