"""Games played in parallel, and endless batches of examples: from them, or from anywhere."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from ludus.core.errors import BadSpec
from ludus.core.spec import check_choice, check_ranges
from ludus.games.nine_mens_morris.batch import MAX_MOVES, PositionBatch
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.learn.checkpoint import TrainingState, dump_random, load_random
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource, GamePositions, to_numpy
from ludus.oracles.morris.sectors import Subspace


@dataclass(frozen=True)
class ParallelGamesOptions:
    """Options of parallel games."""

    noise: float = 0.1
    """Probability of a random move instead of a value-keeping one."""

    max_plies: int = 100
    """Length in plies after which a game restarts."""

    from_start: float = 0.5
    """Proportion of games that begin at the start of the game; others begin anywhere."""

    from_errors: float = 0.25
    """Proportion of games that begin where a chosen move gave the value away, if there are any."""

    warm_up: int = 40
    """Plies before the first examples, while all games have only just begun."""

    def __post_init__(self) -> None:
        check_ranges(self, noise=(0, 1), from_start=(0, 1), from_errors=(0, 1))
        if self.from_start + self.from_errors > 1:
            raise BadSpec("from_start and from_errors must not be more than 1 together")
        if self.max_plies < 1 or self.warm_up < 0:
            raise BadSpec("max_plies must be at least 1 and warm_up not negative")


NUM_RESTART_POSITIONS = 4096
"""Restart positions available in one ply."""

MAX_ERROR_POSITIONS = 1 << 18
"""Maximum number of error positions kept; the latest ones stay."""


class ParallelGames:
    """Many endless games played in parallel, as a source of positions that occur in play.

    The first games are cut short, so that restarts are spread over time.
    """

    def __init__(
        self,
        source: ExampleSource,
        size: int,
        seed: int,
        options: ParallelGamesOptions | None = None,
        max_moves: int = MAX_MOVES,
        weights: Sequence[float] | None = None,
    ) -> None:
        """Begin all games; `weights` are the probabilities of the subspaces for games that do not
        begin at the start of the game."""
        self.options = ParallelGamesOptions() if options is None else options
        self._source = source
        self._max_moves = max_moves
        self._weights = weights
        self._seeds = Random(seed)
        self.errors = source.start_positions(0)
        """The latest positions in which a chosen move gave the value away."""

        starts = self._sample_restarts()
        (indices,) = source.to_columns([np.arange(size) % len(starts)])
        (plies,) = source.to_columns([np.arange(size, dtype=np.int32) % self.options.max_plies])
        self._games = GamePositions(starts[indices], plies)
        self._expansion_seed = self._seeds.getrandbits(64)
        self.examples = self._expand_positions()
        """Current positions of the games."""

    def reseed(self, seed: int) -> None:
        """Go on with other random numbers."""
        self._seeds = Random(seed)

    def step(self, chosen: Array | None = None) -> None:
        """Play one ply of every game.

        `chosen` are moves packed as in ChildBatch, negative where the game picks its own move.
        Positions in which they give the value away become restart positions.
        """
        if chosen is not None:
            self.record_errors(chosen)
        self._games = self._source.advance(
            self._games,
            self.examples,
            self._sample_restarts(),
            self._seeds.getrandbits(64),
            self.options.noise,
            self.options.max_plies,
            chosen,
        )
        self._expansion_seed = self._seeds.getrandbits(64)
        self.examples = self._expand_positions()

    def _expand_positions(self) -> ExampleBatch:
        return self._source.examples(self._games.positions, self._max_moves, self._expansion_seed)

    def state(self) -> TrainingState:
        """Return the games, the error positions and the state of the random numbers."""
        arrays: dict[str, Any] = {"plies": to_numpy(self._games.plies)}
        for name, positions in (("games", self._games.positions), ("errors", self.errors)):
            for number, column in enumerate(positions.position_columns):
                arrays[f"{name}{number}"] = to_numpy(column)
        facts = {"seeds": dump_random(self._seeds), "expansion_seed": self._expansion_seed}
        return TrainingState(facts, arrays)

    def load(self, state: TrainingState) -> None:
        """Go on from what `state` returned."""
        games, errors = (
            PositionBatch(
                *self._source.to_columns([state.arrays[f"{name}{number}"] for number in range(4)])
            )
            for name in ("games", "errors")
        )
        (plies,) = self._source.to_columns([state.arrays["plies"]])
        self._games, self.errors = GamePositions(games, plies), errors
        load_random(self._seeds, state.facts["seeds"])
        self._expansion_seed = state.facts["expansion_seed"]
        self.examples = self._expand_positions()

    def record_errors(self, chosen: Array) -> None:
        """Store the positions in which these moves, played or not, give the value away."""
        now = self.examples
        is_chosen = (now.children.move == chosen[:, None]) & now.children.is_move
        new_errors = now.positions[(is_chosen & ~now.keeps_value).any(1)]
        self.errors = self._concatenate(self.errors, new_errors)[-MAX_ERROR_POSITIONS:]

    def _sample_restarts(self) -> PositionBatch:
        """Sample restart positions in the proportions of the options."""
        num_starts = round(self.options.from_start * NUM_RESTART_POSITIONS)
        num_errors = (
            round(self.options.from_errors * NUM_RESTART_POSITIONS) if len(self.errors) else 0
        )
        num_sampled = NUM_RESTART_POSITIONS - num_starts - num_errors
        errors = self._sample_errors(num_errors)
        sampled = self._source.sample_positions(
            num_sampled, self._seeds.getrandbits(64), weights=self._weights
        )
        return self._concatenate(self._source.start_positions(num_starts), errors, sampled)

    def _concatenate(self, *parts: PositionBatch) -> PositionBatch:
        return PositionBatch.concatenate(parts, self._source.concatenate)

    def _sample_errors(self, count: int) -> PositionBatch:
        """Sample error positions with replacement."""
        generator = np.random.default_rng(self._seeds.getrandbits(63))
        (picked,) = self._source.to_columns(
            [generator.integers(max(len(self.errors), 1), size=count)]
        )
        return self.errors[picked]


@dataclass(frozen=True)
class SamplerOptions:
    """Distribution of positions and batch size."""

    distribution: str = "uniform"
    """uniform: every subspace equally often; play: positions of noisy games."""

    batch: int = 4096
    """Positions in a batch."""

    critical: float | None = None
    """Proportion of critical positions, in which some moves keep the value and others do not; None:
    as they come. In `uniform` subspaces are then as frequent as they have such positions."""

    max_moves: int = MAX_MOVES
    """Maximum number of moves in a row."""

    play: ParallelGamesOptions = field(default_factory=ParallelGamesOptions)
    """Options of the games of `play`."""

    def __post_init__(self) -> None:
        check_choice("there is no distribution", self.distribution, DISTRIBUTIONS)
        if self.batch < 1 or self.max_moves < 1:
            raise BadSpec("batch and max_moves must be at least 1")
        check_ranges(self, critical=(0, 1))


def stream_examples(
    source: ExampleSource, options: SamplerOptions, seed: int = 0
) -> Iterator[ExampleBatch]:
    """Yield batches without end."""
    batches = DISTRIBUTIONS[options.distribution](source, options, seed)
    if options.critical is None:
        return batches
    return balance_critical(source, batches, options.batch, options.critical, seed)


def stream_uniform(
    source: ExampleSource,
    options: SamplerOptions,
    seed: int,
    subspaces: Sequence[Subspace] | None = None,
    weights: Sequence[float] | None = None,
) -> Iterator[ExampleBatch]:
    """Yield random positions of random subspaces."""
    seeds = Random(seed)
    while True:
        sampled = source.sample_positions(options.batch, seeds.getrandbits(64), subspaces, weights)
        yield source.examples(sampled, options.max_moves, seeds.getrandbits(64))


def stream_play(
    source: ExampleSource, options: SamplerOptions, seed: int
) -> Iterator[ExampleBatch]:
    """Yield the positions of parallel games, ply by ply, after the warm-up."""
    games = ParallelGames(source, options.batch, seed, options.play, options.max_moves)
    for _ in range(options.play.warm_up):
        games.step()
    while True:
        yield games.examples
        games.step()


DISTRIBUTIONS: dict[str, Callable[[ExampleSource, SamplerOptions, int], Iterator[ExampleBatch]]] = {
    "uniform": stream_uniform,
    "play": stream_play,
}


def balance_critical(
    source: ExampleSource, batches: Iterator[ExampleBatch], size: int, proportion: float, seed: int
) -> Iterator[ExampleBatch]:
    """Yield batches of this size with exactly this proportion of critical positions, shuffled.

    Surplus examples of a batch are used in the next one, as far as needed.
    """
    seeds = Random(seed)
    needed = {True: round(proportion * size), False: size - round(proportion * size)}
    spare: dict[bool, list[ExampleBatch]] = {kind: [] for kind in needed}
    while True:
        while any(_count(spare[kind]) < number for kind, number in needed.items()):
            fresh = next(batches)
            is_critical = fresh.is_critical
            for kind, mask in ((True, is_critical), (False, ~is_critical)):
                # The rare kind limits the rate; of the other no more than a batch is kept.
                if _count(spare[kind]) < needed[kind]:
                    spare[kind].append(fresh[mask])
        chosen = []
        for kind, number in needed.items():
            if number > 0:
                joined = source.concatenate_examples(spare[kind])
                chosen.append(joined[:number])
                spare[kind] = [joined[number:]]
        yield source.concatenate_examples(chosen)[
            source.random_permutation(size, seeds.getrandbits(63))
        ]


def _count(parts: list[ExampleBatch]) -> int:
    return sum(map(len, parts))
