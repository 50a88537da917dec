"""core.spec and core.player: checks of choices and ranges, combined limits."""

import math
from dataclasses import dataclass
from typing import ClassVar

import pytest

import ludus
from ludus.core.errors import BadSpec, UnknownName, to_one_line
from ludus.core.player import Limit
from ludus.core.spec import apply_options, check_choice, check_range, check_ranges
from ludus.core.spec import format_option_value as text_of


@dataclass(frozen=True)
class Options:
    speed: float = 1.0
    games: int | None = None
    loud: bool = False

    aliases: ClassVar[dict[str, str]] = {"rounds": "games"}


def test_ranges_include_their_ends_and_none_is_allowed():
    check_ranges(Options(), "player", speed=(1, 2), games=(1, 10))
    check_ranges(Options(2.0, 10), "player", speed=(1, 2), games=(1, 10))
    with pytest.raises(BadSpec, match=r"^player games=11 must be from 1 to 10$"):
        check_ranges(Options(games=11), "player", games=(1, 10))
    with pytest.raises(BadSpec, match=r"^speed=0\.5 must be from 1 to 2$"):
        check_ranges(Options(0.5), speed=(1.0, 2))
    with pytest.raises(BadSpec, match=r"^speed=nan must be"):
        check_range("speed", math.nan, 0, 1)


def test_an_unknown_choice_is_reported_with_the_known_ones():
    check_choice("there is no colour", "red", ("red", "blue"))
    with pytest.raises(UnknownName, match=r"no colour 'rad' \(did you mean red\?\); there are red"):
        check_choice("there is no colour", "rad", ("red", "blue"))
    with pytest.raises(BadSpec, match="there are none"):
        check_choice("there is no colour", "red", (), BadSpec)


@pytest.mark.parametrize("options", [Options(), Options(2.5, 3, True)])
def test_option_values_are_parsed_from_their_text(options):
    texts = {name: text_of(value) for name, value in vars(options).items() if value is not None}
    assert apply_options(Options(), texts, "player") == options


def test_old_keys_of_options_are_accepted_and_errors_name_the_new_ones():
    assert apply_options(Options(), {"rounds": "3"}, "player") == Options(games=3)
    with pytest.raises(BadSpec, match=r"^player option games='x' must be a whole number$"):
        apply_options(Options(), {"rounds": "x"}, "player")
    with pytest.raises(BadSpec, match=r"^player option games is given twice, as rounds too$"):
        apply_options(Options(), {"games": "2", "rounds": "3"}, "player")


def test_limits_combine_to_the_tighter_one():
    assert Limit().tighten() == Limit()
    assert Limit(time=1.0, depth=3).tighten(2.0, 50, 2) == Limit(1.0, 50, 2)


def test_one_line_shows_what_cannot_be_printed():
    assert to_one_line("a\n\tb\0\udcff") == "a b\\x00\\udcff"
    assert to_one_line("x" * 10, 10) == "x" * 10
    assert to_one_line("x" * 11, 10) == "x" * 10 + "…"


@pytest.mark.parametrize("name", ["hexap" + "." * 500 + "awn", "a" + ".a" * 400])
def test_names_with_hundreds_of_dots_are_unknown(name):
    with pytest.raises(UnknownName, match="there is no game"):
        ludus.game(f"{name}:migo")
