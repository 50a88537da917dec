"""A fault of a player loses one game and no other, and its message is stored."""

import os
import re
import subprocess
import sys

import pytest

from ludus.arena import executors
from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions
from ludus.arena.report import compute_standings
from ludus.arena.tournament import Tournament
from ludus.core.errors import LudusError
from ludus.core.player import Limit
from ludus.core.record import Record
from ludus.games import game
from support import faulty_players
from support.paths import python_path
from support.waiting import PATIENCE


def _results(*players, conditions=None, **more):
    faulty_players.register()
    plan = Tournament(conditions or GameConditions("hexapawn"), players, **more)
    with LocalPool(2) as pool:
        results = list(pool.run(plan.schedule()))
    assert {result.key for result in results} == {job.key for job in plan.schedule()}
    assert len(results) == plan.num_games
    return plan, results


FAULTS = [
    ("raises", "crash", "RuntimeError: I give up"),
    ("quits", "crash", "SystemExit: 5"),
    ("raises_later", "crash", "ZeroDivisionError: integer division or modulo by zero"),
    ("cannot_begin", "crash", "OSError: no network"),
    ("cannot_be_made", "crash", "ValueError: no weights"),
    ("says_nothing", "crash", "TypeError: None is not a Choice"),
    ("cheats", "illegal", "played a9"),
    ("dies", "crash", "the process ended with exit status 3, thinking about B"),
    ("is_killed", "crash", "the process ended with signal 9, thinking about B"),
]


def test_faults_lose_games_and_the_tournament_goes_on():
    """The faulty ones meet a player without fault, on both sides, in one tournament."""
    names = [name for name, _, _ in FAULTS]
    plan, results = _results("first", *names, games=2, format="gauntlet")
    found = compute_standings(plan, results)
    for name, reason, message in FAULTS:
        own = [result for result in results if result.key.second == name]
        assert [result.winner for result in own] == [0, 0], name
        assert {result.reason for result in own} == {reason}
        assert all(result.message.startswith(message) for result in own)
        assert found.lines[name].faults == {reason: 2}
    assert found.lines["first"].wins == 2 * len(FAULTS)
    assert not found.lines["first"].faults


def test_records_of_lost_games_can_be_replayed():
    _, results = _results("first", "raises_later", "cheats", "dies", "babbles", games=2)
    for result in results:
        record = Record.parse(result.record)
        assert record.replay(game("hexapawn"))
        assert record.headers["Reason"] == result.reason
        assert record.headers.get("Message", "") == result.message
        assert len(record.line.moves) == result.plies
    later = [result for result in results if result.key[1:3] == ("first", "raises_later")]
    assert sorted(result.plies for result in later) == [2, 3]


PRINTING = """
from support import faulty_players
from ludus.arena.jobs import GameConditions
from ludus.arena.executors import LocalPool
from ludus.arena.tournament import Tournament
faulty_players.register()
plan = Tournament(GameConditions("hexapawn"), ("babbles", "first"), games=2)
with LocalPool(1) as pool:
    print(len(list(pool.run(plan.schedule()))))
"""


def test_what_players_print_stays_out_of_the_output():
    environment = {**os.environ, "PYTHONPATH": python_path()}
    command = [sys.executable, "-c", PRINTING]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=True
    )
    assert done.stdout == "2\n"
    assert "hello" in done.stderr


@pytest.mark.parametrize(
    ("players", "patience", "message"),
    [
        # On a busy machine who dawdles takes any time, and is not to be taken for one that hangs.
        (("dawdles", "hangs"), PATIENCE, r"took ([0-9.]+) s"),
        (("hangs", "dawdles"), 0.15, r"was stopped after ([0-9.]+) s"),
    ],
)
def test_too_slow_is_lost_and_a_hanging_process_is_stopped(monkeypatch, players, patience, message):
    """The side that is to move first loses before the other one is asked."""
    monkeypatch.setattr(executors, "KILL_AFTER_SECONDS", patience)
    conditions = GameConditions("hexapawn", limit=Limit(time=0.05), grace=0.1)
    plan, [result] = _results(*players, conditions=conditions, games=1)
    assert (result.winner, result.reason) == (1, "timeout")
    [(name, output)] = compute_standings(plan, [result]).messages.keys()
    taken = re.match(message, output)
    assert name == players[0]
    assert taken, output
    assert float(taken[1]) >= 0.3


def test_the_grace_is_granted():
    conditions = GameConditions("hexapawn", limit=Limit(time=0.05), grace=60.0)
    _, results = _results("dawdles", "first", conditions=conditions, games=1)
    assert results[0].reason not in ("timeout", "crash")


def test_processes_that_never_play_are_not_started_for_ever(monkeypatch):
    monkeypatch.setattr(executors, "play_in_worker", faulty_players.die)
    plan = Tournament(GameConditions("hexapawn"), ("random", "perfect"), games=1)
    with LocalPool(1) as pool, pytest.raises(LudusError, match="task 0 die"):
        list(pool.run(plan.schedule()))


@pytest.mark.parametrize("side", [0, 1])
def test_a_crash_belongs_to_the_player_and_not_to_the_side(side):
    players = ("dies", "first") if side == 0 else ("first", "dies")
    _, results = _results(*players, games=4)
    assert [result.winner for result in results] == [1 - side] * 4
