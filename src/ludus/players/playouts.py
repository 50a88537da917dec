"""Flat Monte Carlo: the move after which random games go best."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.game import CHANCE, AnyGame
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player

MAX_PLIES = 2000
"""A random game that gets here counts as a draw."""

ROUND = 20
"""Random games behind each move between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much work goes into a move."""

    games: int = 2000
    """Random games for a decision, shared equally among the legal moves."""

    threads: int = 1
    """Threads for random games in compiled code; the result does not depend on it."""

    def __post_init__(self) -> None:
        for name, most in (("games", 10_000_000), ("threads", 256)):
            value = getattr(self, name)
            if not 1 <= value <= most:
                raise BadSpec(f"playouts {name}={value} must be from 1 to {most}")


@dataclass(slots=True)
class Tally:
    """What the random games behind one move came to, as its mover sees it."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: int = 0

    @property
    def mean(self) -> float:
        return self.points / self.games

    def __str__(self) -> str:
        drawn = f", draws {100 * self.draws / self.games:.0f}%" if self.draws else ""
        return f"wins {100 * self.wins / self.games:.0f}%{drawn} of {self.games} random games"
