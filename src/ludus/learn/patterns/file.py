"""Networks in files: small, complete or not there, and checked on every read.

A file has two parts. The first is one line of ASCII text, a JSON object:

    {"format": "ludus-patterns", "version": 1, "games": 430, "edges": 3068, "note": "…",
     "sha256": "…"}

The second is a zlib stream, whose SHA-256 is in the line. It holds, little-endian and packed: 512
frequencies (8 bytes each), 512 mutual scores (8-byte floating point), then for each edge the old
pattern, the new pattern (2 bytes each) and how often the move was made (8 bytes), in rising order.
"""

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.learn.patterns.network import Network
from ludus.learn.patterns.quadrants import NUM_PATTERNS
from ludus.learn.patterns.whole import reason, write_whole

FORMAT, VERSION = "ludus-patterns", 1

MAX_LINE = 10_000
MAX_NOTE = 1000
MAX_EDGES = NUM_PATTERNS * 90
"""More than there can be: a move adds a man (9 ways), takes one away (9) or moves one (72)."""

MAX_COUNT = 2**53
"""Counts are kept exact as floating-point numbers."""

VERTICES = struct.Struct(f"<{NUM_PATTERNS}Q{NUM_PATTERNS}d")
EDGE = struct.Struct("<HHQ")


class BadNetwork(LudusError):
    """A file is not a network of patterns, or cannot be read."""


def save(network: Network, path: Path) -> None:
    """Write a network; a file is never half written."""
    write_whole(path, to_bytes(network))


def load(path: Path) -> Network:
    """The network of a file."""
    name = quoted(str(path), 200)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_LINE + VERTICES.size + EDGE.size * MAX_EDGES)
    except (OSError, ValueError) as error:
        raise BadNetwork(f"cannot read {name}: {reason(error)}") from error
    try:
        return from_bytes(data)
    except BadNetwork as error:
        raise BadNetwork(f"{name} {error}") from error


def to_bytes(network: Network) -> bytes:
    """A network as its file holds it."""
    edges = [
        (old, new, count)
        for old, moves in sorted(network.edges.items())
        for new, count in sorted(moves.items())
    ]
    packed = VERTICES.pack(*network.frequency, *network.mutual)
    body = zlib.compress(packed + b"".join(EDGE.pack(*edge) for edge in edges), 9)
    line = {
        "format": FORMAT,
        "version": VERSION,
        "games": network.games,
        "edges": len(edges),
        "note": network.note[:MAX_NOTE],
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return json.dumps(line).encode("ascii") + b"\n" + body


def from_bytes(data: bytes) -> Network:
    """The network that a file holds; BadNetwork continues a sentence about the file."""
    if not data:
        raise BadNetwork("is empty, and no network of patterns")
    line, newline, body = data.partition(b"\n")
    header = _header(line) if newline and len(line) <= MAX_LINE else None
    if header is None or header.get("format") != FORMAT:
        raise BadNetwork("is not a network of patterns")
    if header.get("version") != VERSION:
        version = quoted(str(header.get("version")))
        raise BadNetwork(f"is a network of version {version}; this program reads {VERSION}")
    games: Any = header.get("games")
    number: Any = header.get("edges")
    note = header.get("note")
    if not (_is_count(games) and _is_count(number) and isinstance(note, str)):
        raise BadNetwork("is damaged: its first line lacks something")
    if number > MAX_EDGES or len(note) > MAX_NOTE:
        raise BadNetwork("is damaged: its first line says what cannot be")
    if hashlib.sha256(body).hexdigest() != header.get("sha256"):
        raise BadNetwork("is damaged: its checksum is wrong")
    return _unpacked(_inflated(body, VERTICES.size + EDGE.size * number), games, note)


def _header(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_COUNT


def _inflated(body: bytes, size: int) -> bytes:
    """The packed part, which must have exactly this size."""
    inflater = zlib.decompressobj()
    try:
        packed = inflater.decompress(body, size + 1)
    except zlib.error:
        raise BadNetwork("is damaged: its second part cannot be unpacked") from None
    if len(packed) != size or not inflater.eof or inflater.unused_data:
        raise BadNetwork("is damaged: its second part has the wrong size")
    return packed


def _unpacked(packed: bytes, games: int, note: str) -> Network:
    numbers = VERTICES.unpack_from(packed)
    frequency, mutual = list(numbers[:NUM_PATTERNS]), list(numbers[NUM_PATTERNS:])
    if any(count > MAX_COUNT for count in frequency):
        raise BadNetwork("is damaged: a frequency is too high")
    if not all(math.isfinite(score) and score >= 0 for score in mutual):
        raise BadNetwork("is damaged: a mutual score is not a number from 0 on")
    edges: dict[int, dict[int, int]] = {}
    for old, new, count in _edges(packed[VERTICES.size :]):
        edges.setdefault(old, {})[new] = count
    return Network(frequency, edges, mutual, games, note)


def _edges(packed: bytes) -> Iterator[tuple[int, int, int]]:
    """The edges, which must be moves, each once and in order."""
    found = list(EDGE.iter_unpack(packed))
    if any(first[:2] >= second[:2] for first, second in pairwise(found)):
        raise BadNetwork("is damaged: its edges are not in order")
    for old, new, count in found:
        if not (_is_move(old, new) and 1 <= count <= MAX_COUNT):
            raise BadNetwork(f"is damaged: {old} to {new}, {count} times, is no edge")
        yield old, new, count


def _is_move(old: int, new: int) -> bool:
    """Whether one man at most comes and one at most goes."""
    if old >= NUM_PATTERNS or new >= NUM_PATTERNS or old == new:
        return False
    return (old & ~new).bit_count() <= 1 and (new & ~old).bit_count() <= 1
