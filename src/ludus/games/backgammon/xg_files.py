"""Matches in the files of eXtreme Gammon (.xg), read by its authors' description of the format.

A file has a header, a picture, and a zlib archive of several files, whose last bytes are its index;
`temp.xg` has the match, in records of 2560 bytes.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from ludus.core.errors import BadRecord
from ludus.games.backgammon.game_files import FileGame, Turn

MAGIC: Final = b"RGMH"
RECORD: Final = 2560
ARCHIVE: Final = struct.Struct("<I5i12x")
"""CRC, files, version, size of the index, size of the files, whether the index is compressed."""

ENTRY: Final = struct.Struct("<256s256siiiIBBxx")
"""Name, path, size, compressed size, place, CRC, whether it is stored as it is, level."""

MATCH_HEADER, GAME_HEADER, CUBE, MOVE, GAME_FOOTER = range(5)
UNLIMITED: Final = 99999
UNICODE_VERSION: Final = 24
RESIGNED: Final = 100
"""What is added to the kind of a game's end if it was resigned."""

MAX_SIZE: Final = 1 << 26


class Match(NamedTuple):
    """What the first record says."""

    players: tuple[str, str]
    length: int
    jacoby: bool


def is_xg(data: bytes) -> bool:
    return data.startswith(MAGIC)


def parse_xg(data: bytes) -> list[FileGame]:
    """Parse the games of a file."""
    try:
        return list(_read_games(_extract(data)))
    except (struct.error, zlib.error, IndexError, UnicodeDecodeError) as error:
        raise BadRecord(f"damaged file of eXtreme Gammon: {error}") from error


def _extract(data: bytes) -> bytes:
    """Return the records of the match."""
    _, count, _, index_size, files_size, is_compressed = ARCHIVE.unpack(data[-ARCHIVE.size :])
    end = len(data) - ARCHIVE.size
    index = data[end - index_size : end]
    index = _inflate(index) if is_compressed else index
    start = end - index_size - files_size
    for number in range(count):
        name, _, _, size, place, crc, is_stored, _ = ENTRY.unpack_from(index, number * ENTRY.size)
        if _read_short_string(name).lower() == "temp.xg":
            packed = data[start + place : start + place + size]
            content = packed if is_stored else _inflate(packed)
            if zlib.crc32(content) != crc:
                raise BadRecord("damaged file of eXtreme Gammon: wrong check sum")
            return content
    raise BadRecord("this file of eXtreme Gammon has no match")


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, MAX_SIZE)


def _read_games(data: bytes) -> Iterator[FileGame]:
    match, score, is_crawford = Match(("", ""), 0, False), (0, 0), False
    turns: list[Turn] = []
    for begin in range(0, len(data) - RECORD + 1, RECORD):
        record = data[begin : begin + RECORD]
        kind = record[8]
        if kind == MATCH_HEADER:
            match = _read_match(record)
        elif kind == GAME_HEADER:
            turns = []
            score = struct.unpack_from("<2i", record, 12)
            is_crawford = bool(record[20])
        elif kind == CUBE:
            turns += _read_cube(record)
        elif kind == MOVE:
            turns += _read_move(record)
        elif kind == GAME_FOOTER:
            winner, points, termination = struct.unpack_from("<3i", record, 24)
            resigned = termination - RESIGNED if termination - RESIGNED in (1, 2, 3) else 0
            yield FileGame(
                match.players,
                tuple(turns),
                match.length,
                score,
                is_crawford,
                0 if winner == 1 else 1,
                points,
                resigned,
                match.jacoby if not match.length else None,
            )


def _read_match(record: bytes) -> Match:
    length, variation = struct.unpack_from("<2i", record, 92)
    if variation != 0:
        raise BadRecord("this match is of another variant than backgammon")
    (version,) = struct.unpack_from("<i", record, 552)
    first, second = _read_short_string(record[9:50]), _read_short_string(record[50:91])
    if version >= UNICODE_VERSION:
        first = _read_wide(record[880:1138]) or first
        second = _read_wide(record[1138:1396]) or second
    return Match((first, second), 0 if length == UNLIMITED else length, bool(record[101]))


def _read_short_string(data: bytes) -> str:
    return data[1 : 1 + data[0]].decode("cp1252", "replace")


def _read_wide(data: bytes) -> str:
    return data.decode("utf-16-le", "replace").split("\0")[0]


def _read_cube(record: bytes) -> Iterator[Turn]:
    """Yield a double and its answer; most records say that there was none."""
    active, double, take = struct.unpack_from("<3i", record, 12)
    if double == 1:
        side = 0 if active == 1 else 1
        yield Turn(side, "double")
        if take == 2:
            raise BadRecord("a beaver cannot be read from a file of eXtreme Gammon")
        yield Turn(1 - side, "take" if take == 1 else "drop")


def _read_move(record: bytes) -> Iterator[Turn]:
    active, *numbers = struct.unpack_from("<11i", record, 64)
    steps, dice = numbers[:8], numbers[8:]
    if not any(steps):  # a roll after which the side resigned
        return
    written = []
    for start, end in zip(steps[::2], steps[1::2], strict=True):
        if start < 0:
            break
        written.append(f"{start + 1}/{max(end + 1, 0)}")  # they count from 0
    yield Turn(0 if active == 1 else 1, "".join(map(str, dice)), " ".join(written))
