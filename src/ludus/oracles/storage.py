"""Solved games on disk: a folder with a manifest, and files of compressed blocks with checksums.

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
import re
import shlex
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from ludus.core.errors import BadDatabase
from ludus.core.files import (
    atomic_file,
    data_folder,
    describe_os_error,
    quote_path,
    read_bytes,
    write_bytes,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe would wait for its writer; Windows has no pipes among files, but text files."""

MANIFEST_NAME = "ludus.json"
MANIFEST_VERSION = 1
_MAX_MANIFEST_BYTES = 10_000


class DamagedTable(BadDatabase):
    """A file of values is damaged; without the file, the same command solves its values again."""


def databases_folder() -> Path | None:
    """Return the folder in which solved games are found; None if the home folder is unknown.

    It is LUDUS_ORACLE, or `oracle` in the user's data folder.
    """
    if named := os.environ.get("LUDUS_ORACLE"):
        return Path(named)
    data = data_folder()
    return None if data is None else data / "oracle"


def format_solve_command(spec: str, options: str = "", folder: Path | None = None) -> str:
    """Return the command that solves a game into a folder where it is found, in backquotes.

    By default the folder is one of its own in `databases_folder`.
    """
    if folder is None and (parent := databases_folder()) is not None:
        folder = parent / re.sub("[^a-z0-9_]+", "-", spec.lower())
    place = "DIR" if folder is None else shlex.quote(str(folder))
    return f"`ludus solve {spec}{options} --out {place}`"


def write_manifest(folder: Path, game: str, **fields: Any) -> None:
    """Write the manifest of a solved game, the first file of its folder."""
    text = _format_manifest({"game": game, "version": MANIFEST_VERSION, **fields})
    write_bytes(folder / MANIFEST_NAME, text.encode(), sync=True)


def read_manifest(folder: Path, game: str | None = None) -> dict[str, Any]:
    """Return the fields of a folder's manifest; BadDatabase if it is missing, damaged or another's.

    Only its canonical form is accepted, so that any changed byte is detected.
    """
    path = folder / MANIFEST_NAME
    quoted = quote_path(path)
    try:
        data = read_bytes(path, _MAX_MANIFEST_BYTES, BadDatabase)
    except BadDatabase as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise BadDatabase(f"there is no database in {quote_path(folder)}") from None
        raise
    try:
        fields: dict[str, Any] = json.loads(data)
        version = fields["version"]
        fields.pop("checksum", None)
        is_canonical = _format_manifest(fields).encode() == data
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise damaged_manifest(folder) from error
    if version != MANIFEST_VERSION:
        raise BadDatabase(
            f"{quoted} has format version {version!r:.20}; {MANIFEST_VERSION} is known"
        )
    if not is_canonical:
        raise damaged_manifest(folder)
    if game not in (None, fields.get("game")):
        raise BadDatabase(f"{quote_path(folder)} does not hold {game}")
    return fields


def damaged_manifest(folder: Path) -> BadDatabase:
    """Return the error for a damaged manifest, with what to do: tables repeat what it says."""
    return BadDatabase(
        f"{quote_path(folder / MANIFEST_NAME)} is damaged; delete this file, and the `ludus solve` "
        "that made the folder writes it again"
    )


def _format_manifest(fields: Mapping[str, Any]) -> str:
    checksum = hashlib.blake2b(json.dumps(fields).encode(), digest_size=8).hexdigest()
    return json.dumps({**fields, "checksum": checksum}, indent=2) + "\n"


COMPRESSION_LEVEL = 3
"""Higher levels of compression take much longer and save a few percent."""

DIGEST_SIZE = 8


def compute_checksum(data: bytes) -> bytes:
    """Return a checksum that detects accidental changes."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def compress_block(data: bytes) -> bytes:
    """Compress the content of a block; equal content gives equal bytes."""
    return zstd.compress(data, level=COMPRESSION_LEVEL)


def decompress_block(data: bytes, size: int) -> bytes:
    """Return the content of a block; ValueError if it is malformed."""
    try:
        if zstd.get_frame_info(data).decompressed_size != size:
            raise ValueError("a block has the wrong size")
        return zstd.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


MAGIC = b"LUDUSTBL"
FORMAT_VERSION = 1
_PREAMBLE = struct.Struct("<8sIII")
_ENTRY = np.dtype([("length", "<u4"), ("digest", f"V{DIGEST_SIZE}")])
_PREFIX_DIGEST = 16
_BLOCKS_PER_CHECK = 64


def write_blocks(path: Path, header: bytes, num_blocks: int, blocks: Iterable[bytes]) -> None:
    """Write compressed blocks into a file, atomically."""
    index = np.zeros(num_blocks, dtype=_ENTRY)
    with atomic_file(path, "wb", sync=True) as file:
        file.write(bytes(len(_make_prefix(header, index))))
        for number, block in enumerate(blocks):
            index[number] = len(block), compute_checksum(block)
            file.write(block)
        file.seek(0)
        file.write(_make_prefix(header, index))


def _make_prefix(header: bytes, index: NDArray[Any]) -> bytes:
    data = _PREAMBLE.pack(MAGIC, FORMAT_VERSION, len(header), len(index)) + header + index.tobytes()
    return data + _prefix_digest(data)


def _prefix_digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_PREFIX_DIGEST).digest()


class BlockFile:
    """A file opened for reading: header and index are verified, blocks when they are read.

    Blocks are read with plain reads, not through a memory map: a file truncated meanwhile is then
    an ordinary error and does not kill the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        prefix = self._read_prefix()
        _, _, header_size, count = _PREAMBLE.unpack_from(prefix)
        self.header_bytes = prefix[_PREAMBLE.size : _PREAMBLE.size + header_size]
        index = np.frombuffer(prefix, _ENTRY, count, _PREAMBLE.size + header_size)
        self._digests = index["digest"]
        self._ends = len(prefix) + np.cumsum(index["length"], dtype=np.int64)
        self._lengths = index["length"]
        self._expected_size = int(self._ends[-1]) if count else len(prefix)

    @property
    def num_blocks(self) -> int:
        return len(self._ends)

    def check_size(self) -> None:
        """Raise BadDatabase if the file is shorter or longer than its index says."""
        size = self._size()
        if size != self._expected_size:
            raise DamagedTable(
                f"{self.name} has {size} bytes and should have {self._expected_size}"
            )

    def check_checksums(self, pool: Executor) -> None:
        """Verify every byte without decompressing the blocks; BadDatabase if one has changed."""
        starts = range(0, self.num_blocks, _BLOCKS_PER_CHECK)
        ends = (min(start + _BLOCKS_PER_CHECK, self.num_blocks) for start in starts)
        for _ in pool.map(self.read_compressed, starts, ends):
            pass

    def read_compressed(self, first: int, last: int) -> list[bytes]:
        """Return successive blocks, verified."""
        start = int(self._ends[first]) - int(self._lengths[first])
        data = self._read(start, int(self._ends[last - 1]) - start)
        parts = []
        for number in range(first, last):
            end = int(self._ends[number]) - start
            parts.append(data[end - int(self._lengths[number]) : end])
            if compute_checksum(parts[-1]) != self._digests[number].tobytes():
                raise self.damaged(f"block {number}")
        return parts

    @property
    def name(self) -> str:
        """The path, quoted for messages."""
        return quote_path(self.path)

    def damaged(self, what: str) -> BadDatabase:
        """Return the error for a damaged part."""
        return DamagedTable(f"{self.name} is damaged: {what}")

    def _read_prefix(self) -> bytes:
        opening = self._read(0, _PREAMBLE.size)
        if len(opening) < _PREAMBLE.size or not opening.startswith(MAGIC):
            raise DamagedTable(f"{self.name} is not a table of values, or its beginning is damaged")
        _, version, header_size, count = _PREAMBLE.unpack(opening)
        if version != FORMAT_VERSION:
            raise BadDatabase(
                f"{self.name} has format version {version}; {FORMAT_VERSION} is known"
            )
        size = _PREAMBLE.size + header_size + count * _ENTRY.itemsize
        if size + _PREFIX_DIGEST > self._size():
            raise self.damaged("header")
        data = self._read(0, size + _PREFIX_DIGEST)
        if _prefix_digest(data[:size]) != data[size:]:
            raise self.damaged("header")
        return data

    def _read(self, start: int, size: int) -> bytes:
        try:
            descriptor = os.open(self.path, READ_FLAGS)
            try:
                os.lseek(descriptor, start, os.SEEK_SET)
                return os.read(descriptor, size)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise BadDatabase(f"cannot read {self.name}: {describe_os_error(error)}") from error

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise BadDatabase(f"cannot read {self.name}: {describe_os_error(error)}") from error


class BlockCache:
    """The blocks of several files that were read last, up to a size, for several threads."""

    def __init__(self, max_bytes: int) -> None:
        self._blocks: LRUCache[tuple[str, int], Any]
        self._blocks = LRUCache(max_bytes, getsizeof=lambda block: block.nbytes)
        self._lock = threading.Lock()

    def get(self, file: BlockFile, number: int, read: Callable[[int], NDArray[Any]]) -> Any:
        """Return a block of a file, which `read` reads if it is not here."""
        key = file.path.name, number
        with self._lock:
            block = self._blocks.get(key)
        if block is None:
            block = read(number)  # other threads may look up theirs meanwhile
            with suppress(ValueError), self._lock:  # it may be larger than the cache
                self._blocks[key] = block
        return block
