"""Many games at once, to take positions from as they come about in play."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ludus.core.errors import BadSpec
from ludus.learn.scholar.examples import MAX_MOVES, Array, Examples, ExampleSource, Games, Positions


@dataclass(frozen=True)
class PlayOptions:
    """How games go."""

    noise: float = 0.1
    """How often any move is played instead of one that keeps the value."""

    max_plies: int = 100
    """After so many plies a game begins anew."""

    from_start: float = 0.5
    """The share of games that begin at the start of the game; others begin anywhere."""

    from_errors: float = 0.25
    """The share of games that begin where a chosen move gave the value away, once there are any."""

    warm_up: int = 40
    """Plies before the first examples are taken, while all games are equally old."""

    def __post_init__(self) -> None:
        for name in ("noise", "from_start", "from_errors"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadSpec(f"{name}={getattr(self, name)} must be from 0 to 1")
        if self.from_start + self.from_errors > 1:
            raise BadSpec("from_start and from_errors must not be more than 1 together")
        if self.max_plies < 1 or self.warm_up < 0:
            raise BadSpec("max_plies must be at least 1 and warm_up not negative")


NUM_RESTARTS = 4096
"""Positions at hand for the games that begin anew in one ply."""

MAX_ERRORS = 1 << 18
"""Errors that are remembered, the latest ones."""


class Play:
    """Games that go on for ever. They start one after the other: the first ones are cut short."""

    def __init__(
        self,
        source: ExampleSource,
        size: int,
        seed: int,
        options: PlayOptions | None = None,
        max_moves: int = MAX_MOVES,
        weights: Sequence[float] | None = None,
    ) -> None:
        """`weights`: how often games begin in each subspace, those at the start left out."""
        self.options = PlayOptions() if options is None else options
        self._source = source
        self._max_moves = max_moves
        self._weights = weights
        self._seeds = Random(seed)
        self._errors = source.starts(0)
        begins = self._restarts()
        (turns,) = source.columns([np.arange(size) % len(begins)])
        (plies,) = source.columns([np.arange(size, dtype=np.int32) % self.options.max_plies])
        self._games = Games(begins[turns], plies)
        self.examples = self._look()
        """Where the games stand."""

    def step(self, chosen: Array | None = None) -> None:
        """One ply of every game.

        `chosen` are moves packed as in Children, negative where the game shall go on by itself.
        Where they give the value away, games will begin again.
        """
        if chosen is not None:
            self.note_errors(chosen)
        self._games = self._source.advance(
            self._games,
            self.examples,
            self._restarts(),
            self._seeds.getrandbits(64),
            self.options.noise,
            self.options.max_plies,
            chosen,
        )
        self.examples = self._look()

    def _look(self) -> Examples:
        seed = self._seeds.getrandbits(64)
        return self._source.examples(self._games.positions, self._max_moves, seed)

    def note_errors(self, chosen: Array) -> None:
        """Remember the positions in which moves, played or not, give the value away."""
        now = self.examples
        is_chosen = (now.children.move == chosen[:, None]) & now.children.is_move
        erred = now.positions[(is_chosen & ~now.keeps).any(1)]
        self._errors = self._source.joined_positions([self._errors, erred])[-MAX_ERRORS:]

    def _restarts(self) -> Positions:
        """Where games begin next, in the shares that the options name."""
        num_starts = round(self.options.from_start * NUM_RESTARTS)
        num_again = round(self.options.from_errors * NUM_RESTARTS) if len(self._errors) else 0
        num_drawn = NUM_RESTARTS - num_starts - num_again
        again = self._some_errors(num_again)
        drawn = self._source.draw(num_drawn, self._seeds.getrandbits(64), weights=self._weights)
        return self._source.joined_positions([self._source.starts(num_starts), again, drawn])

    def _some_errors(self, count: int) -> Positions:
        """Random ones; where there are few, the same ones several times."""
        generator = np.random.default_rng(self._seeds.getrandbits(63))
        (picked,) = self._source.columns(
            [generator.integers(max(len(self._errors), 1), size=count)]
        )
        return self._errors[picked]
