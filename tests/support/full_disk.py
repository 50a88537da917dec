"""A full disk for this process: files may not grow beyond a size."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limit_file_size(num_bytes: int) -> Iterator[None]:
    """Let every write beyond this size fail, as on a full disk; standard streams must be captured.

    Python ignores the signal that the system sends then.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
