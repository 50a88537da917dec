"""Positions of the standard game with values and moves, stored in a file.

They come from the full database and from every one of its 343 subspaces, a critical position of
each where one was found at once. With them are positions that were drawn and plies that were
played by certain seeds, to be drawn and played again elsewhere.

`PYTHONPATH=tests python -m support.scholar_sample DATABASE` makes the file again.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource, GamePositions
from support.paths import DATA

FILE = DATA / "morris_sample.npz"
MAX_MOVES = 256
"""More than any of these positions has moves."""

TRIES = 20
NUM_DRAWN, DRAW_SEED = 2000, 7
PLY = {"seed": 11, "noise": 0.3, "max_plies": 5}


class Sample(NamedTuple):
    """Values and moves of all positions follow each other; `count` tells how many each one has."""

    positions: PositionBatch
    value: Any
    count: Any
    child_value: Any
    move: Any
    drawn: PositionBatch
    """Drawn from all subspaces with DRAW_SEED."""

    after: GamePositions
    """Where `one_ply` leads from the positions."""


def read() -> Sample:
    with np.load(FILE, allow_pickle=False) as file:
        return Sample(
            _positions(file, ""),
            *(file[name] for name in ("value", "count", "child_value", "move")),
            _positions(file, "drawn_"),
            GamePositions(_positions(file, "after_"), file["after_plies"]),
        )


def _positions(file: Any, prefix: str) -> PositionBatch:
    return PositionBatch(*(file[prefix + name] for name in PositionBatch.__slots__))


def one_ply(source: ExampleSource, examples: ExampleBatch, drawn: PositionBatch) -> GamePositions:
    """Play a ply from each position; some have reached the maximum and restart."""
    (plies,) = source.to_columns([np.arange(len(examples), dtype=np.int32) % 5])
    return source.advance(GamePositions(examples.positions, plies), examples, drawn[:100], **PLY)


def make(source: ExampleSource) -> Sample:
    chosen = []
    for number, subspace in enumerate(source.subspaces):
        found = source.examples(source.sample_positions(TRIES, number, [subspace]), MAX_MOVES)
        chosen.append(found[np.argsort(~found.is_critical, kind="stable")[:1]])
    examples = source.concatenate_examples(chosen)
    rows, is_move = examples.children, examples.children.is_move
    drawn = source.sample_positions(NUM_DRAWN, DRAW_SEED)
    return Sample(
        examples.positions,
        examples.value,
        rows.count,
        rows.value[is_move],
        rows.move[is_move],
        drawn,
        one_ply(source, examples, drawn),
    )


def write(sample: Sample) -> None:
    columns = {name: getattr(sample, name) for name in ("value", "count", "child_value", "move")}
    columns["after_plies"] = sample.after.plies
    kinds = {"": sample.positions, "drawn_": sample.drawn, "after_": sample.after.positions}
    for prefix, positions in kinds.items():
        for name in PositionBatch.__slots__:
            columns[prefix + name] = getattr(positions, name)
    np.savez_compressed(FILE, **columns)


if __name__ == "__main__":
    import ludus
    from ludus.learn.scholar.examples import OracleExampleSource
    from ludus.oracles import oracle as find_oracle

    write(make(OracleExampleSource(find_oracle(ludus.game("nine_mens_morris"), Path(sys.argv[1])))))
