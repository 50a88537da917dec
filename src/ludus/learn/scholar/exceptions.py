"""Positions in which a scorer plays a stored move instead of its own choice.

A certificate (`certify.py`) lists the positions in which the networks alone would give the value
away. They are stored beside the weights, one entry for each class of 16 symmetric positions, and
belong to these weights only: the file names their digest.
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
from ludus.learn.common.weights import BadWeights, read_tensors, write_tensors

SUFFIX = ".exceptions"
"""Suffix of the file of exceptions beside a file of weights."""

KIND = "scholar-exceptions"
MAX_FILE_BYTES = 64_000_000
MAX_ENTRIES = 50_000_000
NO_EXCEPTION = -1

NUM_CHOICES = NO_POINT + 1
"""Choices of a part of a move: the points, and none."""

KEY_BYTES = 7
"""Bytes of a canonical key: two boards of 24 points and the men in hand."""

_BACK = np.array([[*np.argsort(image), NO_POINT] for image in SYMMETRIES], np.int8)
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

    def find(self, positions: PositionBatch) -> NDArray[np.int32]:
        """Return the stored move, packed, of each position; NO_EXCEPTION where there is none."""
        found = np.full(len(positions), NO_EXCEPTION, np.int32)
        if not len(self):
            return found
        keys, symmetry = positions.find_canonical()
        place = np.minimum(self.keys.searchsorted(keys), len(self) - 1)
        (known,) = np.nonzero(self.keys[place] == keys)
        if len(known):
            points = unpack_moves(self.moves[place[known]])
            found[known] = pack_moves(_BACK[symmetry[known, None], points])
        return found

    def digest(self) -> str:
        """Return a digest of the entries."""
        return hashlib.sha256(self.keys.tobytes() + self.moves.tobytes()).hexdigest()


def is_covered(rules: Rules) -> bool:
    """Return whether exceptions hold under these rules: those of the solved game.

    Rules that end a game as a draw make no difference.
    """
    standard = PRESETS["standard"]
    same = replace(rules, repetition=standard.repetition, quiet_plies=standard.quiet_plies)
    return same == standard


def save_exceptions(path: Path, exceptions: Exceptions) -> None:
    """Write the exceptions to a file."""
    content = zlib.compress(_pack(exceptions), 9)
    description = {
        "kind": KIND,
        "weights": exceptions.weights,
        "loss_aversion": exceptions.loss_aversion,
        "number": len(exceptions),
        "entries": exceptions.digest(),
        "facts": dict(exceptions.facts),
    }
    write_tensors(path, description, {"entries": np.frombuffer(content, np.uint8)})


def load_mistakes(path: Path) -> NDArray[np.int64]:
    """Read the keys of the positions of a file of exceptions, whatever weights it belongs to."""
    return load_exceptions(path, None).keys


def load_exceptions(path: Path, weights: str | None) -> Exceptions:
    """Read exceptions for the weights with this digest; raise BadWeights if they are others'.

    Without a digest, exceptions for any weights are read.
    """

    def parse(description: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Exceptions:
        owner = str(description["weights"])
        if weights is not None and owner != weights:
            raise BadWeights("its exceptions were made for other weights; exceptions=off does")
        number, facts = int(description["number"]), description["facts"]
        if not 0 <= number <= MAX_ENTRIES or not isinstance(facts, dict):
            raise BadWeights("its description is damaged")
        keys, moves = _unpack(tensors["entries"].tobytes(), number)
        loaded = Exceptions(keys, moves, owner, float(description["loss_aversion"]), facts)
        if loaded.digest() != description["entries"]:
            raise BadWeights("its entries are damaged")
        return loaded

    return read_tensors(path, parse, (KIND,), ("uint8",), MAX_FILE_BYTES)


def _pack(exceptions: Exceptions) -> bytes:
    """Return the differences of the keys and the moves byte by byte, ready for compression.

    Boards change slowly in the order of keys, so most of the upper bytes are zeros.
    """
    steps = np.diff(exceptions.keys, prepend=0)
    points = unpack_moves(exceptions.moves).astype(np.int32)
    moves = points @ NUM_CHOICES ** np.arange(points.shape[1])
    planes = [(steps >> 8 * byte & 0xFF).astype(np.uint8) for byte in range(KEY_BYTES)]
    planes += [(moves >> 8 * byte & 0xFF).astype(np.uint8) for byte in range(2)]
    return b"".join(plane.tobytes() for plane in planes)


def _unpack(content: bytes, number: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return keys and moves of `_pack`."""
    size = (KEY_BYTES + 2) * number
    reader = zlib.decompressobj()
    try:
        plain = reader.decompress(content, size + 1)
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
