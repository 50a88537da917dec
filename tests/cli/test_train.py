"""`ludus train` and `ludus menace`."""

import json

import pytest

from ludus.cli.main import run


def output(capsys, *arguments):
    assert run(arguments) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def complaint(capsys, *arguments):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    *notes, line = captured.err.splitlines()
    assert all(each.startswith("ludus: note: ") for each in notes)
    return line


def test_the_systems_are_listed(capsys):
    listed = output(capsys, "train")
    for system in ("menace", "her", "qlearning", "deepq"):
        assert system in listed


@pytest.mark.parametrize(
    ("system", "game"),
    [
        ("menace", "noughts_and_crosses"),
        ("her", "hexapawn"),
        ("qlearning", "hexapawn:four"),
        ("deepq", "hexapawn"),
    ],
)
def test_training_tells_how_it_went(capsys, system, game):
    result = json.loads(output(capsys, "train", system, game, "--games", "20", "--json"))
    assert result["system"] == system
    assert result["games"] == 20
    assert result["mean_regret"] == result["cumulative_regret"] / 20 >= 0
    assert result["seconds_a_game"] >= 0
    again = json.loads(output(capsys, "train", system, game, "--games", "20", "--json"))
    assert again["cumulative_regret"] == result["cumulative_regret"]


def test_training_goes_on_where_it_stopped(capsys, tmp_path):
    whole, parts = (tmp_path / name for name in ("whole.json", "parts.json"))
    output(capsys, "train", "her", "--games", "20000", "--out", str(whole))
    command = ("train", "her", "--games", "20000", "--out", str(parts))
    first = json.loads(output(capsys, *command, "--session", "0.01", "--json"))
    assert (first["finished"], parts.exists()) == (False, False)
    assert "another training" in complaint(capsys, *command, "--seed", "1")
    result = json.loads(output(capsys, *command, "--json"))
    assert result["resumed_after"] == first["steps"]
    assert parts.read_text() == whole.read_text()


def test_training_goes_on_from_a_file(capsys, tmp_path):
    file, more = (str(tmp_path / name) for name in ("her.json", "more.json"))
    output(capsys, "train", "her", "--games", "200", "--out", file)
    new = json.loads(output(capsys, "train", "her", "--games", "100", "--json"))
    line = ("train", "her", "--games", "100", "--init-from", file, "--out", more, "--json")
    assert json.loads(output(capsys, *line))["mean_regret"] < new["mean_regret"]


def test_clear_complaints(capsys, tmp_path):
    assert "did you mean menace?" in complaint(capsys, "train", "menac")
    assert "against='god' must be one of perfect, random, mixed" in complaint(
        capsys, "train", "her", "--against", "god"
    )
    assert "start='here' must be one of boards, everywhere" in complaint(
        capsys, "train", "her", "--start", "here"
    )
    assert "No such option: --luck" in complaint(capsys, "train", "her", "--luck", "1")
    assert "no game 'chess'" in complaint(capsys, "train", "menace", "chess")
    folder = str(tmp_path)
    assert "not a regular file" in complaint(
        capsys, "train", "her", "--games", "5", "--out", folder
    )
    missing = str(tmp_path / "no" / "file.json")
    assert "cannot write" in complaint(capsys, "train", "her", "--games", "5", "--out", missing)


def test_a_network_is_trained_for_playing(capsys, tmp_path):
    file = tmp_path / "net.npz"
    output(capsys, "train", "deepq", "hexapawn", "--games", "10", "--out", str(file))
    result = output(
        capsys, "match", "hexapawn", f"deepq:weights={file}", "random", "--games", "2", "--json"
    )
    assert json.loads(result)["games"] == 2


def test_a_matchbox_is_shown(capsys, tmp_path):
    picture = tmp_path / "box.svg"
    shown = output(capsys, "show", "menace", "X../.../..O x", "--svg", str(picture))
    assert "Crosses X to move" in shown
    assert "●" in shown
    drawn = picture.read_text()
    assert drawn.count('class="bead ') == 7
    assert drawn.rstrip().endswith("</svg>")
    result = json.loads(output(capsys, "show", "menace", "X../.../..O x", "--json"))
    assert result["system"] == "menace"
    # Where the other corners win, they have more beads than all other moves together.
    assert result["beads"]["c3"] == result["beads"]["a1"] > sum(result["beads"].values()) / 3


def test_her_boxes_and_those_of_a_file(capsys, tmp_path):
    file = str(tmp_path / "her.json")
    output(capsys, "train", "her", "--games", "50", "--out", file)
    arguments = ("show", "menace", "B.B/B../.WW w", "--game", "hexapawn")
    own = json.loads(output(capsys, *arguments, "--table", file, "--json"))
    usual = json.loads(output(capsys, *arguments, "--json"))
    assert own["system"] == usual["system"] == "her"
    assert own["beads"].keys() == usual["beads"].keys()
    assert own["beads"] != usual["beads"]
    unknown = output(capsys, "show", "menace", "start", "--game", "hexapawn", "--table", file)
    assert "no box for this position" in unknown


def test_bad_positions_for_a_box(capsys):
    assert "must be a board" in complaint(capsys, "show", "menace", "X")
    assert "is over" in complaint(capsys, "show", "menace", "XXX/OO./... o")
    assert "does not play" in complaint(capsys, "show", "menace", "start", "--game", "backgammon")
