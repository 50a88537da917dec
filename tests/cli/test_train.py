"""`ludus train` and `ludus show menace`."""

import json
from functools import partial

import pytest

from ludus.learn.tabular.train import HerConfig, HerTraining, MenaceConfig, MenaceTraining
from ludus.learn.training import fit


def output(ludus, *arguments):
    result = ludus(*arguments)
    assert result.status == 0, result.err
    return result.out


def complaint(ludus, *arguments):
    result = ludus(*arguments)
    assert result.status == 2
    *notes, line = result.err.splitlines()
    assert all(each.startswith("ludus: note: ") for each in notes)
    return line


def test_the_systems_are_listed(ludus):
    listed = output(ludus, "train")
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
def test_training_tells_how_it_went(ludus, system, game):
    result = json.loads(output(ludus, "train", system, game, "--games", "20", "--json"))
    assert result["system"] == system
    assert result["games"] == 20
    assert result["mean_regret"] == result["cumulative_regret"] / 20 >= 0
    assert result["seconds_a_game"] >= 0
    again = json.loads(output(ludus, "train", system, game, "--games", "20", "--json"))
    assert again["cumulative_regret"] == result["cumulative_regret"]


def test_training_goes_on_where_it_stopped(ludus, tmp_path):
    whole, parts = (tmp_path / name for name in ("whole.json", "parts.json"))
    output(ludus, "train", "her", "--games", "300", "--out", str(whole))
    checkpoint = tmp_path / "parts.json.training"
    fit(HerTraining(HerConfig(games=300)), steps=100, checkpoint=checkpoint)
    command = ("train", "her", "--games", "300", "--out", str(parts))
    assert "another training" in complaint(ludus, *command, "--seed", "1")
    result = json.loads(output(ludus, *command, "--json"))
    assert (result["resumed_after"], result["finished"]) == (100, True)
    assert parts.read_text() == whole.read_text()
    assert not checkpoint.exists()


def test_a_session_ends_before_the_training(ludus, tmp_path):
    out = tmp_path / "her.json"
    command = ("train", "her", "--games", "10000000", "--out", str(out), "--session", "0.01")
    assert json.loads(output(ludus, *command, "--json"))["finished"] is False
    assert "the same command goes on" in output(ludus, *command)
    assert not out.exists()


def test_training_goes_on_from_a_file(ludus, tmp_path):
    file, more = (str(tmp_path / name) for name in ("her.json", "more.json"))
    output(ludus, "train", "her", "--games", "200", "--out", file)
    new = json.loads(output(ludus, "train", "her", "--games", "100", "--json"))
    line = ("train", "her", "--games", "100", "--init-from", file, "--out", more, "--json")
    assert json.loads(output(ludus, *line))["mean_regret"] < new["mean_regret"]


def test_clear_complaints(ludus, tmp_path):
    assert "did you mean menace?" in complaint(ludus, "train", "menac")
    assert "against='god' must be one of perfect, random, mixed" in complaint(
        ludus, "train", "her", "--against", "god"
    )
    assert "start='here' must be one of boards, everywhere" in complaint(
        ludus, "train", "her", "--start", "here"
    )
    assert "No such option: --luck" in complaint(ludus, "train", "her", "--luck", "1")
    assert "no game 'chess'" in complaint(ludus, "train", "menace", "chess")
    folder = str(tmp_path)
    assert "not a regular file" in complaint(ludus, "train", "her", "--games", "5", "--out", folder)
    missing = str(tmp_path / "no" / "file.json")
    assert "cannot write" in complaint(ludus, "train", "her", "--games", "5", "--out", missing)


def test_a_network_is_trained_for_playing(ludus, tmp_path):
    file = tmp_path / "net.npz"
    output(ludus, "train", "deepq", "hexapawn", "--games", "10", "--out", str(file))
    result = output(
        ludus, "match", "hexapawn", f"deepq:weights={file}", "random", "--games", "2", "--json"
    )
    assert json.loads(result)["games"] == 2


def test_a_matchbox_is_shown(ludus, tmp_path):
    picture = tmp_path / "box.svg"
    shown = output(ludus, "show", "menace", "X../.../..O x", "--svg", str(picture))
    assert "Crosses X to move" in shown
    assert "●" in shown
    drawn = picture.read_text()
    assert drawn.count('class="bead ') == 7
    assert drawn.rstrip().endswith("</svg>")
    result = json.loads(output(ludus, "show", "menace", "X../.../..O x", "--json"))
    assert result["system"] == "menace"
    # Where the other corners win, they have more beads than all other moves together.
    assert result["beads"]["c3"] == result["beads"]["a1"] > sum(result["beads"].values()) / 3


def test_her_boxes_and_those_of_a_file(ludus, tmp_path):
    file = str(tmp_path / "her.json")
    output(ludus, "train", "her", "--games", "50", "--out", file)
    arguments = ("show", "menace", "B.B/B../.WW w", "--game", "hexapawn")
    own = json.loads(output(ludus, *arguments, "--table", file, "--json"))
    usual = json.loads(output(ludus, *arguments, "--json"))
    assert own["system"] == usual["system"] == "her"
    assert own["beads"].keys() == usual["beads"].keys()
    assert own["beads"] != usual["beads"]
    unknown = output(ludus, "show", "menace", "start", "--game", "hexapawn", "--table", file)
    assert "no box for this position" in unknown


def test_boxes_of_boards_as_they_lie(ludus, tmp_path):
    """Without shared boxes a board and its mirror image have beads of their own."""
    file = tmp_path / "menace.json"
    output(ludus, "train", "menace", "--symmetry", "moves", "--games", "300", "--out", str(file))
    table = json.loads(file.read_text())["table"]
    show = partial(output, ludus, "show", "menace", "--table", str(file))
    for board in list(table)[:20]:
        beads = json.loads(show(board, "--json"))["beads"]
        assert {move: number for move, number in beads.items() if move in table[board]} == table[
            board
        ]
    assert "moves that mirror each other share" in show(board)


def test_bad_positions_for_a_box(ludus):
    assert "must be a board" in complaint(ludus, "show", "menace", "X")
    assert "is over" in complaint(ludus, "show", "menace", "XXX/OO./... o")
    assert "does not play" in complaint(ludus, "show", "menace", "start", "--game", "backgammon")


TRAININGS = {
    "menace": ("train", "menace", "--games", "30"),
    "her": ("train", "her", "--games", "30"),
    "qlearning": ("train", "qlearning", "hexapawn", "--games", "30"),
    "migo": ("train", "migo", "hexapawn", "--games", "3"),
    "patterns": ("train", "patterns", "--own", "1", "--mixed", "1", "--strong", "0"),
    "gammon": ("train", "gammon", "--cycles", "2", "--positions", "20", "--games", "0"),
}


@pytest.mark.parametrize("name", TRAININGS)
def test_trainings_write_curves(name, tmp_path, ludus):
    done = ludus(*TRAININGS[name], "--json", "--log", str(tmp_path / "log"))
    assert done.status == 0, done.err
    [file] = (tmp_path / "log").glob("*.jsonl")
    assert file.name.startswith(name)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(set(row) == {"step", "name", "value"} for row in rows)
    assert len({row["step"] for row in rows}) > 1


def test_curves_have_a_limited_number_of_points_and_resume(tmp_path):
    config = MenaceConfig(games=2000)
    log = tmp_path / "log"
    for _ in range(2):
        fit(MenaceTraining(config), steps=1000, log=log, checkpoint=tmp_path / "checkpoint")
    [file] = log.glob("*.jsonl")
    steps = [json.loads(line)["step"] for line in file.read_text().splitlines()]
    assert steps == sorted(set(steps))
    assert MenaceTraining.num_points - 5 < len(steps) <= MenaceTraining.num_points
    assert steps[-1] == 2000


@pytest.mark.parametrize("name", ["x" * 300, "missing/file", "folder"])
@pytest.mark.parametrize("system", ["her", "qlearning", "deepq", "gammon"])
def test_a_file_that_cannot_be_written_is_refused_before_the_training(
    ludus, tmp_path, monkeypatch, system, name
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    result = ludus("train", system, "--games", "1", "--log", "log", "--out", name)
    assert result.status == 2
    assert result.err.startswith("ludus: cannot write ")
    assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_training_without_a_file_says_that_nothing_is_kept(ludus):
    assert "nothing is saved; --out FILE" in ludus("train", "her", "--games", "2").err
