"""Processes of this machine: cores and threads, and programs that are started and ended."""

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ludus.core.errors import CannotSolve, LudusError
from ludus.core.files import describe_os_error

THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
"""Variable that OpenBLAS, the library behind numpy's products, reads when it is loaded."""


def limit_array_threads() -> None:
    """Limit numpy to one thread in this process, unless the user has set the variable.

    Call it before numpy is imported. Products of small networks are too small to share among
    threads, and on busy cores waiting threads make them many times slower. Distribute positions
    among threads, or games among processes, instead.
    """
    os.environ.setdefault(THREADS_VARIABLE, "1")


@contextmanager
def report_missing_threads(threads: int) -> Iterator[None]:
    """Raise CannotSolve where the system gives fewer threads, or no memory for them.

    Both compiled code and Python's thread pools raise RuntimeError then.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        why = str(error) or "not enough memory"
        raise CannotSolve(
            f"cannot work with {threads} threads: {why}; use fewer threads"
        ) from error


def measure_machine_memory() -> float:
    """Return the bytes of memory of this machine; infinity where the system does not say."""
    if sys.platform == "win32":
        return math.inf
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def count_cores() -> int:
    """Return the number of cores that this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def report_missing_process() -> Iterator[None]:
    """Raise LudusError where the system gives no process, because of a limit or for lack of memory.

    Python raises RuntimeError if there is no thread that could watch the process.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot start a process: {why}; use fewer, or raise the limit") from error


def start_program(command: Sequence[str | Path], **settings: Any) -> "subprocess.Popen[bytes]":
    """Start a program as the leader of a process group, out of reach of Ctrl-C in the terminal."""
    return subprocess.Popen(command, start_new_session=True, **settings)


def signal_program(process: "subprocess.Popen[bytes]", number: int) -> None:
    """Send a signal to the process group that a program leads; it may have ended."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:  # Windows has no groups, and ends programs in one way
            process.kill()


def kill_program(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process group that a program leads, and wait for its exit."""
    if process.returncode is None:
        signal_program(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait()


def describe_exit(code: int) -> str:
    """Return how a process ended, by its exit code."""
    return f"signal {-code}" if code < 0 else f"exit status {code}"


WATCHDOG_SCRIPT = """trap '' INT HUP TERM
read -r word && exit
kill -s TERM -- "-$1"
sleep 1
kill -s KILL -- "-$1"
"""
"""Waits for a line on standard input; if the parent dies without sending it, kills the program's
process group."""


def start_watchdog(program: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
    """Start a shell that ends a program with its children if this process dies.

    Workers need none, since they notice the end of their input. A line dismisses the shell.
    """
    return start_program(
        ["/bin/sh", "-c", WATCHDOG_SCRIPT, "guard", str(program.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
