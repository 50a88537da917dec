"""The boards in characters, exactly as they appear in a terminal."""

import unicodedata

import pytest

from ludus import Marks
from support.drawings import POSITIONS, all_marks, position


def board(text: str) -> str:
    """A literal as the test shows it: one bar at the left edge of every line, cut off."""
    lines = [line.strip().removeprefix("¦") for line in text.strip().splitlines()]
    return "\n".join(lines)


def test_morris():
    marks = Marks(
        arrows=(("d6", "d5"),),
        points={"d6": "selected", "d5": "legal", "b4": "last", "g7": "take", "c3": "good"},
        heat={"d5": 0.75, "a1": 0.25},
    )
    assert position("nine_mens_morris").text(marks) == board(
        """
        ¦7  ○───────────·──────────>●<
        ¦   │           │           │
        ¦6  │   ·──────[○]──────·   │
        ¦   │   │       │       │   │
        ¦5  │   │   ·───◌───·   │   │
        ¦   │   │   │       │   │   │
        ¦4  ·──(○)──·       ·───·───●
        ¦   │   │   │       │   │   │
        ¦3  │   │   ○✓──·───·   │   │
        ¦   │   │       │       │   │
        ¦2  │   ·───────·───────●   │
        ¦   │           │           │
        ¦1  ·───────────●───────────·
        ¦   a   b   c   d   e   f   g
        ¦
        ¦White ○ to move · in hand: White 4, Black 3
        ¦Arrows: d6→d5
        ¦Heat: d5 75%, a1 25%
        """
    )


def test_morris_with_diagonals():
    drawn = position("nine_mens_morris:morabaraba", "start").text()
    assert drawn.startswith(
        board(
            """
            ¦7  ·───────────·───────────·
            ¦   │ ╲         │         ╱ │
            ¦6  │   ·───────·───────·   │
            ¦   │   │ ╲     │     ╱ │   │
            ¦5  │   │   ·───·───·   │   │
            ¦   │   │   │       │   │   │
            ¦4  ·───·───·       ·───·───·
            ¦   │   │   │       │   │   │
            ¦3  │   │   ·───·───·   │   │
            ¦   │   │ ╱     │     ╲ │   │
            ¦2  │   ·───────·───────·   │
            ¦   │ ╱         │         ╲ │
            ¦1  ·───────────·───────────·
            """
        )
    )


def test_noughts_and_crosses():
    marks = Marks(points={"a3": "last", "c3": "bad", "b1": "legal", "a1": "selected"})
    assert position("noughts_and_crosses").text(marks) == board(
        """
        ¦3  (X)│   │ O✗
        ¦   ───┼───┼───
        ¦2     │ X │
        ¦   ───┼───┼───
        ¦1  [ ]│ ◌ │ O
        ¦    a   b   c
        ¦
        ¦Crosses X to move
        """
    )


def test_hexapawn():
    marks = Marks(points={"b2": "take", "c1": "legal", "c2": "legal"}, arrows=(("c1", "b2"),))
    assert position("hexapawn").text(marks) == board(
        """
        ¦  ┌───┬───┬───┐
        ¦3 │ ● │   │ ● │
        ¦  ├───┼───┼───┤
        ¦2 │ ○ │>●<│ ◌ │
        ¦  ├───┼───┼───┤
        ¦1 │   │   │‹○›│
        ¦  └───┴───┴───┘
        ¦    a   b   c
        ¦
        ¦White ○ to move
        ¦Arrows: c1→b2
        """
    )


@pytest.mark.parametrize("game", POSITIONS)
def test_every_character_is_one_column_wide(game):
    for character in position(game).text(all_marks(game)):
        assert unicodedata.east_asian_width(character) not in "WF"
        assert not unicodedata.combining(character)
        assert character == "\n" or character.isprintable()


def test_long_lists_of_heat_are_wrapped_and_no_entry_is_broken():
    names = ("a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4")
    heat = {name: index / 100 for index, name in enumerate(names)}
    lines = position("nine_mens_morris").text(Marks(heat=heat)).splitlines()[16:]
    assert len(lines) == 2
    assert all(len(line) <= 60 for line in lines)
    entries = " ".join(lines).removeprefix("Heat: ").split(",")
    assert [entry.split() for entry in entries] == [
        [name, f"{index}%"] for index, name in reversed(list(enumerate(names)))
    ]
    assert all(line.rstrip(",").endswith("%") for line in lines)
