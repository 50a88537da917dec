"""`ludus backgammon` and `ludus train gammon` as people and programs use them."""

import json

import pytest


def test_training_from_the_command_line(ludus, tmp_path):
    out = tmp_path / "net.npz"
    line = ["train", "gammon", "--hidden", "0", "--cycles", "2", "--positions", "100"]
    line += ["--games", "20", "--out", str(out)]
    done = ludus(*line, "--json")
    assert done.status == 0, done.err
    output = json.loads(done.out)
    assert output["network"] == "459-1"
    assert [each["cycle"] for each in output["curve"]] == [1, 2]
    assert output["games"] == 20
    # Nothing is left to do: the file is what this training leads to.
    again = json.loads(ludus(*line, "--json").out)
    assert again["curve"] == []
    assert again["against_tool"] == output["against_tool"]
    other = ludus(*line, "--seed", "3")
    assert other.status == 2
    assert "trained with other settings" in other.err


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
def test_training_that_cannot_be(ludus, line, message):
    done = ludus("train", "gammon", *line)
    assert done.status == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.needs_debian("gnubg")
def test_hints(ludus):
    done = ludus("backgammon", "hint", "4HPwATDgc/ABMA:0:31", "--plies", "0", "--json")
    output = json.loads(done.out)
    assert output["cubeless"] is True
    assert output["xgid"] == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    first, second = output["moves"][:2]
    assert (first["move"], first["loss"], first["mark"]) == ("8/5 6/5", 0, "")
    assert second["loss"] > 0.1
    assert 0.5 < first["win"] < 0.6
    no_dice = ludus("backgammon", "hint", "4HPwATDgc/ABMA")
    assert no_dice.status == 2
    assert "has no dice" in no_dice.err


@pytest.mark.needs_debian("gnubg")
def test_reviews_and_mat_files(ludus, tmp_path):
    games, session = tmp_path / "games.txt", tmp_path / "games.mat"
    assert (
        ludus(
            "match", "backgammon", "tool", "random", "--games", "1", "--record", str(games)
        ).status
        == 0
    )
    output = json.loads(ludus("backgammon", "review", str(games), "--plies", "0", "--json").out)
    assert output["sides"]["white"]["error_per_move"] < output["sides"]["black"]["error_per_move"]
    assert {"move", "best", "loss", "mark"} <= set(output["moves"][0])
    assert ludus("backgammon", "mat", str(games), "--out", str(session)).status == 0
    assert session.read_text().startswith(" 0 point match")


def test_scores_by_hand_are_checked(ludus, tmp_path):
    mine, out = tmp_path / "mine.txt", tmp_path / "out.txt"
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/5=+90\n")
    output = json.loads(ludus("backgammon", "import", str(mine), "--out", str(out), "--json").out)
    assert output == {"positions": 1, "comments": 1}
    assert "4HPwATDgc/ABMA 31 mine 8/5,6/5=90" in out.read_text()
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/4=+90\n")
    done = ludus("backgammon", "import", str(mine), "--out", str(out), "--force")
    assert done.status == 2
    assert "line 1" in done.err
