"""Arrays keep to one core where many processes work side by side."""

import os
import subprocess
import sys

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
