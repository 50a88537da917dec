"""Compiled code does not hear Ctrl-C; whoever waits for it does."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """The result of a long computation, done on a thread that is left behind on Ctrl-C."""
    results: list[T] = []
    errors: list[BaseException] = []

    def keep() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=keep, daemon=True)
    worker.start()
    worker.join()
    if errors:
        raise errors[0]
    return results[0]
