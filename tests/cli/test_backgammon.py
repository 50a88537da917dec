"""`ludus analyse`, `convert`, `import gammon` and `train gammon` as people use them."""

import json

import pytest

from ludus.games.backgammon.cube import Chances


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
    again = json.loads(ludus(*line, "--force", "--json").out)
    assert again["against_tool"] == output["against_tool"]
    spec = f"gammon:weights={out}"
    assert ludus("match", "backgammon", spec, "random", "--games", "1").status == 0


def test_strong_networks_from_the_command_line(ludus, tmp_path):
    pytest.importorskip("torch")
    out = tmp_path / "net.safetensors"
    line = ["train", "gammon-selfplay", "--hidden", "4", "--batch", "8", "--games", "4"]
    line += ["--td-rounds", "1", "--lookahead-rounds", "1", "--lookahead-boards", "3"]
    done = ludus(*line, "--steps-per-round", "1", "--replay", "100", "--out", str(out), "--json")
    assert done.status == 0, done.err
    output = json.loads(done.out)
    assert (output["network"], output["way"]) == ("257-4-5", "selfplay")
    assert output["steps"] > 1
    spec = f"gammon:weights={out}"
    assert ludus("match", "backgammon", spec, "random", "--games", "1").status == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--hidden", "a,b"], "must be a whole number"),
        (["--coding", "feature"], "must be one of features, raw"),
        (["--error", "guess"], "must be one of score, comparison"),
        (["--cycles", "0"], "cycles=0"),
        (["--rate", "0.01"], "must not rise"),
        (["--data", "/nowhere"], "cannot read"),
    ],
)
def test_training_that_cannot_be(ludus, line, message):
    done = ludus("train", "gammon", *line)
    assert done.status == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.needs_debian("gnubg")
def test_a_position_of_another_program_is_evaluated(ludus):
    text = "4HPwATDgc/ABMA:0:31"
    line = ["analyse", "backgammon", text, "--evaluator", "gnubg", "--plies", "0", "--moves", "2"]
    output = json.loads(ludus(*line, "--json").out)
    assert (output["cubeless"], output["evaluator"]) == (True, "exact tables, gnubg 0-ply")
    assert output["notations"]["XGID"] == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    first, second = output["moves"]
    assert (first["move"], first["cost"], first["mark"]) == ("8/5 6/5", 0, "")
    assert second["cost"] > 0.1
    assert 0.5 < first["chances"]["win"] < 0.6
    assert "8/5 6/5" in ludus("backgammon", "hint", text, "--plies", "0").out
    no_dice = ludus("analyse", "backgammon", "4HPwATDgc/ABMA")
    assert no_dice.status == 2
    assert "dice" in no_dice.err


def test_the_cube_of_an_xgid_is_evaluated_by_a_shipped_network(ludus):
    text = "XGID=-BBBBBD------A----adbbbbb-:0:0:1:00:0:0:0:7:10"
    line = ["analyse", "backgammon", text, "--evaluator", "gammon:net=expert"]
    output = json.loads(ludus(*line, "--json").out)
    assert (output["cubeless"], output["rules"]["match"]) == (False, 7)
    assert output["cube"]["best"] == "no double"
    assert set(output["cube"]["equities"]) == {"no double", "double, take", "double, drop"}
    assert "no double; wins" in ludus(*line).out
    rolled = ["analyse", "backgammon", text.replace(":00:", ":31:"), "--rules", "standard"]
    plain = json.loads(ludus(*rolled, "--evaluator", "gammon:net=expert", "--json").out)
    assert (plain["cubeless"], plain["rules"]["match"]) == (True, 0)


def test_games_are_analysed_and_converted(ludus, tmp_path):
    pytest.importorskip("bgsage")
    games, mat, sgf, notes = (tmp_path / name for name in ("g.txt", "g.mat", "g.sgf", "notes.txt"))
    match = ("match", "backgammon:cube=yes", "random", "random", "--games", "2", "--seed", "4")
    assert ludus(*match, "--record", str(games)).status == 0
    for source, target in ((games, mat), (mat, sgf)):
        done = ludus("convert", str(source), "--out", str(target), "--json")
        assert json.loads(done.out) == {"games": 2, "out": str(target)}
    line = ("analyse", "backgammon", str(sgf), "--plies", "0", "--out", str(notes))
    done = ludus(*line, "--json")
    output = json.loads(done.out)
    assert output["evaluator"] == "exact tables, bgsage 0-ply"
    assert output["sides"]["white"]["performance_rating"] > 10
    assert {"move", "best", "loss", "mark", "equity", "win"} <= set(output["decisions"][0])
    assert {"side", "player", "roll", "luck"} <= set(output["rolls"][0])
    assert "is better by" in notes.read_text()
    assert "performance rating" in ludus(*line, "--force", "--no-luck").out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;FF[4]GM[6];W[99])", "is not a move"),
        (" 5 point match\n\n Game 1\n", "game 1 has no moves"),
        (" 5 point match\n nothing", "comes before"),
        ("", "has no games"),
        ("hello", "hello"),
    ],
)
def test_broken_files_are_reported_in_one_line(ludus, tmp_path, text, complaint):
    file = tmp_path / "broken.mat"
    file.write_text(text)
    done = ludus("convert", str(file), "--out", str(tmp_path / "out.sgf"))
    assert done.status == 2
    assert complaint in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "out.sgf").exists()


@pytest.mark.needs_debian("gnubg")
def test_the_better_player_has_the_better_rating(ludus, tmp_path):
    games = tmp_path / "games.txt"
    match = ("match", "backgammon", "tool", "random", "--games", "1", "--record", str(games))
    assert ludus(*match).status == 0
    line = ("analyse", "backgammon", str(games), "--evaluator", "gnubg", "--plies", "0")
    players = json.loads(ludus(*line, "--no-luck", "--json").out)["players"]
    assert players["tool"]["performance_rating"] < players["random"]["performance_rating"]
    assert "tool: performance rating" in ludus(*line).out


def test_scores_by_hand_are_checked(ludus, tmp_path):
    mine, out = tmp_path / "mine.txt", tmp_path / "out.txt"
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/5=+90\n")
    output = json.loads(ludus("import", "gammon", str(mine), "--out", str(out), "--json").out)
    assert output == {"positions": 1, "comments": 1}
    assert "4HPwATDgc/ABMA 31 mine 8/5,6/5=90" in out.read_text()
    mine.write_text("4HPwATDgc/ABMA 31 mine 6/5,8/4=+90\n")
    done = ludus("import", "gammon", str(mine), "--out", str(out), "--force")
    assert done.status == 2
    assert "line 1" in done.err


def test_moves_are_rolled_out(ludus, tmp_path):
    text = "20:1,4:1,2:1,off:12 20:1,3:1,off:13 0 21"
    line = ["rollout", "backgammon", text, "--games", "36", "--jobs", "1"]
    assert "cubeless, moves by the network alone, seed 0" in ludus(*line, "--move", "4/2 2/1").out
    found = json.loads(ludus(*line, "--out", str(tmp_path / "games"), "--json").out)
    assert found["lines"][0]["games"] == 36
    assert set(found["lines"][0]["chances"]) == set(Chances._fields)
    assert "opening roll" in ludus("rollout", "backgammon", "4HPwATDgc/ABMA").err
