"""Choosing where to begin: boards from which something new is likely to be learned."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any


class StartChooser:
    """Passes over boards it knows how to win, and those that have taught nothing for long.

    When as many games as there are boards have taught nothing, there is nothing to go by, or
    nothing left to learn, and it leaves the choice to chance again.
    """

    def __init__(self) -> None:
        self._games: Counter[Any] = Counter()
        self._lessons: Counter[Any] = Counter()
        self._idle = 0

    def note(self, start: Any, has_taught: bool) -> None:
        """A game was played from there, and it changed what is known or did not."""
        self._games[start] += 1
        self._lessons[start] += has_taught
        self._idle = 0 if has_taught else self._idle + 1

    def pick(self, starts: Sequence[Any], source: Random, is_known: Callable[[Any], bool]) -> Any:
        """Of the boards that are not known to be won the one that promises most; ties by chance."""
        if self._idle >= len(starts):
            return source.choice(starts)
        open_starts = [start for start in starts if not is_known(start)] or starts
        most = max(map(self._promise, open_starts))
        return source.choice([start for start in open_starts if self._promise(start) == most])

    def _promise(self, start: Any) -> float:
        """The chance that a game from there teaches something, by the rule of succession."""
        return (self._lessons[start] + 1) / (self._games[start] + 2)
