"""How many threads arrays may use."""

import os

ARRAYS = "OPENBLAS_NUM_THREADS"
"""What the library behind numpy's products looks at when it is loaded."""


def one_thread_for_arrays() -> None:
    """Let numpy use one thread in this process, unless the user has said otherwise.

    To be called before numpy is imported. The products of small networks are not worth sharing,
    and on busy cores threads that wait for each other make them many times slower. Whoever has
    much to do shares positions among threads, or games among processes.
    """
    os.environ.setdefault(ARRAYS, "1")
