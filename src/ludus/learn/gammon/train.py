"""Train a network by back-propagation on scored moves (Tesauro and Sejnowski 1988)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.core.errors import BadSpec
from ludus.core.processes import count_cores
from ludus.core.spec import check_ranges
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.batch import position_to_row
from ludus.learn.gammon.examples import ScoredMoves
from ludus.learn.gammon.network import GammonNetwork

UNSCORED_RATE, UNSCORED_RATE_DOUBLES = 0.25, 0.08
"""Proportion of uncommented moves in a cycle: 75% are skipped, and 92% after doubles."""

NOISE_RANGE = (-65.0, 35.0)
"""Range of the uniformly random target scores of uncommented moves."""


@dataclass(frozen=True, slots=True)
class GammonTrainingConfig:
    """Hyperparameters of training."""

    hidden: tuple[int, ...] = (24, 24)
    """Units of the hidden layers; may be empty."""

    coding: str = "features"

    cycles: int = 20
    """Number of passes over the positions."""

    positions: int = 0
    """Number of training positions; 0 for all."""

    noise: bool = True
    """Whether uncommented moves are included with random targets."""

    error: Literal["score", "comparison"] = "score"
    """The loss: each move's distance from its score, or the difference between the network's and
    the teacher's preferences among the alternatives of one position.
    """

    rate: float = 0.8
    """Initial learning rate."""

    last_rate: float = 0.1
    """Learning rate of the last cycle; the schedule is linear."""

    sharpness: float = 8.0
    """Inverse temperature of the preferences when alternatives are compared."""

    seed: int = 0

    def __post_init__(self) -> None:
        if any(not 1 <= units <= 10_000 for units in self.hidden) or len(self.hidden) > 8:
            raise BadSpec("hidden layers must have from 1 to 10000 units, and be at most 8")
        check_ranges(self, cycles=(1, 100_000))
        if self.positions < 0:
            raise BadSpec(f"positions={self.positions} must not be negative")
        if not (0 < self.last_rate <= self.rate <= 10 and 0 < self.sharpness <= 1000):
            raise BadSpec("rates must fall and lie from 0 to 10, sharpness from 0 to 1000")


@dataclass(frozen=True)
class CycleResult:
    """The state of training after a cycle."""

    number: int
    """Cycle number from 1."""

    network: GammonNetwork

    error: float
    """Mean squared error over the examples of the cycle."""


@dataclass
class GammonTrainer:
    """One training run, cycle by cycle; equal positions and settings give equal networks."""

    examples: ScoredMoves
    network: GammonNetwork
    settings: GammonTrainingConfig
    num_cycles_done: int = 0
    """Number of finished cycles."""

    def __post_init__(self) -> None:
        self._is_scored = ~np.isnan(self.examples.scores)

    def run(self) -> Iterator[CycleResult]:
        """Train, and yield the result of every cycle."""
        native = self.network.to_native()
        encoded_moves = self.examples.encoded_moves
        inputs = encoded_moves.offsets, encoded_moves.unit_indices, encoded_moves.activations
        for number in range(self.num_cycles_done, self.settings.cycles):
            # Each cycle has its own random numbers, so that training resumes from a checkpoint.
            rng = np.random.default_rng((self.settings.seed, number))
            rows, targets, groups = self.sample_targets(rng)
            rate = self.get_learning_rate(number)
            if self.settings.error == "comparison":
                sharpness = self.settings.sharpness
                error = native.compare(*inputs, rows, targets, groups, sharpness, rate)
            else:
                error = native.learn(*inputs, rows, targets, rate)
            self.num_cycles_done = number + 1
            self.network = GammonNetwork(self.network.encoding, tuple(native.layers()))
            yield CycleResult(self.num_cycles_done, self.network, error / max(len(rows), 1))

    def get_learning_rate(self, number: int) -> float:
        """Return the learning rate of a cycle, counted from 0."""
        first, last = self.settings.rate, self.settings.last_rate
        progress = number / max(self.settings.cycles - 1, 1)
        return first + (last - first) * progress

    def sample_targets(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
        """Return the moves of this cycle, positions in random order, targets and group offsets."""
        examples = self.examples
        is_shown = self._is_scored.copy()
        scores = examples.scores.copy()
        if self.settings.noise:
            rate = np.where(examples.is_double, UNSCORED_RATE_DOUBLES, UNSCORED_RATE)[
                examples.position_of_move
            ]
            is_noise = ~is_shown & (rng.random(len(scores)) < rate)
            scores[is_noise] = rng.uniform(*NOISE_RANGE, len(scores))[is_noise]
            is_shown |= is_noise
        rows = np.flatnonzero(is_shown)
        place = rng.permutation(len(examples))[examples.position_of_move[rows]]
        order = np.lexsort((rng.random(len(rows)), place))
        rows = rows[order]
        changes = np.flatnonzero(np.diff(place[order])) + 1
        groups = np.concatenate(([0], changes, [len(rows)])).astype(np.int64)
        targets = ((scores[rows] + 100) / 200).astype(np.float32)
        return rows.astype(np.int64), targets, groups


@dataclass(frozen=True, slots=True)
class GamesResult:
    """Results of games, for the first of two players."""

    wins: tuple[int, int, int]
    """Numbers of single games, gammons and backgammons won."""

    losses: tuple[int, int, int]

    @property
    def games(self) -> int:
        return sum(self.wins) + sum(self.losses)

    @property
    def win_rate(self) -> float:
        """Proportion of games won, without regard to gammons."""
        return sum(self.wins) / self.games

    @property
    def points_per_game(self) -> float:
        """Points per game, where gammons count twice and backgammons three times."""
        return float(np.dot(np.subtract(self.wins, self.losses), (1, 2, 3)) / self.games)


def play_native_games(
    first: GammonNetwork | str, second: GammonNetwork | str, games: int, seed: int, threads: int = 0
) -> GamesResult:
    """Play games between networks, `tool` or `random`, with alternating starters.

    The result does not depend on the number of threads.
    """
    if not 1 <= games <= 100_000_000:
        raise BadSpec(f"{games} games cannot be played")
    movers = [who.to_native() if isinstance(who, GammonNetwork) else who for who in (first, second)]
    start = position_to_row(Backgammon().start())[None]
    threads = threads or count_cores()
    return GamesResult(*gammon.contest(movers[0], movers[1], start, games, seed % 2**64, threads))
