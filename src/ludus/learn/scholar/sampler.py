"""Endless batches of examples, by the name of the distribution that their positions come from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.learn.scholar.examples import MAX_MOVES, Examples, ExampleSource
from ludus.learn.scholar.playing import Play, PlayOptions
from ludus.oracle.sectors import Subspace


@dataclass(frozen=True)
class SamplerOptions:
    """Which positions, and how many at a time."""

    distribution: str = "uniform"
    """uniform: every subspace equally often; play: as games with noise come by."""

    batch: int = 4096
    """Positions in a batch."""

    critical: float | None = None
    """The share of positions in which some moves keep the value and others do not; None: as they
    come. In `uniform` the subspaces are then as frequent as they have such positions."""

    max_moves: int = MAX_MOVES
    """Room for moves in a row."""

    play: PlayOptions = field(default_factory=PlayOptions)
    """How the games of `play` go."""

    def __post_init__(self) -> None:
        if self.distribution not in DISTRIBUTIONS:
            names = ", ".join(DISTRIBUTIONS)
            raise UnknownName(f"no distribution {quoted(self.distribution)}; there are {names}")
        if self.batch < 1 or self.max_moves < 1:
            raise BadSpec("batch and max_moves must be at least 1")
        if self.critical is not None and not 0 <= self.critical <= 1:
            raise BadSpec(f"critical={self.critical} must be from 0 to 1")


def stream(source: ExampleSource, options: SamplerOptions, seed: int = 0) -> Iterator[Examples]:
    """Batches without end."""
    batches = DISTRIBUTIONS[options.distribution](source, options, seed)
    if options.critical is None:
        return batches
    return with_critical(source, batches, options.batch, options.critical, seed)


def uniform(
    source: ExampleSource,
    options: SamplerOptions,
    seed: int,
    subspaces: Sequence[Subspace] | None = None,
    weights: Sequence[float] | None = None,
) -> Iterator[Examples]:
    """Random positions of random subspaces."""
    seeds = Random(seed)
    while True:
        drawn = source.draw(options.batch, seeds.getrandbits(64), subspaces, weights)
        yield source.examples(drawn, options.max_moves, seeds.getrandbits(64))


def play(source: ExampleSource, options: SamplerOptions, seed: int) -> Iterator[Examples]:
    """Where many games stand, ply by ply, once they have come apart."""
    games = Play(source, options.batch, seed, options.play, options.max_moves)
    for _ in range(options.play.warm_up):
        games.step()
    while True:
        yield games.examples
        games.step()


DISTRIBUTIONS: dict[str, Callable[[ExampleSource, SamplerOptions, int], Iterator[Examples]]] = {
    "uniform": uniform,
    "play": play,
}


def with_critical(
    source: ExampleSource, batches: Iterator[Examples], size: int, share: float, seed: int
) -> Iterator[Examples]:
    """Batches of this size with exactly this share of critical positions, in random order.

    What a batch has too much of serves the next one, as far as that needs it.
    """
    seeds = Random(seed)
    wanted = {True: round(share * size), False: size - round(share * size)}
    spare: dict[bool, list[Examples]] = {kind: [] for kind in wanted}
    while True:
        while any(_length(spare[kind]) < number for kind, number in wanted.items()):
            fresh = next(batches)
            is_critical = fresh.is_critical
            for kind, mask in ((True, is_critical), (False, ~is_critical)):
                # The rare kind sets the pace; of the other no more than a batch is kept.
                if _length(spare[kind]) < wanted[kind]:
                    spare[kind].append(fresh[mask])
        chosen = []
        for kind, number in wanted.items():
            if number > 0:
                found = source.joined_examples(spare[kind])
                chosen.append(found[:number])
                spare[kind] = [found[number:]]
        yield source.joined_examples(chosen)[source.order(size, seeds.getrandbits(63))]


def _length(parts: list[Examples]) -> int:
    return sum(map(len, parts))
