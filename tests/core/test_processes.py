"""Threads and processes: how many there are, and a system that gives no more of them."""

import os
import subprocess
import sys

import pytest

from support.waiting import PATIENCE

PROGRAM = """
import sys
import ludus.arena.executors, ludus.web.worker
assert "numpy" not in sys.modules, "it would be too late to say how many threads it may use"
from ludus.core.processes import limit_array_threads
limit_array_threads()
import os
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


def read_thread_limit(**environment):
    base = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**base, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout.strip()


def test_one_thread_unless_the_user_says_otherwise():
    assert read_thread_limit() == "1"
    assert read_thread_limit(OPENBLAS_NUM_THREADS="4") == "4"


def test_a_process_confined_to_one_core_counts_one():
    # Containers and batch systems give a process fewer cores than the machine has.
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from ludus.core.processes import count_cores; print(count_cores())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


CANNOT_LOWER = 77

LIMITED = f"""
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
    """One line, and nothing waits for ever."""
    program = tmp_path / "program.py"
    program.write_text(LIMITED)
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
