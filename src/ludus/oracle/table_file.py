"""One file with the values of one subspace.

    magic, format version, length of the header, number of blocks     20 bytes
    header                                                            JSON
    index: for each block its length and its checksum                 12 bytes a block
    checksum of all of the above                                      16 bytes
    blocks                                                            compressed with zstd

All numbers are little-endian. Whatever is read is checked against a checksum first.
"""

import hashlib
import json
import os
import struct
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from ludus.core.errors import quoted
from ludus.oracle import blocks
from ludus.oracle.blocks import BLOCK_SLOTS, Block, Values
from ludus.oracle.errors import BadDatabase
from ludus.oracle.folder import whole_file
from ludus.oracle.sectors import Sector
from ludus.oracle.tally import Tally

MAGIC = b"LUDUSTBL"
VERSION = 1
_OPENING = struct.Struct("<8sIII")
_ENTRY = np.dtype([("length", "<u4"), ("digest", f"V{blocks.DIGEST_SIZE}")])
_PREFIX_DIGEST = 16

_BLOCKS_A_TASK = 64


@dataclass(frozen=True)
class Header:
    """What a file says about the values in it."""

    game: str
    rules: dict[str, Any]
    sector: Sector
    x_to_move: bool
    slots: int
    block_slots: int
    has_depth: bool
    tally: Tally

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Header":
        fields = json.loads(data)
        fields["sector"] = tuple(fields["sector"])
        fields["tally"] = Tally(**fields["tally"])
        return cls(**fields)


def write_table(path: Path, header: Header, values: Values, pool: Executor) -> None:
    """Write a file, complete or not at all. The pool compresses several blocks at a time."""
    count = blocks.num_blocks(header.slots)
    index = np.zeros(count, dtype=_ENTRY)
    with whole_file(path) as file:
        file.write(bytes(len(_prefix(header, index))))
        for number, block in enumerate(_blocks(values, header.has_depth, pool)):
            index[number] = len(block.data), block.digest
            file.write(block.data)
        file.seek(0)
        file.write(_prefix(header, index))


def _prefix(header: Header, index: NDArray[Any]) -> bytes:
    text = header.to_bytes()
    data = _OPENING.pack(MAGIC, VERSION, len(text), len(index)) + text + index.tobytes()
    return data + _prefix_digest(data)


def _prefix_digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_PREFIX_DIGEST).digest()


def _blocks(values: Values, has_depth: bool, pool: Executor) -> Iterator[Block]:
    """All blocks in order, a few tasks ahead of who takes them, so that memory stays bounded."""
    step, ahead = _BLOCKS_A_TASK * BLOCK_SLOTS, 8
    tasks: deque[Future[list[Block]]] = deque()
    for first in range(0, len(values), step):
        tasks.append(pool.submit(blocks.compressed, values[first : first + step], has_depth))
        if len(tasks) > ahead:
            yield from tasks.popleft().result()
    while tasks:
        yield from tasks.popleft().result()


class TableFile:
    """A file opened for reading: its header and index are checked, its blocks when they are read.

    Blocks are read with plain reads, not through a memory map: a file cut off behind our back is
    then an error like any other and does not end the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        prefix = self._read_prefix()
        _, _, header_size, count = _OPENING.unpack_from(prefix)
        text = prefix[_OPENING.size : _OPENING.size + header_size]
        try:
            self.header = Header.from_bytes(text)
            is_sound = blocks.num_blocks(self.header.slots) == count
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._damaged("header") from error
        if self.header.block_slots != BLOCK_SLOTS or not is_sound:
            raise self._damaged("header")
        index = np.frombuffer(prefix, _ENTRY, count, _OPENING.size + header_size)
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
        """The values of one block."""
        return self._unpacked(number, number + 1)

    def read_all(self, pool: Executor) -> Values:
        """The values of the whole table."""
        values = np.empty(self.header.slots, dtype=np.uint8)

        def read(first: int) -> None:
            last = min(first + _BLOCKS_A_TASK, self.num_blocks)
            values[first * BLOCK_SLOTS : last * BLOCK_SLOTS] = self._unpacked(first, last)

        for _ in pool.map(read, range(0, self.num_blocks, _BLOCKS_A_TASK)):
            pass
        return values

    def check(self, pool: Executor) -> None:
        """Read every block and forget it again; BadDatabase if one is damaged."""
        for _ in pool.map(self.read_block, range(self.num_blocks)):
            pass

    def _unpacked(self, first: int, last: int) -> Values:
        """The values of successive blocks."""
        start = int(self._ends[first]) - int(self._lengths[first])
        data = self._read(start, int(self._ends[last - 1]) - start)
        parts = []
        for number in range(first, last):
            end = int(self._ends[number]) - start
            parts.append(data[end - int(self._lengths[number]) : end])
            if blocks.digest(parts[-1]) != self._digests[number].tobytes():
                raise self._damaged(f"block {number}")
        slots = min(last * BLOCK_SLOTS, self.header.slots) - first * BLOCK_SLOTS
        values = np.empty(slots, dtype=np.uint8)
        try:
            blocks.decompressed(parts, values, self.header.has_depth)
        except (ValueError, zstandard.ZstdError) as error:
            raise self._damaged(f"one of the blocks {first} to {last - 1}") from error
        return values

    def _read_prefix(self) -> bytes:
        opening = self._read(0, _OPENING.size)
        if len(opening) < _OPENING.size or not opening.startswith(MAGIC):
            raise BadDatabase(f"{self._name} is not a table of values, or its beginning is damaged")
        _, version, header_size, count = _OPENING.unpack(opening)
        if version != VERSION:
            raise BadDatabase(f"{self._name} has format version {version}; {VERSION} is known")
        size = _OPENING.size + header_size + count * _ENTRY.itemsize
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
            raise BadDatabase(f"cannot read {self._name}: {error.strerror}") from error

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise BadDatabase(f"cannot read {self._name}: {error.strerror}") from error

    @property
    def _name(self) -> str:
        return quoted(str(self.path), 200)

    def _damaged(self, what: str) -> BadDatabase:
        return BadDatabase(f"{self._name} is damaged: {what}")
