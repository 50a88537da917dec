"""Scripts without `if __name__ == "__main__"`: files, standard input, arguments of Python."""

import subprocess
import sys

import pytest

from support.engines import wait_until_gone
from support.waiting import PATIENCE

SCRIPT = """
import ludus
for jobs in (1, 2):
    print(ludus.regret("hexapawn", "random", games=10, jobs=jobs).title)
    found = ludus.tournament("hexapawn", ["random", "playouts:games=4"], games=6, jobs=jobs)
    print(found.ranking, found.standings.reasons.total())
    print(repr(ludus.match("hexapawn", "playouts:games=4", "random", games=8, jobs=jobs)))
print(ludus.regret("hexapawn", "random", games=10).title)
"""

OWN_CLASSES = """
import ludus
from ludus.games.hexapawn import Hexapawn

class First(ludus.Player):
    title = "plays the first legal move"
    def choose(self, position, limit=ludus.Limit()):
        return ludus.Choice(position.legal_moves()[0])

class Pawns(Hexapawn):
    id = "pawns"

ludus.PLAYERS.add("mine", "__main__:First")
ludus.GAMES.add("pawns", "__main__:Pawns")
ludus.PLAYERS.add("chance", "ludus.players.random_play:RandomPlayer")
hexapawn = ludus.game("hexapawn")
for player in (First(hexapawn, spec="an object"), "mine", "__main__:First"):
    print(ludus.regret(hexapawn, player, games=4).mean)
print(ludus.regret("pawns", "perfect", games=4, jobs=2).mean)
print(ludus.match("hexapawn", "mine", "perfect", games=4, jobs=2).wins)
print(ludus.tournament("hexapawn", ["mine", "perfect"], games=4, jobs=2).ranking)
print(ludus.match("hexapawn", "chance", "perfect", games=4, jobs=2).wins)
print(ludus.tournament("hexapawn", ["chance", "perfect"], games=4, jobs=2).ranking)
"""

TASKS = """
import os
from ludus.core.executors import LocalProcesses

def get_own(number):
    return os.getpid()

here = os.getpid()
with LocalProcesses(2) as processes:
    print({*processes.map(get_own, range(3))} == {here})  # of this script
    print({*processes.map(lambda number: os.getpid(), range(3))} == {here})
    print(here in {*processes.map(os.getpgid, [0])})  # of a module
    print(*processes.map(abs, [-1, -2, -3]))
"""

KILLED = """
import os, signal
from ludus.core.workers import Worker
import time

worker, idle = Worker(), Worker()
future = worker.ask(time.sleep, 1000)
idle.ask(abs, -1).result()
print(worker.pid, idle.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def run_script(text, how, folder):
    file = folder / "script.py"
    file.write_text(text)
    command = {
        "file": [file],
        "input": ["-"],
        "argument": ["-c", text],
        "isolated": ["-P", "-c", text],
    }[how]
    done = subprocess.run(
        [sys.executable, *command],
        input=text if how == "input" else None,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", ["file", "input", "argument"])
def test_a_script_need_not_guard_its_code(tmp_path, how):
    lines = run_script(SCRIPT, how, tmp_path)
    alone, together = lines[:3], lines[3:6]
    assert alone == together
    assert lines[6] == alone[0]
    assert alone[0].startswith("mean regret of a game ")
    assert alone[1] == "['playouts:games=4', 'random'] 6"


@pytest.mark.parametrize("how", ["file", "argument"])
def test_classes_and_names_of_a_script(tmp_path, how):
    """Classes of the script play in its process; names that it registers are known in others."""
    lines = run_script(OWN_CLASSES, how, tmp_path)
    assert len({*lines[:3]}) == 1
    assert float(lines[0]) > 0
    assert lines[3:] == ["0.0", "(0, 2)", "['perfect', 'mine']", lines[6], "['perfect', 'chance']"]


def test_files_beside_a_script_do_not_hide_modules_of_python(tmp_path):
    (tmp_path / "json.py").write_text("raise RuntimeError('not the one of Python')")
    assert run_script(TASKS, "isolated", tmp_path) == ["True", "True", "False", "1 2 3"]


def test_functions_of_a_script_are_run_in_its_process(tmp_path):
    assert run_script(TASKS, "file", tmp_path) == ["True", "True", "False", "1 2 3"]


def test_workers_end_with_a_killed_script():
    done = subprocess.run(
        [sys.executable, "-c", KILLED],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-9, "")
    wait_until_gone([int(number) for number in done.stdout.split()])
