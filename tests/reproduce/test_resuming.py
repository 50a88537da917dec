"""A run that is killed goes on where it stopped, and comes to the same results."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from ludus.arena.executors import LocalPool
from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.reproduce import Context, MatchTally, RunOptions
from ludus.reproduce.experiment import read_published
from ludus.reproduce.matches import Match, play_in_arena
from ludus.reproduce.results import ResultCache
from support.small_experiments import write
from support.waiting import PATIENCE, wait_until

COUNTING = """
from pathlib import Path

from ludus.reproduce import Measurement

NOTES = Path(__file__).with_name("notes.txt")


def run(context):
    def compute(number):
        with NOTES.open("a") as file:
            file.write(f"{number}\\n")
        return number

    for number in range(5):
        value = context.cached(f"cell {number}", lambda: compute(number))
        yield Measurement(f"cell {number}", value)
    tally = context.matches("hexapawn", "playouts:games=100", "random", 60)
    yield Measurement.proportion("wins", tally.wins[0], tally.games)
"""


def command(folder, *arguments):
    options = ["--experiments", str(folder), "--out", str(folder.parent / "out"), "--jobs", "1"]
    return ["reproduce", "smith-table-1", "--json", *options, *arguments]


def num_stored(folder):
    """Games in the store so far."""
    for path in (folder.parent / "out").rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            try:
                return connection.execute("SELECT count(*) FROM game").fetchone()[0]
            except sqlite3.OperationalError:
                return 0
    return 0


def test_a_killed_run_goes_on(tmp_path, capsys):
    folder = write(tmp_path, COUNTING)
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus.cli", *command(folder)], start_new_session=True
    )
    wait_until(lambda: num_stored(folder), "a game is played", process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    assert 0 < num_stored(folder) < 60
    assert not (folder.parent / "out" / "smith-table-1" / "report.md").exists()

    assert run(command(folder)) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert (folder / "smith" / "notes.txt").read_text().split() == ["0", "1", "2", "3", "4"]
    assert run(command(folder, "--fresh")) == 0
    assert json.loads(capsys.readouterr().out) == resumed


def test_a_finished_run_computes_nothing_again(tmp_path):
    folder = write(tmp_path, COUNTING)
    notes = folder / "smith" / "notes.txt"
    for arguments, cells in (((), 5), ((), 5), (("--seed", "1"), 10), (("--fresh",), 15)):
        assert run(command(folder, *arguments)) == 0
        assert len(notes.read_text().split()) == cells


def test_other_settings_of_a_size_are_another_run(tmp_path):
    folder = write(tmp_path, COUNTING)
    assert run(command(folder)) == 0
    toml = folder / "smith" / "table_1.toml"
    toml.write_text(toml.read_text().replace("games = 40", "games = 41"))
    assert run(command(folder)) == 0
    toml.write_text(toml.read_text().replace('cost = "1 s"', 'cost = "9 s"'))
    assert run(command(folder)) == 0
    assert len((folder / "smith" / "notes.txt").read_text().split()) == 10


def test_a_damaged_cell_is_computed_again(tmp_path):
    cells = ResultCache(tmp_path)
    assert cells.get("a b", lambda: (1, 2)) == [1, 2]
    assert cells.get("a b", lambda: 3) == [1, 2]
    (file,) = tmp_path.iterdir()
    for damage in ("", "{", '{"key": "other", "value": 4}', "[]", "\udc80"):
        file.write_bytes(damage.encode("utf-8", "surrogateescape"))
        assert cells.get("a b", lambda: 5) == 5
    file.unlink()
    file.mkdir()
    with pytest.raises(Exception, match="cannot write"):
        cells.get("a b", lambda: 5)


@pytest.fixture
def context(tmp_path):
    published = read_published(write(tmp_path) / "smith" / "table_1.toml", "smith-table-1")
    options = RunOptions(size="quick", jobs=1)
    with Context(published, ResultCache(tmp_path / "cells"), options) as made:
        yield made


def test_matches_count_for_players_and_not_for_sides(context):
    """On three pawns the second side wins if it plays well; playouts do, random does not."""
    strong, weak = "playouts:games=200", "random"
    as_first = context.matches("hexapawn", strong, weak, 20, starter="first")
    as_second = context.matches("hexapawn", strong, weak, 20, starter="second")
    in_turn = context.matches("hexapawn", strong, weak, 21, starter="alternate")
    for tally in (as_first, as_second, in_turn):
        assert tally.wins[0] > tally.wins[1]
        assert sum(tally.counts) == tally.games == sum(tally.reasons.values())
    mirrored = context.matches("hexapawn", weak, strong, 20, starter="first")
    assert mirrored.wins[1] > mirrored.wins[0]
    assert (as_first + as_second).games == 40
    assert (as_first + as_second).wins[0] == as_first.wins[0] + as_second.wins[0]


def test_compiled_matches_count_as_matches_of_the_arena_do(context):
    """Focused beats basic as often in either order."""
    for starter in ("first", "second", "alternate"):
        settings = {"rules": "vrajitoru", "starter": starter}
        players = "nine_mens_morris", "focused", "basic"
        many = context.matches(*players, 20_000, compiled=True, **settings)
        few = context.matches(*players, 60, **settings)
        share = many.wins[0] / many.games
        assert abs(few.wins[0] / 60 - share) < 4 * (share * (1 - share) / 60) ** 0.5
    assert (context.folder("games") / "games.sqlite").is_file()


def test_a_key_makes_another_match(context):
    settings = {"rules": "vrajitoru", "compiled": True, "is_cached": False}
    once = context.matches("nine_mens_morris", "newbie", "basic", 500, **settings)
    assert once == context.matches("nine_mens_morris", "newbie", "basic", 500, **settings)
    other = context.matches("nine_mens_morris", "newbie", "basic", 500, key="b", **settings)
    assert other != once
    assert isinstance(other, MatchTally)


def test_options_of_players_reach_compiled_code(context):
    settings = {"rules": "vrajitoru", "starter": "first", "compiled": True}
    plain = context.matches("nine_mens_morris", "basic", "newbie", 5000, **settings)
    same = context.matches("nine_mens_morris", "basic:taking=any", "newbie", 5000, **settings)
    bold = context.matches("nine_mens_morris", "basic:taking=threat", "newbie", 5000, **settings)
    assert abs(plain.wins[0] - same.wins[0]) < 4 * 50
    assert bold.wins[0] - plain.wins[0] > 4 * 50


def test_a_player_that_breaks_down_stops_the_match(tmp_path):
    """Its game is not even kept: once the player is repaired the match can be played."""
    match = Match("hexapawn", "random", "support.faulty_players:Raises", 10, starter="second")
    with (
        LocalPool(1) as pool,
        pytest.raises(LudusError, match="Raises lost a game by crash: RuntimeError: I give up"),
    ):
        play_in_arena(match, pool, tmp_path, lambda done, total, label: None)
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM game").fetchone() == (0,)
