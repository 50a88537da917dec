"""Running the program: within the test, or as a process of its own."""

import os
import subprocess
import sys
from typing import NamedTuple

from support.waiting import PATIENCE

PROGRAM = (sys.executable, "-m", "ludus.cli")


class Result(NamedTuple):
    """Result of a command line."""

    status: int
    out: str
    err: str


def process(*arguments: str | bytes, text: str = "", **environment: str) -> Result:
    """Run a command line as a process that reads this text."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=text.encode(),
        capture_output=True,
        env={**os.environ, **environment},
        timeout=PATIENCE,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
