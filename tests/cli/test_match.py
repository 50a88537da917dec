"""Matches: limits, processes, interruptions, and what is said about compiled games."""

import json
import signal
import subprocess

from ludus.cli import match
from support.command_line import PROGRAM
from support.waiting import PATIENCE, wait_until

ARGUMENTS = ("match", "hexapawn", "playouts:games=5", "random", "--games", "9", "--seed", "4")


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
    assert "depth 1" in file.read_text()
    assert ludus(*searching, "--nodes", "0").status == 2
    assert ludus(*searching, "--time", "0").status == 2


def test_limits_are_not_for_compiled_games(ludus):
    compiled = ("match", "nine_mens_morris", "newbie", "basic", "--games", "4", "--json")
    assert json.loads(ludus(*compiled).out)["compiled"] is True
    assert json.loads(ludus(*compiled, "--depth", "3").out)["compiled"] is False
    assert "--record play other games with this seed" in ludus(*compiled[:-1]).out


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
    from ludus.reproduce import matches

    play, calls = matches.play_compiled_games, []

    def interrupt(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(matches, "play_compiled_games", interrupt)
    monkeypatch.setattr(match, "GAMES_PER_CALL", 10)
    result = ludus("match", "nine_mens_morris", "newbie", "basic", "--games", "100", "--json")
    assert result.status == 130
    assert json.loads(result.out)["games"] == 20
    assert [sides for _, sides, *_ in calls[:2]] == [("newbie", "basic"), ("basic", "newbie")]
