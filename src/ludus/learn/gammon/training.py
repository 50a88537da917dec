"""Training as the paper has it: back-propagation on scores, and noise where there are none."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.learn.gammon.lessons import Lessons
from ludus.learn.gammon.network import Network

SHOWN, SHOWN_OF_DOUBLES = 0.25, 0.08
"""The share of uncommented moves that are shown: 75% are skipped, and 92% after doubles."""

NOISE = (-65.0, 35.0)
"""Their targets are drawn from here, each as likely as the others."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that can be switched in training."""

    hidden: tuple[int, ...] = (24, 24)
    """Units of the hidden layers; none at all is allowed."""

    coding: str = "features"

    cycles: int = 20
    """How often every position is shown."""

    positions: int = 0
    """How many positions of the data base are used; 0 for all."""

    noise: bool = True
    """Whether uncommented moves are shown with random targets."""

    error: Literal["score", "comparison"] = "score"
    """What is brought down: each move's distance from its score, or the difference between what
    network and teacher think of the alternatives of one position."""

    rate: float = 0.8
    """How much of an error goes into the weights at first."""

    last_rate: float = 0.1
    """The same in the last cycle; it falls evenly."""

    sharpness: float = 8.0
    """How decided choices are when alternatives are compared."""

    seed: int = 0

    def __post_init__(self) -> None:
        if any(not 1 <= units <= 10_000 for units in self.hidden) or len(self.hidden) > 8:
            raise BadSpec("hidden layers must have from 1 to 10000 units, and be at most 8")
        if not 1 <= self.cycles <= 100_000:
            raise BadSpec(f"cycles={self.cycles} must be from 1 to 100000")
        if self.positions < 0:
            raise BadSpec(f"positions={self.positions} must not be negative")
        if not (0 < self.last_rate <= self.rate <= 10 and 0 < self.sharpness <= 1000):
            raise BadSpec("rates must fall and lie from 0 to 10, sharpness from 0 to 1000")


@dataclass(frozen=True)
class Cycle:
    """How training stands after a cycle."""

    number: int
    """From 1."""

    network: Network

    error: float
    """The mean squared error of what was shown."""


@dataclass
class Training:
    """One training, cycle by cycle; the same lessons and settings give the same network."""

    lessons: Lessons
    network: Network
    settings: Settings
    done: int = 0
    """Cycles that lie behind."""

    def __post_init__(self) -> None:
        self._is_scored = ~np.isnan(self.lessons.scores)

    def cycles(self) -> Iterator[Cycle]:
        """Train, and tell after every cycle."""
        compiled = self.network.compiled()
        patterns = self.lessons.patterns
        coded = patterns.starts, patterns.index, patterns.value
        for number in range(self.done, self.settings.cycles):
            # Each cycle has its own numbers, so that training can go on from a checkpoint.
            rng = np.random.default_rng((self.settings.seed, number))
            rows, targets, groups = self._shown(rng)
            if self.settings.error == "comparison":
                error = compiled.compare(
                    *coded, rows, targets, groups, self.settings.sharpness, self._rate(number)
                )
            else:
                error = compiled.learn(*coded, rows, targets, self._rate(number))
            self.done = number + 1
            self.network = self.network.with_layers(compiled)
            yield Cycle(self.done, self.network, error / max(len(rows), 1))

    def _rate(self, number: int) -> float:
        first, last = self.settings.rate, self.settings.last_rate
        share = number / max(self.settings.cycles - 1, 1)
        return first + (last - first) * share

    def _shown(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
        """Moves to show in this cycle, position by position in random order, with targets."""
        lessons = self.lessons
        is_shown = self._is_scored.copy()
        scores = lessons.scores.copy()
        if self.settings.noise:
            share = np.where(lessons.is_double, SHOWN_OF_DOUBLES, SHOWN)[lessons.position_of_move]
            is_noise = ~is_shown & (rng.random(len(scores)) < share)
            scores[is_noise] = rng.uniform(*NOISE, len(scores))[is_noise]
            is_shown |= is_noise
        rows = np.flatnonzero(is_shown)
        place = rng.permutation(len(lessons))[lessons.position_of_move[rows]]
        order = np.lexsort((rng.random(len(rows)), place))
        rows = rows[order]
        changes = np.flatnonzero(np.diff(place[order])) + 1
        groups = np.concatenate(([0], changes, [len(rows)])).astype(np.int64)
        targets = ((scores[rows] + 100) / 200).astype(np.float32)
        return rows.astype(np.int64), targets, groups
