"""`ludus migo` on the command line."""

import json

import pytest

from ludus.cli.main import run


@pytest.fixture
def migo(capsys):
    def call(*arguments):
        group = ["train"] if arguments[:1] == ("migo",) else ["migo"]
        status = run([*group, *arguments])
        return status, *capsys.readouterr()

    return call


def test_learn_show_explain(migo, tmp_path):
    file = tmp_path / "program.pl"
    status, out, _ = migo("migo", "hexapawn", "--games", "60", "--out", str(file), "--json")
    result = json.loads(out)
    assert status == 0
    assert len(result["regret"]) == 60
    assert file.read_text().splitlines()[1:] == result["program"]
    status, out, _ = migo("show", "hexapawn", "--program", str(file))
    assert out == file.read_text()
    status, out, _ = migo("show", "hexapawn", "--program", str(file), "--as", "english")
    assert out.startswith("State A is won at depth 1 if there exists a move from A to B")
    status, out, _ = migo("explain", "hexapawn", "B../.W./..W w", "--program", str(file), "--json")
    assert json.loads(out)["rule"] == "win_1"


def test_a_program_learned_alone(migo):
    status, out, _ = migo("migo", "connect_three", "--games", "30", "--json")
    result = json.loads(out)
    assert (status, result["regret"]) == (0, None)
    assert any(line.startswith("win_2(A,B)") for line in result["program"])
    status, out, _ = migo("explain", "connect_three", "..../..../..../.... x", "--json")
    assert json.loads(out)["rule"].startswith("win_")


def test_pictures_and_prolog(migo, tmp_path):
    picture = tmp_path / "calls.svg"
    assert migo("show", "noughts_and_crosses", "--as", "diagram", "--out", str(picture))[0] == 0
    assert picture.read_text().startswith("<svg ")
    _, out, _ = migo("show", "noughts_and_crosses", "--as", "runnable", "--mode", "faithful")
    assert "choose(A,B) :- win(A,B), !." in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["migo", "chess"],
        ["migo", "backgammon"],
        ["migo", "hexapawn", "--games", "0"],
        ["migo", "hexapawn", "--mode", "x"],
        ["migo", "hexapawn", "--levels", "99"],
        ["migo", "hexapawn", "--wrong", "1"],
        ["migo", "hexapawn", "--selfplay", "--mode", "faithful"],
        ["migo", "hexapawn", "--games", "1", "--out", "/nowhere/x"],
        ["migo", "/nowhere.py"],
        ["show", "hexapawn:size=6"],
        ["show", "hexapawn", "--as", "poem"],
        ["show", "hexapawn", "--program", "/dev/null"],
        ["show", "connect_three", "--as", "runnable"],
        ["explain", "hexapawn", "nonsense"],
        ["explain", "hexapawn", "W.B/.../... b"],
        ["explain", "connect_three", "\0"],
        ["explain", "noughts_and_crosses", "XXX/OO./... o"],
    ],
)
def test_bad_input_is_one_line_and_status_2(migo, arguments):
    status, out, err = migo(*arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
