"""Engines end with the process that started them, however it ends; and they play tournaments."""

import gc
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import ludus
from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions
from ludus.arena.report import compute_standings
from ludus.arena.tournament import Tournament
from ludus.core.player import Limit
from support.engines import (
    children,
    faulty_engine,
    is_there,
    ludus_engine,
    numbers,
    wait_until_gone,
)
from support.waiting import PATIENCE, wait_until

HEXAPAWN = ludus.game("hexapawn")


def begun(file, fault="stubborn"):
    """A player whose engine, and the child of its engine, are at work."""
    player = ludus.player(faulty_engine(fault, file, time=60), HEXAPAWN)
    player.start_game(1)
    return player


def test_close_ends_the_engine_and_its_children(tmp_path):
    before = children()
    player = begun(tmp_path / "n")
    assert all(map(is_there, numbers(tmp_path / "n")))
    player.close()
    assert children() == before
    wait_until_gone(numbers(tmp_path / "n"))
    player.close()


def test_a_player_that_nobody_needs_ends_its_engine(tmp_path):
    player = begun(tmp_path / "n")
    del player
    gc.collect()
    wait_until_gone(numbers(tmp_path / "n"))


def test_a_polite_engine_gets_quit(tmp_path):
    """It ends by itself: `end` says so."""
    player = begun(tmp_path / "n", "plays")
    assert player._process.end() == "exit status 0"


SCRIPT = """
import os, signal, sys, time
import ludus
spec, file, end = sys.argv[1:]
game = ludus.game("hexapawn")
player = ludus.player(spec, game)
player.start_game(1)
print("begun", flush=True)
if end == "choose":
    player.choose(game.start())
elif end == "error":
    raise SystemExit(3)
elif end == "_exit":
    os._exit(4)
elif end == "fork" and os.fork() == 0:
    sys.exit()  # the copy owns nothing and ends nothing
elif end == "fork":
    os.wait()
    print(player.choose(game.start()).move, flush=True)
elif end == "wait":
    time.sleep(1000)
"""


def process(file, end, fault="stubborn"):
    command = [sys.executable, "-c", SCRIPT, faulty_engine(fault, file, time=600), str(file), end]
    # The answers go to files, so that nobody waits for processes that outlive the first one.
    with Path(f"{file}.out").open("wb") as out, Path(f"{file}.err").open("wb") as err:
        return subprocess.Popen(command, stdout=out, stderr=err)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("error", marks=pytest.mark.slow),
        "_exit",
        "fork",
    ],
)
def test_the_engine_ends_when_its_process_does(tmp_path, end):
    file = tmp_path / "n"
    status = process(file, end).wait(PATIENCE)
    assert status == {"": 0, "error": 3, "_exit": 4, "fork": 0}[end]
    assert Path(f"{file}.err").read_text() == ""
    output = Path(f"{file}.out").read_text().split()
    assert output == ["begun", "b1-b2"] if end == "fork" else ["begun"]
    wait_until_gone(numbers(file))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_engine_ends_when_its_process_is_stopped(tmp_path, number):
    file = tmp_path / "n"
    running = process(file, "wait")
    wait_until(Path(f"{file}.out").read_text, "the engine has begun", running)
    os.kill(running.pid, number)
    running.wait(PATIENCE)
    wait_until_gone(numbers(file))


def test_ctrl_c_while_it_thinks(tmp_path):
    file = tmp_path / "n"
    running = process(file, "choose", "hangs")
    wait_until(Path(f"{file}.out").read_text, "the engine has begun", running)
    os.kill(running.pid, signal.SIGINT)
    assert running.wait(PATIENCE) == -signal.SIGINT
    assert "KeyboardInterrupt" in Path(f"{file}.err").read_text()
    wait_until_gone(numbers(file))


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
