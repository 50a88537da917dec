"""Small plans that are carried out in seconds."""

import subprocess
import sys
from pathlib import Path

from ludus.datasets.generation import Generated, Generation
from ludus.datasets.plan import Plan

TEACHER = "negascout:nodes=150"
OPPONENTS = ("random", "newbie", "negascout:level=3", TEACHER)
PLAN = Plan("nine_mens_morris", TEACHER, OPPONENTS, 300, options="advantage=1", seed=5)
COMMAND = (sys.executable, "-m", "ludus.cli", "dataset", "generate", "nine_mens_morris")


def carried_out(plan: Plan, out: Path, num_workers: int = 2) -> Generated:
    run = Generation(plan, out, num_workers)
    for _ in run.run():
        pass
    return run.result


def begin(out: Path, num_workers: int) -> "subprocess.Popen[bytes]":
    """The same plan as a process."""
    return subprocess.Popen(
        [
            *COMMAND,
            *("--teacher", TEACHER, "--opponents", ",".join(OPPONENTS)),
            *("--states", str(PLAN.states), "--options", PLAN.options, "--seed", str(PLAN.seed)),
            *("--jobs", str(num_workers), "--out", str(out)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
