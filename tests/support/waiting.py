"""Waiting for other processes, with time limits that suit a busy machine."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

PATIENCE = 120.0
"""Seconds after which something is taken not to happen. Alone it takes a second or two; a machine
that does much else at the same time may need many times as long. Less than the limit of a test."""

SECONDS_AT_WORK = 0.3
PAUSE = 0.05


def wait_until(
    condition: Callable[[], object],
    what: str,
    process: Popen[Any] | None = None,
    pause: float = 0.02,
) -> None:
    """Wait until the condition holds; fail after PATIENCE or when the process has ended."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        is_over = process is not None and process.poll() is not None
        # What it did last may have made the condition hold.
        assert not is_over or condition(), f"ended with status {process.returncode} before {what}"
        assert time.monotonic() < deadline, f"not within {PATIENCE:.0f} s: {what}"
        time.sleep(pause)


def wait_until_at_work(process: Popen[Any], module: str, caught: int) -> None:
    """Wait until a program has loaded a module, handles a signal, and computes or reads input.

    Measured in its own processor time, so that the load of the machine does not matter.
    """
    folder = Path(f"/proc/{process.pid}")

    def is_ready() -> bool:
        try:
            status, loaded = (folder / "status").read_text(), (folder / "maps").read_text()
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            return False
        is_caught = int(status.partition("SigCgt:")[2].split()[0], 16) & 1 << caught - 1
        return bool(is_caught and f"/{module}." in loaded)

    wait_until(is_ready, f"{module} is loaded", process)
    began, idle = _spent(folder)[1], 0

    def is_at_work() -> bool:
        nonlocal idle
        state, spent = _spent(folder)
        idle = idle + 1 if state == "S" else 0
        return spent - began > SECONDS_AT_WORK or idle * PAUSE > SECONDS_AT_WORK

    wait_until(is_at_work, "it works", process, PAUSE)


def wait_until_asleep(process: Popen[Any]) -> None:
    """Wait until a program is idle, for instance waiting for a key.

    A prompt on the screen does not tell that: the program may not be reading yet, and a signal that
    comes in this moment is noticed with the next key only.
    """
    folder, idle = Path(f"/proc/{process.pid}"), 0

    def is_asleep() -> bool:
        nonlocal idle
        idle = idle + 1 if _spent(folder)[0] == "S" else 0
        return idle * PAUSE > SECONDS_AT_WORK

    wait_until(is_asleep, "it sleeps", process, PAUSE)


def _spent(folder: Path) -> tuple[str, float]:
    """The state of a process, as `man 5 proc` has it, and the seconds it has computed."""
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):  # it has ended, which is noticed elsewhere
        return "X", 0.0
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
