"""Progress bars of long calls in a notebook; programs and terminals see nothing."""

import sys
import time
from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")

UPDATE_SECONDS = 0.2
"""Least time between two changes of a bar, which cost the browser more than the kernel."""


def track_playing(items: Iterable[T], total: int) -> Iterator[T]:
    """Yield the games of a match or a tournament, with a bar in a notebook."""
    return track_in_notebook(items, total, "playing")


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, which shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def track_in_notebook(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items; in a notebook with a bar under the cell, which is removed at the end.

    The bar is plain HTML, so that it needs no widgets and works in every front end.
    """
    if not is_notebook():
        yield from items
        return
    display = import_module("IPython.display").display

    bar = display(_Bar(label, 0, total), display_id=True)
    shown = time.monotonic()
    try:
        for done, item in enumerate(items, 1):
            yield item
            if time.monotonic() - shown >= UPDATE_SECONDS:
                shown = time.monotonic()
                bar.update(_Bar(label, done, total))
    finally:
        bar.update(_Bar(label, total, 0))


class _Bar:
    """What a notebook shows of a task; nothing for a total of 0."""

    def __init__(self, label: str, done: int, total: int) -> None:
        self._label, self._done, self._total = label, done, total

    def _repr_html_(self) -> str:
        if not self._total:
            return ""
        bar = f'<progress value="{self._done}" max="{self._total}"></progress>'
        return f"{escape(self._label)} {bar} {self._done} of {self._total}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return HTML alone: a converted notebook would keep a text beside it."""
        return {"text/html": self._repr_html_()}
