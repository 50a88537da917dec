"""Settings of worker processes: signals, output, and the threads of array libraries."""

import os
import signal

THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
"""Variable that OpenBLAS, the library behind numpy's products, reads when it is loaded."""


def limit_array_threads() -> None:
    """Limit numpy to one thread in this process, unless the user has set the variable.

    Call it before numpy is imported. Products of small networks are too small to share among
    threads, and on busy cores waiting threads make them many times slower. Distribute positions
    among threads, or games among processes, instead.
    """
    os.environ.setdefault(THREADS_VARIABLE, "1")


def prepare_worker() -> None:
    """Set up a worker process; call it first there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    os.dup2(2, 1)  # output of players must not get into the output of a command
    limit_array_threads()
