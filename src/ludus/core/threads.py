"""Many processes side by side: each has one core, and its arrays must not want more."""

import os

_NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def one_thread_for_arrays() -> None:
    """Let numpy use one thread in this process, unless the user has said otherwise.

    To be called before numpy is imported. Threads that wait for each other on busy cores make
    small products many times slower.
    """
    for name in _NAMES:
        os.environ.setdefault(name, "1")
