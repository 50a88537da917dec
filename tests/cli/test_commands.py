"""The commands and the JSON that other programs read."""

import json
import subprocess
import sys

import pytest

from ludus.core.record import Record
from ludus.games import game as named_game
from support.command_line import process
from support.repetition import repeat
from support.waiting import PATIENCE


def test_perft_counts_as_open_spiel_does(ludus):
    result = ludus("perft", "nine_mens_morris", "5", "--json")
    assert json.loads(result.out)["nodes"] == 5140800
    assert result.out.count("\n") == 1


def test_perft_of_both_engines_and_of_the_parts_agree(ludus):
    arguments = ("perft", "nine_mens_morris:lasker", "3", "--rules", "men=3", "--json")
    native = json.loads(ludus(*arguments, "--divide").out)
    python = json.loads(ludus(*arguments, "--engine", "python").out)
    assert native["nodes"] == python["nodes"] == sum(native["divide"].values())
    assert native["rules"]["men"] == 3
    assert "divide" not in python


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 0), (3, 0)])
def test_perft_of_a_game_that_is_over(ludus, depth, nodes):
    over = ("--position", "XXX/OO./... o")
    result = ludus("perft", "noughts_and_crosses", str(depth), "--divide", "--json", *over)
    assert json.loads(result.out)["nodes"] == nodes


def test_perft_for_people(ludus):
    lines = ludus("perft", "hexapawn", "2", "--divide").out.splitlines()
    assert lines[:3] == ["a1-a2: 3", "b1-b2: 4", "c1-c2: 3"]
    assert lines[3].startswith("10 nodes in ")


def test_every_game_and_player_is_listed(ludus):
    games = {game["id"]: game for game in json.loads(ludus("games", "--json").out)["games"]}
    assert next(iter(games["nine_mens_morris"]["presets"])) == "standard"
    assert games["hexapawn"]["presets"]["four"]["size"] == 4
    players = json.loads(ludus("players", "hexapawn", "--json").out)["players"]
    names = [player["name"] for player in players]
    assert names[:2] == ["random", "playouts"]
    assert all("hexapawn" in player["games"] for player in players)
    assert all(name in ludus("games").out for name in games)
    assert all(name in ludus("players").out for name in names)


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


def test_help_and_version(ludus):
    assert "perft" in ludus().out
    assert ludus().out == ludus("--help").out
    assert ludus("--version").out.startswith("ludus ")
    assert "--divide" in ludus("perft", "--help").out


def test_the_program_runs_as_a_process():
    result = process("--version")
    assert (result.status, result.err) == (0, "")


HEAVY = ("torch", "matplotlib", "fastapi", "numpy", "rich", "ludus.games.backgammon")


def test_a_command_imports_only_what_it_needs():
    code = (
        "import sys; from ludus.cli.main import run; run(['perft', 'nine_mens_morris', '2']);"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    loaded = set(done.stdout.split())
    assert "ludus.games.nine_mens_morris" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_importing_ludus_costs_little():
    """It brings the standard library, its own core and the lists of names; nothing installed."""
    code = "import sys; before = set(sys.modules); import ludus; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    assert roots - set(sys.stdlib_module_names) == {"ludus"}


@pytest.mark.parametrize(
    "players", [("newbie", "newbie"), ("focused", "basic"), ("fuzzy", "basic")]
)
def test_compiled_matches_come_to_what_single_games_come_to(ludus, players):
    """Other games, but the same shares: by chance once in a million tests they differ so much."""
    command = ("match", "nine_mens_morris", *players, "--json", "--games")
    num_games = repeat(50, 400)
    many = json.loads(ludus(*command, "20001").out)
    few = json.loads(ludus(*command, str(num_games), "--one-by-one").out)
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
        "--json",
    )
    wins = [json.loads(ludus(*command, way).out)["wins"][0] for way in ("--alternate", "--fixed")]
    assert wins[0] < wins[1]
    assert json.loads(ludus(*command).out) == json.loads(ludus(*command).out)
