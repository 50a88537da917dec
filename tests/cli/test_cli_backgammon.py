"""`ludus backgammon` and `ludus train gammon` as people and programs use them."""

import json

import pytest
from program import run


def test_training_from_the_command_line(tmp_path):
    out = tmp_path / "net.npz"
    line = ["train", "gammon", "--hidden", "0", "--cycles", "2", "--positions", "100"]
    line += ["--games", "20", "--out", str(out)]
    done = run(*line, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["network"] == "459-1"
    assert [each["cycle"] for each in said["curve"]] == [1, 2]
    assert said["games"] == 20
    # Nothing is left to do: the file is what this training leads to.
    again = json.loads(run(*line, "--json").stdout)
    assert again["curve"] == []
    assert again["against_tool"] == said["against_tool"]
    other = run(*line, "--seed", "3")
    assert other.returncode == 2
    assert "trained in another way" in other.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--hidden", "a,b"], "must be numbers"),
        (["--coding", "feature"], "did you mean features"),
        (["--error", "guess"], "must be score or comparison"),
        (["--cycles", "0"], "cycles=0"),
        (["--data", "/nowhere"], "cannot read"),
    ],
)
def test_training_that_cannot_be(line, message):
    done = run("train", "gammon", *line)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.needs_debian("gnubg")
def test_hints():
    done = run("backgammon", "hint", "4HPwATDgc/ABMA:0:31", "--plies", "0", "--json")
    said = json.loads(done.stdout)
    assert said["cubeless"] is True
    assert said["xgid"] == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    first, second = said["moves"][:2]
    assert (first["move"], first["loss"], first["mark"]) == ("8/5 6/5", 0, "")
    assert second["loss"] > 0.1
    assert 0.5 < first["win"] < 0.6
    no_dice = run("backgammon", "hint", "4HPwATDgc/ABMA")
    assert no_dice.returncode == 2
    assert "has no dice" in no_dice.stderr


@pytest.mark.needs_debian("gnubg")
def test_reviews_and_mat_files(tmp_path):
    games, session = tmp_path / "games.txt", tmp_path / "games.mat"
    assert (
        run(
            "match", "backgammon", "tool", "random", "--games", "1", "--record", str(games)
        ).returncode
        == 0
    )
    said = json.loads(run("backgammon", "review", str(games), "--plies", "0", "--json").stdout)
    assert said["sides"]["white"]["error_per_move"] < said["sides"]["black"]["error_per_move"]
    assert {"move", "best", "loss", "mark"} <= set(said["moves"][0])
    assert run("backgammon", "mat", str(games), "--out", str(session)).returncode == 0
    assert session.read_text().startswith(" 0 point match")


def test_scores_by_hand_are_checked(tmp_path):
    mine, out = tmp_path / "mine.txt", tmp_path / "out.txt"
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/5=+90\n")
    said = json.loads(run("backgammon", "import", str(mine), "--out", str(out), "--json").stdout)
    assert said == {"positions": 1, "comments": 1}
    assert "4HPwATDgc/ABMA 31 mine 8/5,6/5=90" in out.read_text()
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/4=+90\n")
    done = run("backgammon", "import", str(mine), "--out", str(out))
    assert done.returncode == 2
    assert "line 1" in done.stderr
