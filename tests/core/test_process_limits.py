"""A system that gives no more processes or threads: one line, and nothing waits for ever."""

import subprocess
import sys

import pytest

from support.waiting import PATIENCE

CANNOT_LOWER = 77

PROGRAM = f"""
import contextlib, io, os, resource, sys
import concurrent.futures.thread
from ludus.arena.executors import LocalPool
from ludus.core.executors import LocalProcesses
from ludus.arena.jobs import GameConditions
from ludus.arena.tournament import Tournament
from ludus.cli.main import run
from ludus.core.errors import LudusError

SOLVE = ["solve", "nine_mens_morris", "--max-men", "3", "--threads"]

def try_to(work):
    try:
        work()
    except LudusError as error:
        print(error)

def main():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert run([*SOLVE, "1"]) == 0  # imports all modules, which another user may not read
        assert run(["perft", "hexapawn", "2"]) == 0
    try:
        if os.getuid() == 0:  # to whom the limit does not apply
            os.setgroups([])
            os.setresuid(65534, 65534, 65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    except OSError:
        sys.exit({CANNOT_LOWER})
    sys.stderr = sys.stdout
    for arguments in ([*SOLVE, "16"], ["perft", "hexapawn", "2"]):
        assert run(arguments) == 2
    plan = Tournament(GameConditions("hexapawn"), ("random", "playouts"), games=2)
    with LocalPool(2) as pool:
        try_to(lambda: list(pool.run(plan.schedule())))
    with LocalProcesses(2) as processes:
        try_to(lambda: list(processes.map(len, ["x"])))

if __name__ == "__main__":
    main()
"""


def test_no_threads_and_no_processes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode == CANNOT_LOWER:
        pytest.skip("this machine gives no user without rights")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "ludus: cannot work with 16 threads: only 1 of 16 threads could be started; "
        "use fewer threads",
        "ludus: cannot start a thread: can't start new thread",
        *["cannot start a process: Resource temporarily unavailable; use fewer, or raise the limit"]
        * 2,
    ]
