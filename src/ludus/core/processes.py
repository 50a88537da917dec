"""Cores and threads of this process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ludus.core.errors import CannotSolve

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


def count_cores() -> int:
    """Return the number of cores that this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
