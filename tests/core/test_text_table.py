"""Tables as text: lines fit where they can, and words stay whole where they can."""

import pytest

from ludus.core.text_table import format_text_table

ROWS = [("random", "12", "loses a drawn game: only b1xc2 draws"), ("perfect", "3", "")]
HEADINGS = ("player", "games", "why")


def test_columns_are_as_wide_as_their_content():
    lines = format_text_table(HEADINGS, ROWS).splitlines()
    assert lines[0] == "player   games  why"
    assert lines[2] == "perfect  3"


@pytest.mark.parametrize("width", [30, 40, 60])
def test_wide_columns_are_folded_between_words(width):
    text = format_text_table(HEADINGS, ROWS, width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("loses", "drawn", "b1xc2", "random", "perfect"):
        assert word in text.split()


def test_words_are_folded_only_where_nothing_else_helps():
    rows = [("nine_mens_morris", "placing and moving men")]
    whole = format_text_table(("game", "what"), rows, 26)
    assert whole.splitlines()[1] == "nine_mens_morris  placing"
    folded = format_text_table(("game", "what"), rows, 20)
    assert max(map(len, folded.splitlines())) <= 20
    assert "nine_mens_morris" not in folded
    assert "placing" in folded


def test_columns_without_content_and_tables_without_rows():
    assert format_text_table(("a", "b"), [("1", "")]) == "a\n1"
    assert format_text_table(("a", "b"), []) == "a  b"
