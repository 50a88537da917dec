"""Values meant to break a compiled function, and a caller that counts what came of them."""

import collections
import random
from collections.abc import Callable
from typing import Any

from ludus.core.errors import LudusError

REFUSALS = (TypeError, ValueError, AttributeError, LudusError)
"""How compiled code may refuse what it is given."""

NUMBERS = (
    *(-(2**70), -(2**63), -(2**31), -129, -128, -5, -1, 0, 1, 2, 3, 7, 9, 12, 13, 15, 16, 23, 24),
    *(25, 99, 127, 128, 255, 256, 2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**31 - 1, 2**31),
    *(2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**70),
)
ODD_VALUES = (
    *(None, "", "x", "\ud800", b"\0", 1.5, float("nan"), True),
    *([], (), {}, object(), int, range(9)),
)


class Values:
    """Hostile values of every shape."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def number(self, low: int, high: int) -> Any:
        """Mostly a number in this range, sometimes one of any size, sometimes no number."""
        chance = self.random.random()
        if chance < 0.93:
            return self.random.randint(low, high)
        return self.random.choice(NUMBERS if chance < 0.98 else ODD_VALUES)

    def several(self, count: int, low: int, high: int) -> Any:
        """Mostly a tuple of this number of numbers."""
        if self.random.random() < 0.05:
            return self.random.choice(ODD_VALUES)
        if self.random.random() < 0.05:
            count = self.random.randrange(30)
        return tuple(self.number(low, high) for _ in range(count))


class Caller:
    """Calls something and counts what came of it."""

    def __init__(self) -> None:
        self.results = collections.Counter[str]()

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result, or None if the function refused; any other error is a bug."""
        try:
            result = function(*arguments)
        except REFUSALS:
            self.results[f"{name} refused"] += 1
            return None
        self.results[f"{name} done"] += 1
        return result
