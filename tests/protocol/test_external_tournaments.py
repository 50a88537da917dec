"""Engines in tournaments: a fault costs the game, the reason is kept, and others play on."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions
from ludus.arena.report import compute_standings
from ludus.arena.tournament import Tournament
from ludus.core.player import Limit
from support.engines import faulty_engine, ludus_engine, numbers, wait_until_gone
from support.waiting import PATIENCE

FAULTS = {
    "dies": "ended: exit status 3; its last words: 'segfault, sort of'",
    "hangs": "gave no answer in time and was ended",
    "floods": "gave no answer in time and was ended",
    "illegal": "answered 'b1-b3'",
    "dies_at_uci": "ended: exit status 3",
}


def test_faulty_engines_lose_and_the_tournament_goes_on(tmp_path):
    """Four processes of our own, a player within Ludus, and one engine for each fault."""
    file = tmp_path / "n"
    good = ludus_engine("hexapawn", "perfect")
    bad = {
        fault: faulty_engine(fault, file, patience=0.3 if "in time" in message else 60)
        for fault, message in FAULTS.items()
    }
    conditions = GameConditions("hexapawn", limit=Limit(time=0.2), grace=100.0)
    plan = Tournament(conditions, (good, "random", *bad.values()), games=2, format="gauntlet")
    with LocalPool(2) as pool:
        results = list(pool.run(plan.schedule()))
    found = compute_standings(plan, results)
    for fault, spec in bad.items():
        own = [result for result in results if result.key.second == spec]
        assert [result.winner for result in own] == [0, 0]
        assert {result.reason for result in own} == {"crash"}, fault
        assert all(FAULTS[fault] in result.message for result in own), own
        assert all(result.message.startswith("ProgramFailed: ") for result in own)
        assert found.lines[spec].faults == {"crash": 2}
    assert not found.lines[good].faults
    assert not found.lines["random"].faults
    wait_until_gone(numbers(file))


def test_engines_end_when_the_arena_kills_a_process(tmp_path):
    """More patience than the arena has: it kills the process that waits for the engine."""
    file = tmp_path / "n"
    bad = faulty_engine("hangs", file, patience=600)
    conditions = GameConditions("hexapawn", limit=Limit(time=0.05), grace=0.1)
    plan = Tournament(conditions, (bad, "random"), games=1)
    with LocalPool(1) as pool:
        (result,) = pool.run(plan.schedule())
    assert (result.winner, result.reason) == (1, "timeout")
    wait_until_gone(numbers(file))


def test_a_tournament_file_with_engines(tmp_path):
    """From the command line, with commas, quotes and equals signs in the command."""
    file = tmp_path / "n, o = p"
    good = ludus_engine("hexapawn", "playouts:games=20,threads=1", options="Seed=3")
    bad = faulty_engine("dies", f"'{file}'".replace(",", "%2C"))
    players = json.dumps([good, bad, "random"])
    plan = tmp_path / "league.toml"
    plan.write_text(f'game = "hexapawn"\nplayers = {players}\ngames = 2\n[limit]\ntime = 1\n')
    done = subprocess.run(
        [sys.executable, "-m", "ludus.cli", "tournament", str(plan), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with closing(sqlite3.connect(tmp_path / "league.sqlite")) as store, store:
        rows = store.execute("SELECT first, second, winner, reason, message FROM game").fetchall()
    store.close()
    assert len(rows) == 6
    for first, second, winner, reason, message in rows:
        if bad in (first, second):
            assert (winner, reason) == (int(first == bad), "crash")
            assert "its last words: 'segfault, sort of'" in message
        else:
            assert reason not in ("crash", "timeout", "illegal")
    assert len(numbers(file)) == 4
    wait_until_gone(numbers(file))
