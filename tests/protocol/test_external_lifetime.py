"""Engines end with the process that started them, however it ends."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ludus
from support.engines import children, faulty_engine, is_there, numbers, wait_until_gone
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
