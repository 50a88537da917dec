"""Positions of the standard game with their values and those of all their moves, kept in a file.

They come from the full database and from every one of its 343 subspaces, a critical position of
each where one was found at once. `python tests/scholar/scholar_sample.py DATABASE` makes the file
again.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ludus.learn.scholar.examples import Examples, ExampleSource, Positions

FILE = Path(__file__).parents[1] / "data" / "morris_sample.npz"
MAX_MOVES = 256
"""More than any of these positions has moves."""

TRIES = 20


class Sample(NamedTuple):
    """Values and moves of all positions follow each other; `count` tells how many each one has."""

    positions: Positions
    value: np.ndarray
    count: np.ndarray
    child_value: np.ndarray
    move: np.ndarray


def read() -> Sample:
    with np.load(FILE, allow_pickle=False) as file:
        positions = Positions(*(file[name] for name in Positions.__slots__))
        return Sample(positions, *(file[name] for name in Sample._fields[1:]))


def in_sample_order(examples: Examples) -> Sample:
    """Examples with long enough rows as a sample has them."""
    is_move = np.arange(examples.children.value.shape[1]) < examples.children.count[:, np.newaxis]
    return Sample(
        examples.positions,
        examples.value,
        examples.children.count,
        examples.children.value[is_move],
        examples.children.move[is_move],
    )


def make(source: ExampleSource) -> Sample:
    chosen = []
    for number, subspace in enumerate(source.subspaces):
        drawn = source.examples(source.draw(TRIES, number, [subspace]), MAX_MOVES)
        chosen.append(drawn[np.argsort(~drawn.is_critical, kind="stable")[:1]])
    return in_sample_order(source.joined_examples(chosen))


def write(sample: Sample) -> None:
    FILE.parent.mkdir(exist_ok=True)
    columns = dict(zip(Positions.__slots__, sample.positions.columns, strict=True))
    np.savez_compressed(FILE, **columns, **dict(zip(sample._fields[1:], sample[1:], strict=True)))


if __name__ == "__main__":
    import ludus
    from ludus.learn.scholar.sampler_cpu import OracleExamples
    from ludus.oracle import oracle_for

    write(make(OracleExamples(oracle_for(ludus.game("nine_mens_morris"), Path(sys.argv[1])))))
