"""Pattern networks in files, and the shipped networks by name.

A file is one line of ASCII JSON and a zlib stream, whose SHA-256 is in the line:

    {"format": "ludus-patterns", "version": 1, "games": 430, "edges": 3068, "note": "…",
     "sha256": "…"}

The stream holds, little-endian and packed, 512 frequencies (uint64), 512 mutual scores (float64),
and for each edge in rising order the old pattern, the new pattern (uint16 each) and the count of
the move (uint64).
"""

import hashlib
import json
import math
import struct
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quote
from ludus.core.files import parse_json_object, quote_path, read_bytes, write_bytes
from ludus.learn.patterns.network import NUM_PATTERNS, PatternNetwork
from ludus.learn.weights import find_shipped

NETWORK_FORMAT, NETWORK_VERSION = "ludus-patterns", 1

MAX_HEADER_LENGTH = 10_000
MAX_NOTE_LENGTH = 1000
MAX_EDGES = NUM_PATTERNS * 90
"""Upper bound: a move adds a man (9 ways), removes one (9) or moves one (72)."""

MAX_COUNT = 2**53
"""Limit below which counts are exact as floating-point numbers."""

VERTICES_STRUCT = struct.Struct(f"<{NUM_PATTERNS}Q{NUM_PATTERNS}d")
EDGE_STRUCT = struct.Struct("<HHQ")

MAX_NETWORK_BYTES = MAX_HEADER_LENGTH + VERTICES_STRUCT.size + EDGE_STRUCT.size * MAX_EDGES


class BadNetwork(LudusError):
    """A file is not a pattern network, or cannot be read."""


def save_network(network: PatternNetwork, path: Path | str) -> None:
    """Write a network atomically."""
    write_bytes(Path(path), serialize_network(network))


def load_network_file(path: Path | str) -> PatternNetwork:
    """Read the network of a file."""
    path = Path(path)
    data = read_bytes(path, MAX_NETWORK_BYTES, BadNetwork)
    try:
        return parse_network(data)
    except BadNetwork as error:
        raise BadNetwork(f"{quote_path(path)} {error}") from error


def serialize_network(network: PatternNetwork) -> bytes:
    """Return the bytes of a network file."""
    edges = [
        (old, new, count)
        for old, moves in sorted(network.edges.items())
        for new, count in sorted(moves.items())
    ]
    packed = VERTICES_STRUCT.pack(*network.frequency, *network.mutual_scores)
    body = zlib.compress(packed + b"".join(EDGE_STRUCT.pack(*edge) for edge in edges), 9)
    line = {
        "format": NETWORK_FORMAT,
        "version": NETWORK_VERSION,
        "games": network.games,
        "edges": len(edges),
        "note": network.note[:MAX_NOTE_LENGTH],
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return json.dumps(line).encode("ascii") + b"\n" + body


def parse_network(data: bytes) -> PatternNetwork:
    """Parse the bytes of a network file; messages of BadNetwork lack the subject, the file."""
    if not data:
        raise BadNetwork("is empty, and no network of patterns")
    line, newline, body = data.partition(b"\n")
    header = parse_json_object(line) if newline and len(line) <= MAX_HEADER_LENGTH else None
    if header is None or header.get("format") != NETWORK_FORMAT:
        raise BadNetwork("is not a network of patterns")
    if header.get("version") != NETWORK_VERSION:
        version = quote(str(header.get("version")))
        raise BadNetwork(f"is a network of version {version}; this program reads {NETWORK_VERSION}")
    games: Any = header.get("games")
    number: Any = header.get("edges")
    note = header.get("note")
    if not (_is_count(games) and _is_count(number) and isinstance(note, str)):
        raise BadNetwork("is damaged: its first line lacks something")
    if number > MAX_EDGES or len(note) > MAX_NOTE_LENGTH:
        raise BadNetwork("is damaged: its first line is invalid")
    if hashlib.sha256(body).hexdigest() != header.get("sha256"):
        raise BadNetwork("is damaged: its checksum is wrong")
    return _unpack_network(
        _decompress(body, VERTICES_STRUCT.size + EDGE_STRUCT.size * number), games, note
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_COUNT


def _decompress(body: bytes, size: int) -> bytes:
    """Decompress the stream, which must have exactly this size."""
    inflater = zlib.decompressobj()
    try:
        packed = inflater.decompress(body, size + 1)
    except zlib.error:
        raise BadNetwork("is damaged: its second part cannot be unpacked") from None
    if len(packed) != size or not inflater.eof or inflater.unused_data:
        raise BadNetwork("is damaged: its second part has the wrong size")
    return packed


def _unpack_network(packed: bytes, games: int, note: str) -> PatternNetwork:
    numbers = VERTICES_STRUCT.unpack_from(packed)
    frequency, mutual = list(numbers[:NUM_PATTERNS]), list(numbers[NUM_PATTERNS:])
    if any(count > MAX_COUNT for count in frequency):
        raise BadNetwork("is damaged: a frequency is too high")
    if not all(math.isfinite(score) and score >= 0 for score in mutual):
        raise BadNetwork("is damaged: a mutual score is not a number from 0 on")
    edges: dict[int, dict[int, int]] = {}
    for old, new, count in EDGE_STRUCT.iter_unpack(packed[VERTICES_STRUCT.size :]):
        if not (_is_move(old, new) and 1 <= count <= MAX_COUNT):
            raise BadNetwork(f"is damaged: {old} to {new}, {count} times, is no edge")
        edges.setdefault(old, {})[new] = count
    return PatternNetwork(frequency, edges, mutual, games, note)


def _is_move(old: int, new: int) -> bool:
    """Return whether at most one man is added and at most one removed."""
    if old >= NUM_PATTERNS or new >= NUM_PATTERNS or old == new:
        return False
    return (old & ~new).bit_count() <= 1 and (new & ~old).bit_count() <= 1


SHIPPED_NETWORKS = find_shipped(Path(__file__).with_name("data"), ".patterns")
"""Files by name: `seed` was trained on the paper's 430 games, `long` on ten times as many."""

_load_once = cache(load_network_file)


def load_network(name: str) -> PatternNetwork:
    """Load a network by name or file; it is a copy that the caller may train further."""
    if name == "empty":  # its player moves at random
        return PatternNetwork(note="nothing learned")
    shipped = SHIPPED_NETWORKS.get(name)
    return load_network_file(Path(name)) if shipped is None else _load_once(shipped).copy()
