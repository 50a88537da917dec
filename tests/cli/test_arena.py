"""`ludus tournament`, `ludus regret` and `ludus choose`."""

import io
import json
import re
import sys

import pytest

import ludus as library
from ludus.games import game
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move

TOML = """
game = "noughts_and_crosses"
players = ["random", "perfect", "random"]
games = 6
"""


def _file(folder, text, name="t.toml"):
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_tournament_and_its_results(ludus, tmp_path):
    file = _file(tmp_path, TOML)
    result = json.loads(ludus("tournament", file, "--json").out)
    assert (result["games"], result["resumed"]) == (6, 0)
    assert (result["game"], result["rules"]["size"]) == ("noughts_and_crosses", 3)
    best, worst = result["players"]
    assert (best["player"], best["losses"]) == ("perfect", 0)
    assert best["wins"] + best["draws"] == worst["losses"] + worst["draws"] == 6
    assert best["elo"] == pytest.approx(-worst["elo"], abs=0.02)
    (pair,) = result["pairs"]
    assert pair["players"] == ["random", "perfect"]
    assert sum(pair["wins"]) + pair["draws"] == sum(pair["reasons"].values()) == 6
    assert (tmp_path / "t.sqlite").exists()
    again = json.loads(ludus("tournament", file, "--json").out)
    assert again == {**result, "resumed": 6}


@pytest.mark.parametrize("player", ["random", "perfect"])
def test_regret_of_one_move_in_each_position(ludus, tmp_path, player):
    """In two of the three open positions the side to move must block or win."""
    lines = "OO./.X./X.. x", "XX./OO./... x", "XXX/OO./... o", "X../.../... o"
    file = _file(tmp_path, "\n".join(lines) + "\n", "positions.txt")
    command = ("regret", "noughts_and_crosses", player, "--one-move", "--positions", file)
    found = json.loads(ludus(*command, "--json").out)
    assert (found["games"], found["moves"], found["over"], found["critical"]) == (3, 3, 1, 3)
    assert sum(each["regret"] for each in found["first_errors"]) == 3 * found["mean_regret"]
    assert found["critical_kept"] == 3 - len(found["first_errors"])
    if player == "perfect":
        assert found["mean_regret"] == 0
    part = json.loads(ludus(*command, "--json", "--games", "2").out)
    assert part["moves"] == 2
    assert "1 positions in which the game is over were left out" in ludus(*command).out


def test_regret_of_one_move_needs_positions(ludus, tmp_path):
    command = ("regret", "noughts_and_crosses", "random", "--one-move")
    result = ludus(*command)
    assert (result.status, "needs --positions" in result.err) == (2, True)
    over = _file(tmp_path, "XXX/OO./... o\n", "over.txt")
    result = ludus(*command, "--positions", over)
    assert (result.status, "has no position" in result.err) == (2, True)


def test_tables_for_people(ludus, tmp_path):
    text = TOML.replace("noughts_and_crosses", "nine_mens_morris:standard,men=3")
    file = _file(tmp_path, text.replace("perfect", "perfect:fallback=search"))
    result = ludus("tournament", file, "--anchor", "random", "--jobs", "1")
    assert re.search(r"1\. perfect:fallback=search +6 +", result.out)
    assert re.search(r"2\. random .* \+0 ± 0", result.out)
    assert "random – perfect" in result.out
    assert "is exact up to 3 men a side and searches before that" in result.err
    assert "men (removing)" in result.out or "blocked (suffocating)" in result.out


def test_a_tournament_that_perfect_cannot_play_is_refused(ludus, tmp_path):
    file = _file(tmp_path, TOML.replace("noughts_and_crosses", "nine_mens_morris"))
    result = ludus("tournament", file)
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "perfect cannot play from '.../" in result.err
    ending = 'game = "nine_mens_morris"\nplayers = ["random", "perfect"]\ngames = 2\n'
    ending += '[starts]\npositions = ["W.W/W../.../...BBB/.../.../... w 0 0"]\n'
    result = json.loads(ludus("tournament", _file(tmp_path, ending), "--jobs", "1", "--json").out)
    assert result["players"][0]["player"] == "perfect"


def test_more_games_are_added_to_those_there_are(ludus, tmp_path):
    file = _file(tmp_path, TOML)
    ludus("tournament", file, "--json")
    more = json.loads(ludus("tournament", _file(tmp_path, TOML.replace("6", "10")), "--json").out)
    assert (more["games"], more["resumed"]) == (10, 6)


BAD_FILES = [
    ("", "key game is missing"),
    ("game = 3", "game = 3 must be a text"),
    ('game = "chess"\nplayers = []', "there is no game 'chess'"),
    ('game = "hexapawn"', "key players is missing"),
    ('game = "hexapawn"\nplayers = ["random"]', "at least 2 different players"),
    ('game = "hexapawn"\nplayers = ["random", "random"]', "at least 2 different players"),
    ('game = "hexapawn"\nplayers = ["random", 3]', "3 is not a text"),
    ('game = "hexapawn"\nplayers = ["random", "perfekt"]', "did you mean perfect?"),
    (TOML + "gamess = 3", "did you mean games?"),
    (TOML + "seed = 1.5", "must be a whole number"),
    (TOML + "seed = true", "must be a whole number"),
    (TOML + f"seed = {10**30}", "out of range"),
    (TOML + 'format = "robin"', "did you mean round_robin?"),
    (TOML + "max_plies = 0", "from 1 to"),
    (TOML + "[limit]\ntim = 1", "did you mean time?"),
    (TOML + "[limit]\ntime = -1", "greater than zero"),
    (TOML + "[limit]\ntime = nan", "out of range"),
    (TOML + "[limit]\ngrace = -1", "grace"),
    (TOML + "limit = 3", "must be a table"),
    (TOML + "[starts]\nrandom_plies = -1", "random_plies"),
    (TOML + '[starts]\npositions = ["X"]', "line 1"),
    (TOML + '[starts]\npositions = ["XXX/OO./... o"]', "the game is over"),
    (TOML + "[starts]\npositions = []", "there is no position"),
    (TOML + '[starts]\nfile = "nowhere"', "cannot read"),
    (TOML + '[starts]\nfile = "a"\npositions = []', "not both"),
    ("games = ", "is not TOML"),
    ("a = " + "[" * 5000, "is not TOML"),
]


@pytest.mark.parametrize(("text", "complaint"), BAD_FILES, ids=lambda text: repr(text)[:40])
def test_bad_files_are_refused(ludus, tmp_path, text, complaint):
    result = ludus("tournament", _file(tmp_path, text))
    assert (result.status, result.out) == (2, "")
    assert complaint in result.err
    assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]


def test_other_bad_input(ludus, tmp_path):
    file = _file(tmp_path, TOML)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\0")
    lines = _file(tmp_path, "XXX/OO./... o\n", "over.txt")
    for arguments in (
        ["tournament", str(tmp_path / "nowhere.toml")],
        ["tournament", str(tmp_path)],
        ["tournament", str(binary)],
        ["tournament", file, "--out", "/nowhere/x"],
        ["tournament", file, "--anchor", "nobody"],
        ["regret", "backgammon", "random"],
        ["regret", "nine_mens_morris:vrajitoru", "random"],
        ["regret", "hexapawn", "nobody"],
        ["regret", "hexapawn", "random", "--opponent", "nobody"],
        ["regret", "hexapawn", "random", "--oracle", str(tmp_path)],
        ["regret", "nine_mens_morris", "random", "--oracle", str(tmp_path)],
        ["regret", "hexapawn", "random", "--time", "0"],
        ["regret", "hexapawn", "random", "--positions", lines],
        ["choose", "hexapawn", "random"],
        ["choose", "hexapawn", "random", "--positions", str(tmp_path / "nowhere")],
        ["choose", "hexapawn", "random", "--positions", str(binary)],
        ["choose", "noughts_and_crosses", "random", "--positions", lines],
        ["choose", "hexapawn", "random", "--positions", file, "--notation", "thesis"],
        ["choose", "nine_mens_morris", "random", "--positions", file, "--notation", "theses"],
    ):
        result = ludus(*arguments)
        assert (result.status, result.out) == (2, ""), arguments
        assert result.err.startswith("ludus: ")
        assert result.err.count("\n") == 1


def test_regret_of_a_solved_game(ludus):
    arguments = ("regret", "hexapawn", "random", "--games", "40", "--json")
    result = json.loads(ludus(*arguments).out)
    assert result == json.loads(ludus(*arguments, "--jobs", "1").out)
    assert result["games"] == 40
    assert result["mean_regret"] > 0
    assert result["mean_regret"] * 40 == pytest.approx(
        result["mean_regret_per_move"] * result["moves"]
    )
    assert 0 <= result["critical_kept"] < result["critical"] <= result["moves"]
    assert result["unjudged"] == 0
    assert sum(part["moves"] for part in result["by_phase"].values()) == result["moves"]
    assert {"position", "move", "best", "regret", "games"} <= result["first_errors"][0].keys()
    perfect = json.loads(ludus("regret", "hexapawn", "perfect", "--games", "10", "--json").out)
    assert perfect["mean_regret"] == 0
    assert perfect["critical_kept"] == perfect["critical"]
    assert "first error in" in ludus(*arguments[:-1]).out


def test_regret_with_a_database(ludus, tmp_path):
    """Three men a side, solved from the first move on, and the same without the database."""
    folder = tmp_path / "solved"
    arguments = ("nine_mens_morris", "--rules", "men=3")
    assert ludus("solve", *arguments, "--out", str(folder)).status == 0
    play = ("regret", "nine_mens_morris", "random", "--rules", "men=3", "--games", "8")
    known = json.loads(ludus(*play, "--oracle", str(folder), "--json").out)
    assert known["unjudged"] == 0
    assert 0 < known["by_phase"]["placing"]["moves"] <= 8 * 3
    assert known["opponent"] == f"perfect:oracle={folder}"
    result = ludus(*play)
    assert (result.status, result.out) == (2, "")
    assert "perfect cannot play from" in result.err
    result = ludus(*play, "--opponent", "random")
    assert "are in unsolved positions" in result.out
    assert "is solved up to 3 men a side; no other moves are judged; `ludus solve" in result.err


def _positions(played, count):
    """Positions of a game of first, second, … moves."""
    position, found = played.start(), []
    while len(found) < count:
        found.append(position)
        moves = position.legal_moves()
        position = position.play(moves[len(found) % len(moves)])
        if position.outcome() is not None:
            position = played.start()
    return found


@pytest.mark.parametrize("name", ["nine_mens_morris", "hexapawn", "noughts_and_crosses"])
def test_chosen_moves_can_be_read_back(ludus, tmp_path, name):
    played = game(name)
    positions = _positions(played, 40)
    file, out = tmp_path / "positions", tmp_path / "moves"
    file.write_text("".join(f"{position}\n" for position in positions))
    arguments = ("choose", name, "random", "--positions", str(file))
    assert ludus(*arguments, "--out", str(out)).out.startswith("40 moves in ")
    moves = out.read_text().splitlines()
    assert len(moves) == 40
    for position, move in zip(positions, moves, strict=True):
        assert str(played.parse_move(move, position)) == move
    assert ludus(*arguments).out.splitlines() == moves
    assert json.loads(ludus(*arguments, "--json").out)["moves"] == moves
    assert ludus(*arguments, "--seed", "1").out.splitlines() != moves


def test_thesis_lines_are_answered_in_the_thesis_notation(ludus, tmp_path):
    played = game("nine_mens_morris")
    positions = _positions(played, 30)
    states = [to_thesis(position) for position in positions]
    lines = [f"{state}-a7" if number % 2 else state for number, state in enumerate(states)]
    file = _file(tmp_path, "\n".join(lines), "states")
    arguments = ("choose", "nine_mens_morris", "random", "--positions", file)
    moves = ludus(*arguments).out.splitlines()
    assert len(moves) == 30
    for state, move in zip(states, moves, strict=True):
        assert re.fullmatch("([a-g][1-7]){1,3}", move)
        assert to_thesis_move(played.parse_move(move, played.parse(state))) == move
    written = ludus(*arguments, "--notation", "game").out.splitlines()
    assert [move.replace("-", "").replace("x", "") for move in written] == moves
    numbers = ludus(*arguments, "--notation", "playok").out.splitlines()
    for state, move, number in zip(states, moves, numbers, strict=True):
        assert to_thesis_move(played.parse_move(number, played.parse(state))) == move


def test_bad_lines_are_reported_and_nothing_is_written(ludus, tmp_path):
    good = str(game("hexapawn").start())
    file, out = _file(tmp_path, f"{good}\nBBB\n{good}\n\nWWW/.../... b\n"), tmp_path / "moves"
    result = ludus("choose", "hexapawn", "random", "--positions", file, "--out", str(out))
    assert result.status == 2
    assert "line 2: 'BBB'" in result.err
    assert "bad lines too: 4, 5" in result.err
    assert not out.exists()


def test_an_empty_file_of_positions_is_refused(ludus, tmp_path):
    out = tmp_path / "moves"
    file = _file(tmp_path, "")
    result = ludus("choose", "hexapawn", "random", "--positions", file, "--out", str(out))
    assert result.status == 2
    assert result.err.endswith("has no position\n")
    assert not out.exists()


def test_positions_come_from_standard_input(ludus, monkeypatch):
    text = "XX./OO./... x\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    result = ludus("choose", "noughts_and_crosses", "perfect", "--positions", "-")
    assert (result.status, result.out) == (0, "c3\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    command = ("regret", "noughts_and_crosses", "perfect", "--one-move", "--positions", "-")
    assert "1 positions" in ludus(*command).out


def test_the_library_measures_the_same_regret(ludus):
    found = library.regret("hexapawn", "random", games=6, seed=2, jobs=1)
    command = ["regret", "hexapawn", "random", "--games", "6", "--seed", "2", "--jobs", "1"]
    printed = json.loads(ludus(*command, "--json").out)
    assert found.mean == printed["mean_regret"]
    assert found.total.critical == printed["critical"] > 0
