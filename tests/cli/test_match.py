"""Matches: limits, processes, interruptions, and what is said about compiled games."""

import json
import signal
import subprocess

import pytest

import ludus as library
from ludus.arena import match
from ludus.core.record import Record
from ludus.games import game as named_game
from support.command_line import PROGRAM
from support.repetition import repeat
from support.waiting import PATIENCE, wait_until

ARGUMENTS = ("match", "hexapawn", "playouts:games=5", "random", "--games", "9", "--seed", "4")


def test_a_match_is_a_function_of_its_seed(ludus):
    arguments = ("match", "hexapawn", "playouts:games=20", "random", "--games", "30", "--json")
    once, again = ludus(*arguments, "--seed", "7"), ludus(*arguments, "--seed", "7")
    other = ludus(*arguments, "--seed", "8")
    assert once == again
    assert once.out != other.out
    result = json.loads(once.out)
    assert sum(result["wins"]) + result["draws"] == result["games"] == 30
    assert sum(result["reasons"].values()) == 30
    assert result["wins"][0] > result["wins"][1]


def test_wins_belong_to_players_and_not_to_sides(ludus):
    """The side that begins a 3×3 game of random moves wins more often."""
    arguments = ("match", "noughts_and_crosses", "random", "random", "--games", "200", "--json")
    fixed = json.loads(ludus(*arguments, "--fixed").out)["wins"]
    fair = json.loads(ludus(*arguments, "--alternate").out)["wins"]
    assert fixed[0] > 1.5 * fixed[1]
    assert fair[0] < 1.5 * fair[1]
    # In every second game the same two random players have changed seats.
    one = ("match", "noughts_and_crosses", "playouts:games=60", "random", "--games", "2", "--json")
    assert json.loads(ludus(*one).out)["wins"] == [2, 0]


def test_recorded_games_can_be_replayed(ludus, tmp_path):
    file = tmp_path / "games.txt"
    arguments = ("match", "backgammon:hyper", "random", "random", "--games", "3", "--seed", "5")
    assert ludus(*arguments, "--record", str(file)).status == 0
    records = Record.parse_many(file.read_text())
    assert [record.headers["Round"] for record in records] == ["1", "2", "3"]
    for record in records:
        positions = record.replay(named_game("backgammon", record.headers["Rules"]))
        assert positions[-1].outcome() is not None
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_not_replaced_by_a_record(ludus, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    arguments = ("match", "hexapawn", "random", "random", "--games", "1", "--record", str(link))
    assert ludus(*arguments).status == 2
    assert link.is_symlink()
    assert target.read_text() == "mine"


def test_games_that_are_too_long_are_draws(ludus):
    arguments = ("--games", "4", "--max-plies", "5", "--json")
    result = json.loads(ludus("match", "nine_mens_morris", "random", "random", *arguments).out)
    assert result["reasons"] == {"length": 4}
    assert result["draws"] == 4


@pytest.mark.parametrize(
    "players", [("newbie", "newbie"), ("focused", "basic"), ("fuzzy", "basic")]
)
def test_compiled_matches_come_to_what_single_games_come_to(ludus, players):
    """Other games, but the same shares: by chance once in a million tests they differ so much."""
    command = ("match", "nine_mens_morris", *players, "--json", "--games")
    num_games = repeat(50, 400)
    many = json.loads(ludus(*command, "20001", "--compiled").out)
    few = json.loads(ludus(*command, str(num_games)).out)
    assert many["games"] == sum(many["wins"]) + many["draws"] == sum(many["reasons"].values())
    assert set(few["reasons"]) <= set(many["reasons"])
    share = many["wins"][0] / many["games"]
    error = (share * (1 - share) / num_games) ** 0.5
    assert abs(few["wins"][0] / num_games - share) < 5 * error


def test_who_begins_a_compiled_match(ludus):
    """Focused is ahead of basic by more if it always begins (Vrajitoru's Table 1)."""
    command = (
        "match",
        "nine_mens_morris:vrajitoru",
        "focused",
        "basic",
        "--games",
        "4000",
        "--compiled",
        "--json",
    )
    wins = [json.loads(ludus(*command, way).out)["wins"][0] for way in ("--alternate", "--fixed")]
    assert wins[0] < wins[1]
    assert json.loads(ludus(*command).out) == json.loads(ludus(*command).out)


def test_the_library_plays_the_same_games(ludus):
    found = library.match("hexapawn:size=4", "playouts:games=5", "random", games=6, seed=3)
    command = ["match", "hexapawn:size=4", "playouts:games=5", "random", "--games", "6"]
    printed = json.loads(ludus(*command, "--seed", "3", "--json").out)
    assert [*found.wins] == printed["wins"]
    assert found.score.reasons == printed["reasons"]
    assert [record.players[0] for record in found.records[:2]] == ["playouts:games=5", "random"]


def test_processes_play_the_same_games(ludus, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert ludus(*ARGUMENTS, "--record", str(one)).status == 0
    assert ludus(*ARGUMENTS, "--record", str(two), "--jobs", "2").status == 0
    assert one.read_text() == two.read_text()
    assert one.read_text().count("[Game ") == 9


def test_limits_bind_the_players(ludus, tmp_path):
    file = tmp_path / "games"
    searching = ("match", "nine_mens_morris", "negascout", "negascout", "--games", "1")
    result = ludus(*searching, "--max-plies", "2", "--depth", "1", "--record", str(file))
    assert result.status == 0
    assert "looking 1 move ahead" in file.read_text()
    assert ludus(*searching, "--nodes", "0").status == 2
    assert ludus(*searching, "--time", "0").status == 2


MORRIS = ("match", "nine_mens_morris", "newbie", "basic", "--games", "4", "--seed", "1", "--json")


def test_a_seed_gives_the_same_games_with_and_without_a_record(ludus, tmp_path):
    plain = json.loads(ludus(*MORRIS).out)
    assert plain["compiled"] is False
    assert json.loads(ludus(*MORRIS, "--record", str(tmp_path / "games")).out) == plain
    assert json.loads(ludus(*MORRIS, "--jobs", "2").out) == plain


def test_compiled_games_have_to_be_requested(ludus, tmp_path):
    found = json.loads(ludus(*MORRIS, "--compiled").out)
    assert (found["compiled"], found["games"]) == (True, 4)
    for more in (["--depth", "3"], ["--record", str(tmp_path / "games")], ["--position", "start"]):
        result = ludus(*MORRIS[:-1], "--compiled", *more)
        assert (result.status, result.out) == (2, "")
        assert "compiled games have no record, no limits, and begin at the start" in result.err
    result = ludus("match", "hexapawn", "random", "perfect", "--compiled")
    assert (result.status, result.out) == (2, "")
    assert "random and perfect have no compiled games of hexapawn" in result.err


def test_an_interrupted_match_reports_whole_games(tmp_path):
    file = tmp_path / "games"
    command = ("match", "hexapawn", "random", "random", "--games", "10000000", "--json")
    with subprocess.Popen(
        [*PROGRAM, *command, "--record", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        wait_until(
            lambda: any(each.stat().st_size for each in tmp_path.iterdir()), "games", running
        )
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    found = json.loads(out)
    assert found["interrupted"] is True
    assert sum(found["wins"]) + found["draws"] == found["games"] > 0
    assert file.read_text().count("[Game ") == found["games"]
    assert err.decode() == f"ludus: interrupted after {found['games']} of 10000000 games\n"


def test_interrupted_compiled_games_count(monkeypatch, ludus):
    """Ctrl-C in the third call: two calls of compiled code count, one begun by each player."""
    play, calls = match.play_compiled_games, []

    def interrupt(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(match, "play_compiled_games", interrupt)
    monkeypatch.setattr(match, "GAMES_PER_CALL", 10)
    result = ludus(*MORRIS[:4], "--games", "100", "--compiled", "--json")
    assert result.status == 130
    assert json.loads(result.out)["games"] == 20
    assert [sides for _, sides, *_ in calls[:2]] == [("newbie", "basic"), ("basic", "newbie")]


def test_games_go_to_standard_output_for_the_next_command(ludus):
    done = ludus("match", "hexapawn", "random", "perfect", "--games", "2", "--record", "-")
    assert done.status == 0
    records = Record.parse_many(done.out)
    assert [each.headers["Round"] for each in records] == ["1", "2"]
    assert "perfect" in done.err
    refused = ludus("match", "hexapawn", "random", "random", "--record", "-", "--json")
    assert refused.status == 2
    assert "both take standard output" in refused.err
