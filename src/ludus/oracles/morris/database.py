"""A solved game in a folder: a manifest, and one file per subspace.

A file is named after its subspace from the mover's view: `3_4_0_0.values` holds the positions in
which the mover has three men, the other side four, and neither side has men in hand.
"""

import json
import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadDatabase, LudusError
from ludus.core.files import describe_os_error, lock_folder, quote_path
from ludus.core.processes import count_cores
from ludus.games.nine_mens_morris.batch import DRAW, LOST
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.sectors import Sector, num_slots, orient, sides_to_move, subspace_of
from ludus.oracles.storage import (
    MANIFEST_NAME,
    BlockCache,
    BlockFile,
    compress_block,
    damaged_manifest,
    decompress_block,
    read_manifest,
    write_blocks,
    write_manifest,
)

GAME_ID = "nine_mens_morris"

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


def compress_blocks(values: Values, has_depth: bool) -> list[bytes]:
    """Compress values in blocks; equal values give equal bytes."""
    return [
        compress_block(pack(values[first : first + BLOCK_SLOTS], has_depth))
        for first in range(0, len(values), BLOCK_SLOTS)
    ]


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


def _compress_ahead(values: Values, has_depth: bool, pool: Executor) -> Iterator[bytes]:
    """Yield all blocks in order, compressed a few tasks ahead, so that memory stays bounded."""
    step, ahead = _BLOCKS_PER_TASK * BLOCK_SLOTS, 8
    tasks: deque[Future[list[bytes]]] = deque()
    for first in range(0, len(values), step):
        tasks.append(pool.submit(compress_blocks, values[first : first + step], has_depth))
        if len(tasks) > ahead:
            yield from tasks.popleft().result()
    while tasks:
        yield from tasks.popleft().result()


class TableFile(BlockFile):
    """The file of the values of a subspace, opened for reading."""

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
        slots = min(last * BLOCK_SLOTS, self.header.slots) - first * BLOCK_SLOTS
        values = np.empty(slots, dtype=np.uint8)
        try:
            for number, data in enumerate(self.read_compressed(first, last)):
                part = values[number * BLOCK_SLOTS : (number + 1) * BLOCK_SLOTS]
                size = count_packed_bytes(len(part), self.header.has_depth)
                part[:] = unpack(decompress_block(data, size), len(part), self.header.has_depth)
        except ValueError as error:
            raise self.damaged(f"one of the blocks {first} to {last - 1}") from error
        return values


FILE_SUFFIX = ".values"

CACHE_BYTES = 1 << 30
"""Size of the blocks that a database keeps in memory."""

_FILE_NAME = re.compile(
    r"([0-9]{1,2})_([0-9]{1,2})_([0-9]{1,2})_([0-9]{1,2})" + re.escape(FILE_SUFFIX)
)

Half = tuple[Sector, bool]
"""A sector, and whether its X is to move."""


class Database:
    """Values on disk. Everything read is verified; damage is an error and never a wrong value.

    A value is a byte: plies to the end of the game, odd where the mover wins and even where it
    loses, or 255 for a draw. Without depth a win is 1 and a loss 0.
    """

    def __init__(
        self, folder: Path, rules: Rules, has_depth: bool, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self.folder = folder
        self.rules = rules
        self.has_depth = has_depth
        self._files: dict[Half, TableFile] = {}
        self._cache = BlockCache(cache_bytes)
        self._halves = frozenset(self._find())

    @classmethod
    def open(cls, folder: Path | str, cache_bytes: int = CACHE_BYTES) -> "Database":
        """Open the database of a folder; BadDatabase if there is none that can be read.

        Each file is checked when it is first used.
        """
        folder = Path(folder)
        fields = read_manifest(folder, GAME_ID)
        try:
            rules, has_depth = Rules(**fields["rules"]), fields["has_depth"]
        except (TypeError, KeyError, LudusError) as error:
            raise damaged_manifest(folder) from error
        if not isinstance(has_depth, bool):
            raise damaged_manifest(folder)
        return cls(folder, rules, has_depth, cache_bytes)

    @classmethod
    @contextmanager
    def open_for_writing(
        cls, folder: Path | str, rules: Rules, has_depth: bool, is_shared: bool = False
    ) -> "Iterator[Database]":
        """Open the database of a folder for writing, created if necessary, and lock the folder.

        With `is_shared` other processes may do the same, if they say so, too.
        """
        folder = Path(folder)
        with lock_folder(folder, is_shared):
            if not (folder / MANIFEST_NAME).exists():
                write_manifest(folder, GAME_ID, has_depth=has_depth, rules=asdict(rules))
            found = cls.open(folder)
            quoted = quote_path(folder)
            if found.rules != rules:
                raise BadDatabase(
                    f"{quoted} holds a game of other rules: {_format_difference(found, rules)}"
                )
            if found.has_depth != has_depth:
                held, needed = ("with", "without") if found.has_depth else ("without", "with")
                raise BadDatabase(f"{quoted} holds values {held} depth, not {needed} it")
            yield found

    @property
    def sectors(self) -> frozenset[Half]:
        """The halves that are present: sectors, and whether their X is to move."""
        return self._halves

    def has(self, sector: Sector) -> bool:
        """Return whether a sector is present with every side to move that it can have."""
        return all(
            (sector, x_to_move) in self._halves for x_to_move in sides_to_move(self.rules, sector)
        )

    def refresh(self) -> None:
        """Notice the subspaces that other processes have written."""
        self._halves = frozenset(self._find())

    def read(self, sector: Sector, x_to_move: bool, slots: NDArray[np.uint64]) -> Values:
        """Return the values of some slots of a subspace, in the given order."""
        file = self._file(sector, x_to_move)
        if len(slots) == 0:
            return np.empty(0, dtype=np.uint8)
        if int(slots.max()) >= file.header.slots:
            raise IndexError(f"{file.path.name} has {file.header.slots} slots")
        if len(slots) == 1:
            number, offset = divmod(int(slots[0]), BLOCK_SLOTS)
            block: Values = self._cache.get(file, number, file.read_block)
            return block[offset : offset + 1].copy()
        # Sorted by block, so that each is read once.
        order = np.argsort(slots, kind="stable")
        numbers, offsets = np.divmod(slots[order], np.uint64(BLOCK_SLOTS))
        edges = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1), len(slots)]
        found = np.empty(len(slots), dtype=np.uint8)
        for first, last in pairwise(edges):
            block = self._cache.get(file, int(numbers[first]), file.read_block)
            found[first:last] = block[offsets[first:last]]
        values = np.empty_like(found)
        values[order] = found
        return values

    def read_table(self, sector: Sector, x_to_move: bool, pool: Executor | None = None) -> Values:
        """Return all values of a subspace."""
        file = self._file(sector, x_to_move)
        if pool is not None:
            return file.read_all(pool)
        with ThreadPoolExecutor(count_cores()) as own_pool:
            return file.read_all(own_pool)

    def read_counts(self, sector: Sector, x_to_move: bool) -> ValueCounts:
        """Return the counts stored with a subspace."""
        return self._file(sector, x_to_move).header.tally

    def check_file(self, sector: Sector, x_to_move: bool, pool: Executor) -> None:
        """Verify every byte of a subspace's file; BadDatabase if one has changed."""
        self._file(sector, x_to_move).check(pool)

    def check_checksums(self, sector: Sector, x_to_move: bool, pool: Executor) -> None:
        """Verify the checksums of a subspace's file; BadDatabase if a byte has changed."""
        self._file(sector, x_to_move).check_checksums(pool)

    def write(
        self, sector: Sector, x_to_move: bool, values: Values, tally: ValueCounts, pool: Executor
    ) -> None:
        """Add a subspace. It is present when its file is complete on disk."""
        header = TableHeader(
            game=GAME_ID,
            rules=asdict(self.rules),
            sector=sector,
            x_to_move=x_to_move,
            slots=len(values),
            block_slots=BLOCK_SLOTS,
            has_depth=self.has_depth,
            tally=tally,
        )
        write_table(self._path(sector, x_to_move), header, values, pool)
        self._halves |= {(sector, x_to_move)}

    def _find(self) -> Iterator[Half]:
        """Find the subspaces whose files are present."""
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError as error:
            quoted = quote_path(self.folder)
            raise BadDatabase(f"cannot read {quoted}: {describe_os_error(error)}") from error
        for name in names:
            if match := _FILE_NAME.fullmatch(name):
                sector, x_to_move = orient(*map(int, match.groups()))
                x, y, x_hand, y_hand = sector
                is_too_many = max(x + x_hand, y + y_hand) > self.rules.men
                if not is_too_many and x_to_move in sides_to_move(self.rules, sector):
                    yield sector, x_to_move

    def _path(self, sector: Sector, x_to_move: bool) -> Path:
        return self.folder / f"{subspace_of(sector, x_to_move)}{FILE_SUFFIX}"

    def _file(self, sector: Sector, x_to_move: bool) -> TableFile:
        half = sector, x_to_move
        if half not in self._files:
            file = TableFile(self._path(sector, x_to_move))
            header = file.header
            if (header.sector, header.x_to_move) != half or header.game != GAME_ID:
                raise BadDatabase(f"{quote_path(file.path)} holds another subspace")
            if header.slots != num_slots(sector):
                raise BadDatabase(f"{quote_path(file.path)} has a wrong number of slots")
            if header.rules != asdict(self.rules) or header.has_depth != self.has_depth:
                raise BadDatabase(f"{quote_path(file.path)} belongs to another database")
            self._files[half] = file
        return self._files[half]


def _format_difference(found: Database, wanted: Rules) -> str:
    here, there = asdict(found.rules), asdict(wanted)
    return ", ".join(f"{name}={here[name]}" for name in here if here[name] != there[name])
