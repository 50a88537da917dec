"""A file with the values of one subspace, in the format of `ludus.oracles.storage`."""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import zstandard
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import DRAW, LOST
from ludus.oracles.morris.sectors import Sector
from ludus.oracles.storage import Block, BlockFile, compress_block, decompress_block, write_blocks

Values = NDArray[np.uint8]

BLOCK_SLOTS = 1 << 16
"""Number of slots of a block, small enough to be read and unpacked in under a millisecond."""

_CODES = np.array([value % 2 for value in range(DRAW)] + [2], dtype=np.uint8)
"""Value code to two bits: a loss, a win or a draw."""

_VALUES = np.array([LOST, 1, DRAW, DRAW], dtype=np.uint8)
"""Two bits to the value code without depth."""

_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)


def count_blocks(slots: int) -> int:
    """Return the number of blocks for this number of slots."""
    return -(-slots // BLOCK_SLOTS)


def compress_blocks(values: Values, has_depth: bool) -> list[Block]:
    """Compress values in blocks; equal values give equal bytes."""
    return [
        compress_block(pack(values[first : first + BLOCK_SLOTS], has_depth))
        for first in range(0, len(values), BLOCK_SLOTS)
    ]


def decompress_blocks(datas: Sequence[bytes], into: Values, has_depth: bool) -> None:
    """Decompress successive blocks; zstandard.ZstdError or ValueError if they are malformed."""
    for number, data in enumerate(datas):
        part = into[number * BLOCK_SLOTS : (number + 1) * BLOCK_SLOTS]
        size = count_packed_bytes(len(part), has_depth)
        part[:] = unpack(decompress_block(data, size), len(part), has_depth)


def drop_depth(values: Values) -> Values:
    """Return wins, losses and draws, as stored in a database without depth."""
    return _VALUES[_CODES[values]]


def pack(values: Values, has_depth: bool) -> bytes:
    """Return the bytes to compress: the values themselves, or without depth four in a byte."""
    if has_depth:
        return values.tobytes()
    codes = np.zeros((count_packed_bytes(len(values), has_depth), 4), dtype=np.uint8)
    codes.reshape(-1)[: len(values)] = _CODES[values]
    packed: Values = np.bitwise_or.reduce(codes << _SHIFTS, axis=1)
    return packed.tobytes()


def count_packed_bytes(count: int, has_depth: bool) -> int:
    """Return the number of bytes into which `count` values are packed."""
    return count if has_depth else -(-count // 4)


def unpack(data: bytes, count: int, has_depth: bool) -> Values:
    """Undo `pack` for `count` values."""
    packed = np.frombuffer(data, dtype=np.uint8)
    if has_depth:
        return packed
    codes = (packed[:, np.newaxis] >> _SHIFTS) & 3
    values: Values = _VALUES[codes].reshape(-1)[:count]
    return values


@dataclass(frozen=True)
class ValueCounts:
    """Wins, losses and draws of a subspace for the side to move, once per symmetry class.

    A class has up to 16 symmetric positions.
    """

    win: int
    loss: int
    draw: int
    max_win: int | None
    """Plies of the longest win; None where depths are not stored."""

    max_loss: int | None

    def without_depth(self) -> Self:
        """Return the counts without depths."""
        return replace(self, max_win=None, max_loss=None)


_BLOCKS_PER_TASK = 64


@dataclass(frozen=True)
class TableHeader:
    """The header of a file of values."""

    game: str
    rules: dict[str, Any]
    sector: Sector
    x_to_move: bool
    slots: int
    block_slots: int
    has_depth: bool
    tally: ValueCounts

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "TableHeader":
        fields = json.loads(data)
        fields["sector"] = tuple(fields["sector"])
        fields["tally"] = ValueCounts(**fields["tally"])
        return cls(**fields)


def write_table(path: Path, header: TableHeader, values: Values, pool: Executor) -> None:
    """Write a file atomically. The pool compresses several blocks at a time."""
    blocks = _compress_ahead(values, header.has_depth, pool)
    write_blocks(path, header.to_bytes(), count_blocks(header.slots), blocks)


def _compress_ahead(values: Values, has_depth: bool, pool: Executor) -> Iterator[Block]:
    """Yield all blocks in order, compressed a few tasks ahead, so that memory stays bounded."""
    step, ahead = _BLOCKS_PER_TASK * BLOCK_SLOTS, 8
    tasks: deque[Future[list[Block]]] = deque()
    for first in range(0, len(values), step):
        tasks.append(pool.submit(compress_blocks, values[first : first + step], has_depth))
        if len(tasks) > ahead:
            yield from tasks.popleft().result()
    while tasks:
        yield from tasks.popleft().result()


class TableFile(BlockFile):
    """A file of values opened for reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self.header = TableHeader.from_bytes(self.header_bytes)
            is_sound = count_blocks(self.header.slots) == self.num_blocks
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self.damaged("header") from error
        if self.header.block_slots != BLOCK_SLOTS or not is_sound:
            raise self.damaged("header")
        self.check_size()

    def read_block(self, number: int) -> Values:
        """Return the values of one block."""
        return self._unpacked(number, number + 1)

    def read_all(self, pool: Executor) -> Values:
        """Return the values of the whole table."""
        values = np.empty(self.header.slots, dtype=np.uint8)

        def read(first: int) -> None:
            last = min(first + _BLOCKS_PER_TASK, self.num_blocks)
            values[first * BLOCK_SLOTS : last * BLOCK_SLOTS] = self._unpacked(first, last)

        for _ in pool.map(read, range(0, self.num_blocks, _BLOCKS_PER_TASK)):
            pass
        return values

    def check(self, pool: Executor) -> None:
        """Read and verify every block; BadDatabase if one is damaged."""
        for _ in pool.map(self.read_block, range(self.num_blocks)):
            pass

    def _unpacked(self, first: int, last: int) -> Values:
        """Return the values of successive blocks."""
        parts = self.read_compressed(first, last)
        slots = min(last * BLOCK_SLOTS, self.header.slots) - first * BLOCK_SLOTS
        values = np.empty(slots, dtype=np.uint8)
        try:
            decompress_blocks(parts, values, self.header.has_depth)
        except (ValueError, zstandard.ZstdError) as error:
            raise self.damaged(f"one of the blocks {first} to {last - 1}") from error
        return values
