"""Progress bars of long calls in a notebook; programs and terminals see nothing."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")

Track = Callable[[Iterator[Any], int], Iterable[Any]]
"""Passes on a given number of items, and may show progress or store them."""

UPDATE_SECONDS = 0.2
"""Least time between two changes of a bar, which cost the browser more than the kernel."""


def track_playing(items: Iterable[T], total: int) -> Iterator[T]:
    """Yield games; in a notebook with a bar under the cell, which is removed at the end.

    The bar is plain HTML, so that it needs no widgets and works in every front end.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if not hasattr(shell, "kernel"):  # in a terminal
        yield from items
        return
    bar = import_module("IPython.display").display(_Bar(0, total), display_id=True)
    shown = time.monotonic()
    try:
        for done, item in enumerate(items, 1):
            yield item
            if time.monotonic() - shown >= UPDATE_SECONDS:
                shown = time.monotonic()
                bar.update(_Bar(done, total))
    finally:
        bar.update(_Bar(total, 0))


class _Bar:
    """What a notebook shows of a call; nothing for a total of 0."""

    def __init__(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return HTML alone: a converted notebook would keep a text beside it."""
        bar = f'playing <progress value="{self._done}" max="{self._total}"></progress>'
        return {"text/html": f"{bar} {self._done} of {self._total}" if self._total else ""}
