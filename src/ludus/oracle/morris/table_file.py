"""A file with the values of one subspace: compressed blocks, each with a checksum.

    magic, format version, length of the header, number of blocks     20 bytes
    header                                                            JSON
    index: for each block its length and its checksum                 12 bytes a block
    checksum of all of the above                                      16 bytes
    blocks                                                            compressed with zstd

All numbers are little-endian. Everything read is verified against a checksum first.
"""

import hashlib
import json
import os
import struct
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import zstandard
from numpy.typing import NDArray

from ludus.core.errors import BadDatabase
from ludus.core.files import atomic_file, describe_os_error, quote_path
from ludus.games.nine_mens_morris.batch import DRAW, LOST
from ludus.oracle.morris.sectors import Sector

Values = NDArray[np.uint8]

BLOCK_SLOTS = 1 << 16
"""Number of slots of a block, small enough to be read and unpacked in under a millisecond."""

COMPRESSION_LEVEL = 3
"""Higher levels of compression take much longer and save a few percent."""

DIGEST_SIZE = 8

_CODES = np.array([value % 2 for value in range(DRAW)] + [2], dtype=np.uint8)
"""Value code to two bits: a loss, a win or a draw."""

_VALUES = np.array([LOST, 1, DRAW, DRAW], dtype=np.uint8)
"""Two bits to the value code without depth."""

_SHIFTS = np.array([0, 2, 4, 6], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Block:
    """A compressed block as stored in a file."""

    data: bytes
    digest: bytes


def compute_checksum(data: bytes) -> bytes:
    """Return a checksum that detects accidental changes."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def count_blocks(slots: int) -> int:
    """Return the number of blocks for this number of slots."""
    return -(-slots // BLOCK_SLOTS)


def compress_blocks(values: Values, has_depth: bool) -> list[Block]:
    """Compress values in blocks; equal values give equal bytes."""
    compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL)
    blocks = []
    for first in range(0, len(values), BLOCK_SLOTS):
        data = compressor.compress(pack(values[first : first + BLOCK_SLOTS], has_depth))
        blocks.append(Block(data, compute_checksum(data)))
    return blocks


def decompress_blocks(datas: Sequence[bytes], into: Values, has_depth: bool) -> None:
    """Decompress successive blocks; zstandard.ZstdError or ValueError if they are malformed."""
    decompressor = zstandard.ZstdDecompressor()
    for number, data in enumerate(datas):
        part = into[number * BLOCK_SLOTS : (number + 1) * BLOCK_SLOTS]
        if zstandard.frame_content_size(data) != count_packed_bytes(len(part), has_depth):
            raise ValueError("a block has the wrong size")
        part[:] = unpack(decompressor.decompress(data), len(part), has_depth)


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


MAGIC = b"LUDUSTBL"
TABLE_VERSION = 1
_PREAMBLE = struct.Struct("<8sIII")
_ENTRY = np.dtype([("length", "<u4"), ("digest", f"V{DIGEST_SIZE}")])
_PREFIX_DIGEST = 16

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
    count = count_blocks(header.slots)
    index = np.zeros(count, dtype=_ENTRY)
    with atomic_file(path, "wb", sync=True) as file:
        file.write(bytes(len(_make_prefix(header, index))))
        for number, block in enumerate(_compress_ahead(values, header.has_depth, pool)):
            index[number] = len(block.data), block.digest
            file.write(block.data)
        file.seek(0)
        file.write(_make_prefix(header, index))


def _make_prefix(header: TableHeader, index: NDArray[Any]) -> bytes:
    text = header.to_bytes()
    data = _PREAMBLE.pack(MAGIC, TABLE_VERSION, len(text), len(index)) + text + index.tobytes()
    return data + _prefix_digest(data)


def _prefix_digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_PREFIX_DIGEST).digest()


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


class TableFile:
    """A file opened for reading: header and index are verified, blocks when they are read.

    Blocks are read with plain reads, not through a memory map: a file truncated meanwhile is then
    an ordinary error and does not kill the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        prefix = self._read_prefix()
        _, _, header_size, count = _PREAMBLE.unpack_from(prefix)
        text = prefix[_PREAMBLE.size : _PREAMBLE.size + header_size]
        try:
            self.header = TableHeader.from_bytes(text)
            is_sound = count_blocks(self.header.slots) == count
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._damaged("header") from error
        if self.header.block_slots != BLOCK_SLOTS or not is_sound:
            raise self._damaged("header")
        index = np.frombuffer(prefix, _ENTRY, count, _PREAMBLE.size + header_size)
        self._digests = index["digest"]
        self._ends = len(prefix) + np.cumsum(index["length"], dtype=np.int64)
        self._lengths = index["length"]
        size = int(self._ends[-1]) if count else len(prefix)
        if self._size() != size:
            raise BadDatabase(f"{self._name} has {self._size()} bytes and should have {size}")

    @property
    def num_blocks(self) -> int:
        return len(self._ends)

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
        start = int(self._ends[first]) - int(self._lengths[first])
        data = self._read(start, int(self._ends[last - 1]) - start)
        parts = []
        for number in range(first, last):
            end = int(self._ends[number]) - start
            parts.append(data[end - int(self._lengths[number]) : end])
            if compute_checksum(parts[-1]) != self._digests[number].tobytes():
                raise self._damaged(f"block {number}")
        slots = min(last * BLOCK_SLOTS, self.header.slots) - first * BLOCK_SLOTS
        values = np.empty(slots, dtype=np.uint8)
        try:
            decompress_blocks(parts, values, self.header.has_depth)
        except (ValueError, zstandard.ZstdError) as error:
            raise self._damaged(f"one of the blocks {first} to {last - 1}") from error
        return values

    def _read_prefix(self) -> bytes:
        opening = self._read(0, _PREAMBLE.size)
        if len(opening) < _PREAMBLE.size or not opening.startswith(MAGIC):
            raise BadDatabase(f"{self._name} is not a table of values, or its beginning is damaged")
        _, version, header_size, count = _PREAMBLE.unpack(opening)
        if version != TABLE_VERSION:
            raise BadDatabase(
                f"{self._name} has format version {version}; {TABLE_VERSION} is known"
            )
        size = _PREAMBLE.size + header_size + count * _ENTRY.itemsize
        if size + _PREFIX_DIGEST > self._size():
            raise self._damaged("header")
        data = self._read(0, size + _PREFIX_DIGEST)
        if _prefix_digest(data[:size]) != data[size:]:
            raise self._damaged("header")
        return data

    def _read(self, start: int, size: int) -> bytes:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                return os.pread(descriptor, size, start)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise BadDatabase(f"cannot read {self._name}: {describe_os_error(error)}") from error

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise BadDatabase(f"cannot read {self._name}: {describe_os_error(error)}") from error

    @property
    def _name(self) -> str:
        return quote_path(self.path)

    def _damaged(self, what: str) -> BadDatabase:
        return BadDatabase(f"{self._name} is damaged: {what}")
