"""Settings of worker processes: the number of threads of array libraries."""

import os

THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
"""Variable that OpenBLAS, the library behind numpy's products, reads when it is loaded."""


def limit_array_threads() -> None:
    """Limit numpy to one thread in this process, unless the user has set the variable.

    Call it before numpy is imported. Products of small networks are too small to share among
    threads, and on busy cores waiting threads make them many times slower. Distribute positions
    among threads, or games among processes, instead.
    """
    os.environ.setdefault(THREADS_VARIABLE, "1")
