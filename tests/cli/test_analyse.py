"""`ludus analyse`: positions and games of every game, as people type them."""

import io
import json

import pytest

GAMES = ("hexapawn", "noughts_and_crosses", "nine_mens_morris", "backgammon")


@pytest.mark.parametrize("game", GAMES)
def test_recorded_games_of_every_game_are_analysed(ludus, tmp_path, game):
    file, notes = tmp_path / "games.txt", tmp_path / "notes.txt"
    match = ("match", game, "random", "playouts:games=1", "--games", "2", "--max-plies", "12")
    assert ludus(*match, "--record", str(file)).status == 0
    evaluator = ["--evaluator", "gammon:net=selfplay", "--plies", "0"] * (game == "backgammon")
    evaluator = evaluator or ["--evaluator", "playouts:games=1"]
    done = ludus("analyse", game, str(file), *evaluator, "--out", str(notes), "--json")
    assert done.status == 0, done.err
    output = json.loads(done.out)
    assert (output["game"], output["games"]) == (game, 2)
    assert set(output["players"]) == {"random", "playouts:games=1"}
    is_rated = [each["performance_rating"] is not None for each in output["players"].values()]
    assert is_rated == [game == "backgammon"] * 2
    assert output["decisions"]
    assert "Annotator" in notes.read_text()


def test_a_position_is_shown_with_values_and_lines(ludus):
    shown = ludus("analyse", "noughts_and_crosses", "OO./.X./X.. x").out
    assert "Crosses X to move" in shown
    assert "c3    win    1" in shown
    output = json.loads(ludus("analyse", "hexapawn", "start", "--moves", "1", "--json").out)
    assert output["position"] == "BBB/.../WWW w"
    assert len(output["moves"]) == 1
    assert output["moves"][0]["certainty"] == "exact"


def test_games_come_from_standard_input(ludus, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1. a1-a2 b3xa2 2. b1xa2 *"))
    output = json.loads(ludus("analyse", "hexapawn", "-", "--json").out)
    assert output["games"] == 1
    assert list(output["players"]) == ["white", "black"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["backgammon", "GAMES"], "game 1 is hexapawn, not backgammon"),
        (["hexapawn", "nowhere.txt"], "cannot read"),
        (["hexapawn", "BBB/.../WWW x"], "no side to move"),
        (["hexapawn", "start", "--evaluator", "random"], "does not evaluate"),
        (["hexapawn", "start", "--evaluator", "gammon"], "does not play hexapawn"),
        (["hexapawn", "start", "--out", "notes.txt"], "--out is for games"),
        (["noughts_and_crosses", "XXX/OO./... o"], "over"),
        (["backgammon", "start"], "roll"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_one_line(ludus, tmp_path, line, message):
    games = tmp_path / "games.txt"
    games.write_text('[Game "hexapawn"]\n\n1. a1-a2 *\n')
    done = ludus("analyse", *(str(games) if each == "GAMES" else each for each in line))
    assert done.status == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_table_fits_a_narrow_terminal(ludus, tmp_path, monkeypatch):
    games = tmp_path / "games.txt"
    games.write_text('[Game "hexapawn"]\n\n1. a1-a2 b3xa2 2. c1-c2 a2-a1 *\n')
    monkeypatch.setenv("COLUMNS", "40")
    table = ludus("analyse", "hexapawn", str(games)).out.split("\n\n")[0]
    assert "why" in table
    assert max(map(len, table.splitlines())) <= 40


@pytest.mark.parametrize("line", ["analyse --help", "train menace --help", "players", "games"])
def test_texts_fit_a_narrow_terminal(ludus, monkeypatch, line):
    monkeypatch.setenv("COLUMNS", "40")
    shown = ludus(*line.split()).out.split("Examples:")[0]
    assert max(map(len, shown.splitlines())) <= 40
