"""Positions in which a scorer plays a stored move instead of its own choice.

A certificate (`certificate.py`) lists the positions in which the networks alone would give the
value away. They are stored beside the weights, one entry for each class of 16 symmetric positions,
and belong to these weights only: the file names their digest.
"""

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import (
    NO_POINT,
    PositionBatch,
    pack_moves,
    unpack_moves,
)
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.learn.weights import BadWeights, read_tensors, write_tensors

SUFFIX = ".exceptions"
"""Suffix of the file of exceptions beside a file of weights."""

KIND = "scholar-exceptions"
MAX_FILE_BYTES = 64_000_000
MAX_ENTRIES = 50_000_000
NO_EXCEPTION = -1

BLOCK_ENTRIES = 1024
"""Entries that are compressed together; looking one up unpacks these."""

NUM_CHOICES = NO_POINT + 1
"""Choices of a part of a move: the points, and none."""

KEY_BYTES = 7
"""Bytes of a canonical key: two boards of 24 points and the men in hand."""

INVERSE_IMAGES = np.array([[*np.argsort(image), NO_POINT] for image in SYMMETRIES], np.int8)
"""Entry [g, p]: the point that symmetry g takes to p; NO_POINT stays."""


@dataclass(frozen=True)
class Exceptions:
    """Stored moves by canonical position."""

    keys: NDArray[np.int64]
    """Canonical keys of the positions, ascending; see `PositionBatch.find_canonical`."""

    moves: NDArray[np.int32]
    """The moves in the canonical positions, packed as in ChildBatch."""

    weights: str
    """Digest of the weights that they belong to."""

    loss_aversion: float
    """The loss aversion that they were found with."""

    facts: Mapping[str, Any]
    """The certificate: what was visited, and its digest."""

    def __len__(self) -> int:
        return len(self.keys)

    def digest(self) -> str:
        """Return a digest of the entries."""
        return hashlib.sha256(self.keys.tobytes() + self.moves.tobytes()).hexdigest()


@dataclass(frozen=True)
class PackedExceptions:
    """Exceptions as in a file: compressed blocks, which are unpacked when they are looked at.

    A player is ready at once, however many exceptions there are.
    """

    blocks: Sequence[bytes]
    first_keys: NDArray[np.int64]
    """The first key of each block."""

    number: int
    weights: str
    loss_aversion: float
    facts: Mapping[str, Any]

    def __len__(self) -> int:
        return self.number

    def find(self, positions: PositionBatch) -> NDArray[np.int32]:
        """Return the stored move, packed, of each position; NO_EXCEPTION where there is none."""
        found = np.full(len(positions), NO_EXCEPTION, np.int32)
        if not self.number:
            return found
        keys, symmetry = positions.find_canonical()
        block = np.asarray(self.first_keys.searchsorted(keys, side="right")) - 1
        for number in np.unique(block[block >= 0]).tolist():
            block_keys, block_moves = self._unpack_block(number)
            rows = np.flatnonzero(block == number)
            place = np.minimum(block_keys.searchsorted(keys[rows]), len(block_keys) - 1)
            known = block_keys[place] == keys[rows]
            points = unpack_moves(block_moves[place[known]])
            found[rows[known]] = pack_moves(INVERSE_IMAGES[symmetry[rows[known], None], points])
        return found

    def unpack(self) -> Exceptions:
        """Return all entries."""
        parts = [self._unpack_block(number) for number in range(len(self.blocks))]
        keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in parts)])
        moves = np.concatenate([np.zeros(0, np.int32), *(moves for _, moves in parts)])
        return Exceptions(keys, moves, self.weights, self.loss_aversion, self.facts)

    def _unpack_block(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        is_last = number == len(self.blocks) - 1
        size = self.number - BLOCK_ENTRIES * number if is_last else BLOCK_ENTRIES
        keys, moves = _unpack(self.blocks[number], size)
        return keys + self.first_keys[number], moves


def is_covered(rules: Rules) -> bool:
    """Return whether exceptions hold under these rules: those of the solved game.

    Rules that end a game as a draw make no difference.
    """
    standard = PRESETS["standard"]
    same = replace(rules, repetition=standard.repetition, quiet_plies=standard.quiet_plies)
    return same == standard


def save_exceptions(path: Path, exceptions: Exceptions) -> None:
    """Write the exceptions to a file."""
    # Tensors in files are not empty, so without an exception there is an empty block.
    firsts = range(0, max(len(exceptions), 1), BLOCK_ENTRIES)
    parts = [slice(first, first + BLOCK_ENTRIES) for first in firsts]
    blocks = [_pack(exceptions.keys[part], exceptions.moves[part]) for part in parts]
    description = {
        "kind": KIND,
        "weights": exceptions.weights,
        "loss_aversion": exceptions.loss_aversion,
        "number": len(exceptions),
        "entries": exceptions.digest(),
        "facts": dict(exceptions.facts),
    }
    tensors: dict[str, NDArray[Any]] = {
        "content": np.frombuffer(b"".join(blocks), np.uint8),
        "ends": np.cumsum([*map(len, blocks)]).astype(np.int64),
        "first_keys": exceptions.keys[::BLOCK_ENTRIES],
    }
    if not len(exceptions):
        tensors["first_keys"] = np.zeros(1, np.int64)
    write_tensors(path, description, tensors)


def load_exceptions(path: Path, weights: str | None) -> PackedExceptions:
    """Read exceptions for the weights with this digest; raise BadWeights if they are others'.

    Without a digest, exceptions for any weights are read.
    """

    def parse(
        description: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
    ) -> PackedExceptions:
        owner = str(description["weights"])
        if weights is not None and owner != weights:
            raise BadWeights("its exceptions were made for other weights; exceptions=off does")
        number, facts = int(description["number"]), description["facts"]
        first_keys, ends = tensors["first_keys"], tensors["ends"]
        num_blocks = max(-(-number // BLOCK_ENTRIES), 1)
        if (
            not 0 <= number <= MAX_ENTRIES
            or not isinstance(facts, dict)
            or first_keys.shape != (num_blocks,)
            or ends.shape != (num_blocks,)
        ):
            raise BadWeights("its description is damaged")
        content = tensors["content"].tobytes()
        blocks = [content[first:end] for first, end in pairwise([0, *ends.tolist()])]
        aversion = float(description["loss_aversion"])
        return PackedExceptions(blocks, first_keys, number, owner, aversion, facts)

    return read_tensors(path, parse, (KIND,), ("uint8", "int64"), MAX_FILE_BYTES)


def _pack(keys: NDArray[np.int64], moves: NDArray[np.int32]) -> bytes:
    """Compress a block: the differences of its keys, and its moves, byte by byte.

    Boards change slowly in the order of keys, so most of the upper bytes are zeros.
    """
    steps = np.diff(keys, prepend=keys[:1])
    points = unpack_moves(moves).astype(np.int32)
    codes = points @ NUM_CHOICES ** np.arange(points.shape[1])
    planes = [(steps >> 8 * byte & 0xFF).astype(np.uint8) for byte in range(KEY_BYTES)]
    planes += [(codes >> 8 * byte & 0xFF).astype(np.uint8) for byte in range(2)]
    return zlib.compress(b"".join(plane.tobytes() for plane in planes), 9)


def _unpack(block: bytes, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return keys, relative to the first one, and moves of a block."""
    size = (KEY_BYTES + 2) * number
    try:
        plain = zlib.decompressobj().decompress(block, size + 1)
    except zlib.error:
        raise BadWeights("its entries are damaged") from None
    if len(plain) != size:
        raise BadWeights("its entries are damaged")
    planes = np.frombuffer(plain, np.uint8).reshape(KEY_BYTES + 2, number)
    steps = np.zeros(number, np.int64)
    for byte in range(KEY_BYTES):
        steps |= planes[byte].astype(np.int64) << 8 * byte
    codes = planes[KEY_BYTES].astype(np.int32) | planes[KEY_BYTES + 1].astype(np.int32) << 8
    points = np.stack([codes // NUM_CHOICES**part % NUM_CHOICES for part in range(3)], axis=1)
    return np.cumsum(steps), pack_moves(points.astype(np.int8))
