"""The game in the terminal, driven through a pipe."""

import json

import pytest

from ludus.core.record import Record
from support.command_line import process


def talk(*arguments, lines, **environment):
    """Return the output of a scripted game, which must end with status 0 and no error output."""
    text = "".join(f"{line}\n" for line in lines)
    result = process("play", "--text", *arguments, text=text, **environment)
    assert (result.status, result.err) == (0, "")
    return result.out


def after(text, mark):
    """Return the output from the last line with this mark."""
    return text[text.rindex(mark) :]


def test_two_people_play_to_the_end():
    moves = ["b2", "a1", "a2", "c1", "c2"]
    output = talk("noughts_and_crosses", "--side", "both", lines=[*moves, "no"])
    assert "Noughts and crosses · two people" in output
    assert "Crosses won: crosses completed a line." in output
    assert "Another game? (yes, no, back, save FILE) no\nGoodbye.\n" in output


def test_the_last_move_and_what_is_free_are_marked():
    output = talk("noughts_and_crosses", "--side", "both", lines=["b2", "quit"])
    assert "2   ◌ │(X)│ ◌\n" in after(output, "two people")


MILL = "BB./.../..W/...W../.W./.../B.. w 0 0"
"""White can close the mill e5-e4-e3 with the man on d3, and flies."""


@pytest.mark.parametrize(
    "lines", [["d3", "e3", "a1"], ["d3 e3", "a1"], ["d3-e3xa1"], ["D3", "E3XA1"], ["d3", "e3 a1"]]
)
def test_a_move_in_one_go_or_step_by_step(lines):
    arguments = ("nine_mens_morris", "--side", "both", "--position", MILL)
    output = talk(*arguments, lines=[*lines, "quit"])
    # Two men are too few under the standard rules.
    assert "White won: black had too few men left." in output
    assert "White played d3-e3xa1." in output


def test_each_prompt_names_its_step():
    arguments = ("nine_mens_morris", "--side", "both", "--position", MILL)
    output = talk(*arguments, lines=["d3", "e3", "g7", "quit"])
    assert "d3 to? (g7, g4, g1, " in output
    assert "d3-e3 take? (a7, d7, a1)" in output
    assert "7 >●<─────────>●<──────────·" in after(output, "Nine Men")
    assert "'g7' does not continue d3-e3" in output


def test_commands_that_change_nothing():
    lines = ["help", "moves", "position", "hint", "nonsense", "save", "", "back", "quit"]
    output = talk("hexapawn", "--seed", "1", lines=lines)
    assert "return to your last decision" in output
    assert "a1-a2  b1-b2  c1-c2" in output
    assert "\nBBB/.../WWW w\n" in output
    assert "(exact: the solved game)" in output
    assert "Best moves: " in output
    assert "'nonsense' is not a legal move" in output
    assert "save needs the name of a file" in output
    assert "there is nothing to take back" in output


def test_taking_back_returns_to_the_last_decision():
    output = talk(
        "hexapawn", "--seed", "1", lines=["a1-a2", "position", "back", "position", "quit"]
    )
    assert "\nBBB/.../WWW w\n" in after(output, "Taken back.")
    assert output.count("You played a1-a2.") == 1


def test_a_place_named_too_early_can_be_taken_back():
    output = talk("hexapawn", "--side", "both", lines=["a1", "b3", "back", "b1", "", "quit"])
    assert "a1 to? (a2) b3\n'b3' does not continue a1" in output
    assert "a1 to? (a2) back" in output
    assert "White played b1-b2." in output


def test_changing_sides():
    output = talk("hexapawn", "--seed", "1", lines=["flip side", "quit"])
    assert "playouts is white, you are black" in output
    assert "White played" in output
    assert "sides can be swapped only if one person plays" in talk(
        "hexapawn", "--side", "both", lines=["flip side", "quit"]
    )


def test_saving_and_loading(tmp_path):
    file = tmp_path / "game.txt"
    moves = ["a1-a2", "b3xa2", f"save {file}", "new", "position", f"load {file}", "position"]
    output = talk("hexapawn:four", "--rules", "size=3", "--side", "both", lines=[*moves, "quit"])
    assert "\nBBB/.../WWW w\n" in output
    assert "\nB.B/B../.WW w\n" in after(output, "load ")
    record = Record.parse(file.read_text())
    assert record.headers["Game"] == "hexapawn"
    assert "Result" not in record.headers
    assert [node.move for node in record.line.moves] == ["a1-a2", "b3xa2"]


def test_files_that_cannot_be_loaded(tmp_path):
    bad, other = tmp_path / "bad", tmp_path / "other"
    bad.write_bytes(b"\xff")
    other.write_text('[Game "hexapawn"] 1. a1-a3 *')
    lines = [f"load {tmp_path}", f"load {bad}", f"load {other}", "load /nowhere", "save /", "load"]
    output = talk("hexapawn", lines=[*lines, "load a\0b", "save ~nobody~/x", "quit"])
    output = " ".join(output.split())  # long paths wrap
    assert output.count("cannot read") == 3
    assert "is not valid UTF-8" in output
    assert "move 1.: 'a1-a3' is not a legal move" in output
    assert "cannot write '/'" in output


def test_watching_two_players():
    output = talk("hexapawn", "--side", "none", "--opponent", "random", "--seed", "3", lines=[])
    assert "random is white, random is black" in output
    assert "Another game?" in output
    again = talk("hexapawn", "--side", "none", "--opponent", "random", "--seed", "3", lines=["y"])
    assert again.count("Another game?") == 2


def test_dice_are_rolled_and_a_pass_is_reported():
    output = talk("backgammon", "--seed", "4", lines=["13/10 13/11", "quit"])
    assert "You won the opening roll, 3 to 2." in output
    assert "You played 13/11 13/10." in output
    assert "Black rolled" in output
    shut = "6:2,5:2,4:2,3:2,2:2,1:2,7:3 bar:1,6:14 1 roll"
    closed = talk(
        "backgammon", "--side", "second", "--seed", "1", "--position", shut, lines=["quit"]
    )
    assert "You could not move." in closed


def test_black_counts_backgammon_points_from_the_other_end():
    output = talk("backgammon", "--side", "second", "--seed", "4", lines=["24", "quit"])
    assert "24 to? (21, 23, 20)" in output


def test_the_end_of_input_is_polite():
    assert talk("hexapawn", lines=[]).endswith("your move? \nGoodbye.\n")


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_pipe_gets_no_escape_codes(environment):
    assert "\x1b" not in talk("hexapawn", lines=["b1-b2", "hint", "quit"], **environment)


def test_json_has_standard_output_for_itself():
    result = process("play", "--text", "hexapawn", "--side", "both", "--json", text="a1-a2\nquit\n")
    assert result.status == 0
    found = json.loads(result.out)
    assert found["moves"] == ["a1-a2"]
    assert found["outcome"] is None
    assert "Goodbye." in result.err


def test_the_same_seed_gives_the_same_game():
    lines = ["hint", "moves", "quit"]
    games = [talk("backgammon", "--side", "second", "--seed", "9", lines=lines) for _ in range(2)]
    assert games[0] == games[1]


def test_the_points_of_a_money_session_are_added_up():
    start = "1:1,off:14 1:2,off:13 0 cube 1"
    setting = ("--rules", "money", "--side", "both", "--position", start, "--seed", "1")
    # A double is taken, the end taken back and played again; in the second game one is dropped.
    lines = ["double", "take", "1/off", "back", "1/off", "yes", "double", "drop", "no"]
    screen = " ".join(talk("backgammon", *setting, lines=lines).split())
    assert screen.count("The session stands white 2, black 0.") == 2
    assert "The session stands white 3, black 0." in screen
