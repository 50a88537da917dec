"""Critical positions of a file of the author's: those in which some move loses value."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets import MoveBatch, read_dataset
from ludus.games import game as named_game
from ludus.games.nine_mens_morris import (
    Move,
    PositionBatch,
    keeps_value,
    points_to_moves,
    unpack_moves,
)
from ludus.learn.scholar import ExampleBatch, ExampleSource
from ludus.reproduce import Context, write_bytes

from ..galassi.data import find_data_folder, sample_entries
from .players import GAME, RULES

SETS = {"dataset": "dataset.txt", "states": "states.txt"}
"""The entries that the thesis's networks were trained on, and further states of games."""

STEP = 4096
"""Entries that are looked up together."""

ALL_MOVES = 256
"""More than any position has."""

NO_MOVE = -1


@dataclass(frozen=True)
class CriticalSet:
    """Positions with the exact value of each of their moves, as arrays."""

    own: NDArray[np.int32]
    other: NDArray[np.int32]
    own_hand: NDArray[np.uint8]
    other_hand: NDArray[np.uint8]

    value: NDArray[np.uint8]
    """Plies to the end, odd for a win of the mover and even for a loss; or DRAW."""

    dataset_move: NDArray[np.int32]
    """The move that stands in the file, packed as in ChildBatch; NO_MOVE where none does."""

    first: NDArray[np.int64]
    """Where the moves of each position begin, and where the last ones end."""

    move: NDArray[np.int32]
    """All moves of all positions, packed as in ChildBatch."""

    after: NDArray[np.uint8]
    """What each leads to, for the side that is then to move."""

    entries: NDArray[np.int64]
    """One number: the entries of the file that were looked at, critical or not."""

    def __len__(self) -> int:
        return len(self.own)

    @property
    def owner(self) -> NDArray[np.int64]:
        """The position of each move."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which moves keep the value."""
        found: NDArray[np.bool_] = keeps_value(self.value[self.owner], self.after)
        return found

    def positions(self, which: slice = slice(None)) -> list[Any]:
        """The positions as objects of the game, White to move."""
        return self.batch[which].to_positions(named_game(GAME, RULES))

    def moves_at(self, numbers: int | NDArray[np.int64]) -> list[Move]:
        """Return the moves with these numbers."""
        return points_to_moves(unpack_moves(np.atleast_1d(self.move[numbers])))

    @property
    def batch(self) -> PositionBatch:
        return PositionBatch(self.own, self.other, self.own_hand, self.other_hand)

    def numbers(self, moves: Sequence[int]) -> NDArray[np.int64]:
        """Return the numbers of packed moves, one for each position; NO_MOVE if not found."""
        is_chosen = self.move == np.asarray(moves)[self.owner]
        found = np.full(len(self), NO_MOVE, dtype=np.int64)
        found[self.owner[is_chosen]] = np.flatnonzero(is_chosen)
        return found


def load_critical_set(context: Context, source: ExampleSource, name: str) -> CriticalSet:
    """Return the critical positions of a set; they are computed once and stored in a file."""
    path = find_data_folder() / SETS[name]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    file = context.folder(f"critical {name} {digest}") / "critical_positions.npz"
    if not file.is_file():
        number = context.setting("positions")
        entries = sample_entries(read_dataset(path), number, context.seed_for(name, number))
        _write_positions(file, _concatenate(list(label_parts(context, source, entries, name))))
    with np.load(file, allow_pickle=False) as arrays:
        return CriticalSet(**{each.name: arrays[each.name] for each in fields(CriticalSet)})


def label_parts(
    context: Context, source: ExampleSource, entries: MoveBatch, name: str
) -> Iterator[CriticalSet]:
    for first in range(0, len(entries), STEP):
        context.progress(first, len(entries), f"critical positions, {name}")
        part = entries[first : first + STEP]
        found = source.examples(part.positions, ALL_MOVES)
        yield _select_critical(found, _pack_dataset_moves(part))


def _select_critical(found: ExampleBatch, dataset_move: NDArray[np.int32]) -> CriticalSet:
    goes_on = int((found.children.count > 0).sum())
    is_critical = found.is_critical
    found, dataset_move = found[is_critical], dataset_move[is_critical]
    is_move = found.children.is_move
    first = np.concatenate([[0], np.cumsum(is_move.sum(axis=1))])
    moves, after = found.children.move[is_move], found.children.value[is_move]
    columns = found.positions.position_columns
    return CriticalSet(
        *columns, found.value, dataset_move, first, moves, after, np.array([goes_on])
    )


def _pack_dataset_moves(entries: MoveBatch) -> NDArray[np.int32]:
    return np.where(entries.has_move, entries.pack(), np.int32(NO_MOVE))


def _concatenate(parts: Sequence[CriticalSet]) -> CriticalSet:
    columns: dict[str, NDArray[Any]] = {
        each.name: np.concatenate([getattr(part, each.name) for part in parts])
        for each in fields(CriticalSet)
    }
    ends = np.cumsum([0, *(len(part.move) for part in parts)])
    starts = [part.first[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return CriticalSet(
        **{
            **columns,
            "first": np.concatenate([*starts, ends[-1:]]),
            "entries": columns["entries"].sum(keepdims=True),
        }
    )


def _write_positions(file: Path, found: CriticalSet) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, **{each.name: getattr(found, each.name) for each in fields(CriticalSet)}
    )
    write_bytes(file, buffer.getvalue())
