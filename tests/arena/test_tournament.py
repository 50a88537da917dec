"""Schedules, reproducibility, and tournaments that are stopped and go on."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions, GameResult, JobKey, StartPositions
from ludus.arena.report import compute_standings
from ludus.arena.result_store import BadStore, ResultStore
from ludus.arena.tournament import Tournament, read_tournament
from ludus.core.errors import LudusError
from ludus.core.player import Limit
from ludus.games import game
from support.paths import ROOT
from support.waiting import PATIENCE, wait_until

PLAYERS = ("random", "playouts:games=4", "playouts:games=9")
PLAN = Tournament(GameConditions("hexapawn"), PLAYERS, games=8, seed=5)


def _play(plan, num_workers):
    with LocalPool(num_workers) as pool:
        return {result.key: replace(result, seconds=0.0) for result in pool.run(plan.schedule())}


def test_results_do_not_depend_on_how_the_work_is_shared():
    alone, together = _play(PLAN, 1), _play(PLAN, 3)
    assert alone == together
    assert len({result.record for result in alone.values()}) > PLAN.games


def test_adding_players_and_games_keeps_the_games_that_were_played():
    larger = replace(PLAN, players=(*PLAYERS, "perfect"), games=10)
    assert larger.id == PLAN.id
    assert set(PLAN.schedule()) < set(larger.schedule())


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 6},
        {"starter": "fixed"},
        {"starts": StartPositions(random_plies=1)},
        {"conditions": GameConditions("hexapawn", "four")},
        {"conditions": GameConditions("hexapawn", max_plies=7)},
        {"conditions": GameConditions("hexapawn", grace=0.1)},
    ],
)
def test_other_settings_are_another_tournament(change):
    assert replace(PLAN, **change).id != PLAN.id


def test_who_meets_whom_and_who_begins():
    jobs = list(PLAN.schedule())
    assert len(jobs) == PLAN.num_games == 3 * 8
    assert set(Counter((job.key[1:3], job.players[0]) for job in jobs).values()) == {8 / 2}
    fixed = replace(PLAN, starter="fixed").schedule()
    assert all(job.players[0] == job.key.first for job in fixed)
    gauntlet = replace(PLAN, format="gauntlet")
    assert {job.key[1:3] for job in gauntlet.schedule()} == {
        ("random", "playouts:games=4"),
        ("random", "playouts:games=9"),
    }


def test_starts_are_played_from_both_sides_and_by_all_pairs():
    plan = replace(
        PLAN, conditions=GameConditions("nine_mens_morris"), starts=StartPositions(random_plies=7)
    )
    by_number = {}
    for job in plan.schedule():
        by_number.setdefault(job.key.number // 2, set()).add(job.start)
    assert all(len(starts) == 1 for starts in by_number.values())
    starts = {start for starts in by_number.values() for start in starts}
    assert len(starts) == 4
    for start in starts:
        position = game("nine_mens_morris").parse(start)
        assert position.mover == 1
        assert sum(position.hands) == 18 - 7


def test_the_first_player_begins_wherever_the_game_does():
    fixed = replace(PLAN, starter="fixed", starts=StartPositions(random_plies=1))
    for job in fixed.schedule():
        assert game("hexapawn").parse(job.start).mover == 1
        assert job.players[1] == job.key.first


def test_random_starts_of_a_game_with_dice():
    plan = Tournament(
        GameConditions("backgammon:hyper"),
        ("random", "first"),
        2,
        starts=StartPositions(random_plies=3),
    )
    (start,) = {job.start for job in plan.schedule()}
    assert game("backgammon:hyper").parse(start).mover in (0, 1)


def test_plies_that_no_game_lasts():
    with pytest.raises(LudusError, match="over before 100 random plies"):
        list(replace(PLAN, starts=StartPositions(random_plies=100)).schedule())


def test_the_example_of_the_documentation(tmp_path):
    text = (ROOT / "docs" / "tournaments.md").read_text()
    (example,) = re.findall("```toml\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "t.toml"
    file.write_text(example)
    plan = read_tournament(file)
    assert plan.players == ("random", "playouts:games=200", "perfect:fallback=search")
    assert plan.conditions.limit == Limit(time=1.0, nodes=20000, depth=8)
    assert plan.starts == StartPositions(random_plies=6)
    (tmp_path / "openings.txt").write_text("start\n")
    other = example.replace("random_plies = 6", "").replace("# file =", "file =")
    file.write_text(other)
    assert read_tournament(file).starts == StartPositions((str(game("nine_mens_morris").start()),))


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ('game = "strangers_module:Game"\nplayers = ["random", "perfect"]', "game"),
        ('game = "hexapawn"\nplayers = ["random", "strangers_module:Player"]', "player"),
        ('game = "hexapawn"\nplayers = ["random", "strangers_module:player"]', "player"),
    ],
)
def test_a_file_has_no_module_imported(tmp_path, monkeypatch, names, kind):
    (tmp_path / "strangers_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "t.toml"
    file.write_text(names)
    message = f"no file may have it imported|there is no {kind} 'strangers_module'"
    with pytest.raises(LudusError, match=message):
        read_tournament(file)
    if kind == "player":
        assert len(read_tournament(file, builds_players=False).players) == 2


def test_modules_that_are_named_beside_the_file(tmp_path):
    file = tmp_path / "t.toml"
    file.write_text('game = "hexapawn"\nplayers = ["random", "support.faulty_players:Raises"]')
    found = read_tournament(file, modules=["support.faulty_players"])
    assert found.players[1] == "support.faulty_players:Raises"
    with pytest.raises(LudusError, match=r"--module support\.faulty_players allows it"):
        read_tournament(file, modules=["support"])


def _result(number=0, winner=0):
    key = JobKey(PLAN.id, "random", "playouts:games=4", number)
    return GameResult(key, winner, "men", "", 3, 0.1, "*")


def test_a_game_is_stored_once(tmp_path):
    with ResultStore(tmp_path / "s") as store, ResultStore(tmp_path / "s") as other:
        store.begin(PLAN)
        other.begin(PLAN)
        assert store.add(_result())
        assert not store.add(_result(winner=1))
        assert not other.add(_result(winner=1))
        assert other.add(_result(number=1, winner=None))
        found = list(store.results(PLAN.id))
    assert found == [_result(), _result(number=1, winner=None)]


def test_only_scheduled_games_count():
    results = [
        _result(),
        _result(number=PLAN.games),
        replace(_result(), key=JobKey("", "a", "b", 0)),
    ]
    assert compute_standings(PLAN, results).games == 1


def test_files_of_others_are_left_alone(tmp_path):
    text, foreign = tmp_path / "text", tmp_path / "foreign"
    text.write_text("This is no database, and it is long enough to be read as one. " * 20)
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE mine (x)")
    for path in (text, foreign, tmp_path, tmp_path / "nowhere" / "s"):
        with pytest.raises(BadStore):
            ResultStore(path)
    with closing(sqlite3.connect(foreign)) as connection, connection:
        assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["mine"]


SLOW = """
game = "hexapawn"
players = ["random", "playouts:games=40", "playouts:games=30"]
games = {games}
seed = 3
"""
FEW, MANY = 10, 10_000
"""Games of each pair: in a whole run, and in one that is stopped before its end."""


def _command(file, out, jobs="2"):
    options = ("--out", str(out), "--jobs", jobs, "--json")
    return [sys.executable, "-m", "ludus.cli", "tournament", str(file), *options]


def _games(out):
    if not out.exists():
        return {}
    with (
        closing(sqlite3.connect(f"file:{out}?mode=ro", uri=True, timeout=30)) as connection,
        connection,
    ):
        try:
            rows = connection.execute("SELECT first, second, number, winner, record FROM game")
            return {row[:3]: row[3:] for row in rows}
        except sqlite3.OperationalError:  # the file is there, its tables not yet
            return {}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the output and the games of an uninterrupted run in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file, out = folder / "t.toml", folder / "results"
    file.write_text(SLOW.format(games=FEW))
    done = subprocess.run(
        _command(file, out, "1"), capture_output=True, timeout=PATIENCE, check=True
    )
    return json.loads(done.stdout), _games(out)


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_stopped_tournament_goes_on_and_ends_with_the_same_totals(tmp_path, how, undisturbed):
    file, out = tmp_path / "t.toml", tmp_path / "stopped"
    file.write_text(SLOW.format(games=MANY))
    stopped = subprocess.Popen(_command(file, out), stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(_games(out)) >= 5, "five games are played", stopped)
    stopped.send_signal(how)
    _, complaint = stopped.communicate(timeout=PATIENCE)
    before = _games(out)
    assert 5 <= len(before) < 3 * MANY
    if how == signal.SIGINT:
        assert stopped.returncode == 130
        left = f"{3 * MANY - len(before)} games are left"
        assert complaint == f"ludus: {left}; run the same command to resume\n"
    # The same tournament with fewer games: what was played of them is not played again.
    file.write_text(SLOW.format(games=FEW))
    done = subprocess.run(_command(file, out), capture_output=True, timeout=PATIENCE, check=True)
    report, games = undisturbed
    resumed = before.keys() & games.keys()
    assert json.loads(done.stdout) == {**report, "resumed": len(resumed)}
    assert report["games"] == len(games) == 3 * FEW
    found = _games(out)
    assert found.keys() == games.keys() | before.keys()
    assert games.items() <= found.items()
    assert before.items() <= found.items()
