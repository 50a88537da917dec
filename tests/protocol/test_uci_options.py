"""Limits of `go`, and options."""

from dataclasses import dataclass
from typing import Literal

import pytest

from ludus.core.errors import BadSpec, LudusError
from ludus.core.player import Limit
from ludus.players import PLAYERS
from ludus.protocol.session import list_player_options, replace_option
from ludus.protocol.uci import UNLIMITED, GoCommand, LineSplitter, UciLine, parse_go


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", GoCommand()),
        ("depth 8", GoCommand(Limit(depth=8))),
        ("nodes 100 movetime 20", GoCommand(Limit(time=0.02, nodes=100))),
        ("infinite", GoCommand(UNLIMITED, True)),
        ("depth 2 searchmoves d6 d7", GoCommand(Limit(depth=2), search_moves=("d6", "d7"))),
        ("wtime 60000 btime 1000", GoCommand(Limit(time=2.0))),
        ("wtime 60000 winc 1000 movestogo 6", GoCommand(Limit(time=10.8))),
        ("wtime 1000 winc 5000", GoCommand(Limit(time=0.95))),  # no more than is left
        ("wtime 20", GoCommand(Limit(time=0.01))),
        ("wtime -5", GoCommand(Limit(time=0.01))),
        ("btime 3000", GoCommand()),  # the clock of the other side is none of ours
        ("wtime 60000 movetime 7", GoCommand(Limit(time=0.007))),
    ],
)
def test_go_for_the_first_side(text, expected):
    assert parse_go(text.split(), 0) == expected


def test_go_for_the_second_side():
    assert parse_go(["wtime", "10", "btime", "60000", "binc", "0"], 1).limit.time == 2.0


@pytest.mark.parametrize("text", ["x", "depth", "depth x", "depth 0", "nodes -1", "movetime 1.5"])
def test_go_that_is_not_understood(text):
    with pytest.raises(LudusError, match=r"^go "):
        parse_go(text.split(), 0)


@dataclass(frozen=True)
class Some:
    colour: Literal["red", "blue"] = "blue"
    size: int = 5
    weight: float = 1.5
    name: str = ""
    limit: int | None = None
    is_round: bool = False

    def __post_init__(self):
        if not -3 <= self.size < 1000:
            raise BadSpec("size")


def test_options_are_reported_with_their_types_and_ranges():
    assert [str(option) for option in list_player_options(Some())] == [
        "option name Colour type combo default blue var red var blue",
        "option name Size type spin default 5 min -3 max 999",
        "option name Weight type string default 1.5",
        "option name Name type string default <empty>",
        "option name Limit type string default <empty>",
        "option name Is_round type check default false",
    ]


def test_options_are_set_by_their_types():
    settings = Some()
    for option, text in zip(
        list_player_options(settings), ("red", "7", "2", "x y", "9", "true"), strict=True
    ):
        settings = replace_option(settings, option, text, "some")
    assert settings == Some("red", 7, 2.0, "x y", 9, True)
    size, name, limit = (list_player_options(settings)[number] for number in (1, 3, 4))
    assert replace_option(settings, name, "", "some").name == ""
    assert replace_option(settings, limit, "<empty>", "some").limit is None
    for text in ("", "<empty>", "1000", "x"):
        with pytest.raises(BadSpec):
            replace_option(settings, size, text, "some")


@pytest.mark.parametrize("name", list(PLAYERS))
def test_the_options_of_every_player_can_be_listed(name):
    for option in list_player_options(PLAYERS[name].options):
        assert str(option).startswith(f"option name {option.name} type {option.kind} default ")


def test_lines_in_whatever_pieces_they_come():
    data = b"uci\r\nisready\n\n" + b"x" * 30 + b"\nend"
    expected = [UciLine("uci"), UciLine("isready"), UciLine(""), UciLine("x" * 20, True)]
    for size in range(1, len(data) + 1):
        splitter = LineSplitter(20)
        chunks = [data[place : place + size] for place in range(0, len(data), size)]
        assert [line for chunk in chunks for line in splitter.feed(chunk)] == expected
        assert list(splitter.end()) == [UciLine("end")]
