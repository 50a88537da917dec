"""Old spellings of commands and options do what the new ones do, and name them."""

import json

import pytest

from ludus.cli.old_spellings import EACH, OLD_COMMANDS, OLD_OPTIONS, replace_old_spellings
from support.command_line import list_commands

COMMANDS = list_commands()


def list_options(words):
    return {name for each in COMMANDS[words].params for name in each.opts}


@pytest.mark.parametrize("old", OLD_COMMANDS)
def test_an_old_command_is_a_new_one(old):
    new, notices = replace_old_spellings([*old.split(), "x", "--json"])
    assert new == [*OLD_COMMANDS[old].split(), "x", "--json"]
    assert len(notices) == 1
    assert OLD_COMMANDS[old] in notices[0]
    assert any(OLD_COMMANDS[old].startswith(command) for command in COMMANDS)
    assert old not in COMMANDS


ENTRIES = [(command, old) for command, options in OLD_OPTIONS.items() for old in options]


@pytest.mark.parametrize(("command", "old"), ENTRIES, ids=" ".join)
def test_an_old_option_is_a_new_one(command, old):
    new = OLD_OPTIONS[command][old]
    assert old not in list_options(command)
    if new == EACH:
        return
    expected = [new, "x"] if new else ["x"]
    assert new == "" or new in list_options(command)
    found, notices = replace_old_spellings([*command.split(), old, "x", "--", old])
    assert found == [*command.split(), *expected, "--", old]
    assert len(notices) == 1
    if new:
        assert replace_old_spellings([*command.split(), f"{old}=x"])[0][-1] == f"{new}=x"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("train menace --set beads=3,win=2 --json", "train menace --beads 3 --win 2 --json"),
        ("train qlearning --set=alpha=0.5", "train qlearning --alpha 0.5"),
        (
            "migo learn hexapawn --set forcing=no,gain=yes,memo=yes",
            "train migo hexapawn --no-forcing --gain --memo yes",
        ),
        ("match --one-by-one hexapawn random her", "match hexapawn random her"),
        ("train deepq --set rate=0.1 --weights x", "train deepq --rate 0.1 --out x"),
    ],
)
def test_a_list_of_options_becomes_options(line, expected):
    assert replace_old_spellings(line.split())[0] == expected.split()


@pytest.mark.parametrize("line", ["", "games", "--version", "train", "match --set x=1 y"])
def test_everything_else_stays(line):
    assert replace_old_spellings(line.split()) == (line.split(), [])


def test_the_new_spelling_is_named_unless_a_program_reads(ludus):
    line = ("migo", "learn", "hexapawn", "--games", "2", "--self-play")
    shown = ludus(*line)
    assert shown.status == 0
    assert "ludus: note: migo learn is train migo now" in shown.err
    assert "ludus: note: --self-play is --selfplay now" in shown.err
    result = ludus(*line, "--json")
    assert result.err == ""
    assert json.loads(result.out)["games"] == 2


def test_a_mistake_in_an_old_spelling_is_one_line(ludus):
    result = ludus("train", "her", "--set", "luck=1", "--json")
    assert result.status == 2
    assert result.err == "ludus: No such option: --luck\n"
