"""Small plans that are carried out in seconds."""

import subprocess
import sys
from pathlib import Path

from ludus.core.executors import LocalProcesses
from ludus.datasets.generation import GenerationResult, GenerationRun
from ludus.datasets.generator import GenerationPlan

TEACHER = "negascout:nodes=150"
OPPONENTS = ("random", "newbie", "negascout:level=3", TEACHER)
PLAN = GenerationPlan("nine_mens_morris", TEACHER, OPPONENTS, 300, options="advantage=1", seed=5)
COMMAND = (sys.executable, "-m", "ludus.cli", "dataset", "generate", "nine_mens_morris")


def carried_out(plan: GenerationPlan, out: Path, num_workers: int = 2) -> GenerationResult:
    run = GenerationRun(plan, out, LocalProcesses(num_workers))
    for _ in run.run():
        pass
    return run.result


def begin(out: Path, num_workers: int) -> "subprocess.Popen[bytes]":
    """Start a plan as a process."""
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
