"""Files of eXtreme Gammon, as its authors describe them: written here, read by Ludus."""

import struct
import zlib

import pytest

from ludus.core.errors import BadRecord
from ludus.games.backgammon.game_files import make_records
from ludus.games.backgammon.xg_files import parse_xg
from ludus.games.game_files import read_games


def match_header(length, players, version=30):
    record = bytearray(2560)
    struct.pack_into("<2i", record, 92, length, 0)
    struct.pack_into("<i", record, 552, version)
    for at, name in zip((880, 1138), players, strict=True):
        record[at : at + 2 * len(name)] = name.encode("utf-16-le")
    return bytes(record)


def game_header(score, crawford=False):
    record = bytearray(2560)
    record[8] = 1
    struct.pack_into("<2iB", record, 12, *score, crawford)
    return bytes(record)


def cube(active, double, take=0):
    record = bytearray(2560)
    record[8] = 2
    struct.pack_into("<3i", record, 12, active, double, take)
    return bytes(record)


def move(active, dice, *steps):
    """Steps from and to places that count from 0; -1 is off, and the end."""
    record = bytearray(2560)
    record[8] = 3
    struct.pack_into("<11i", record, 64, active, *(*steps, *[-1] * 8)[:8], *dice)
    return bytes(record)


def game_footer(winner, points, termination):
    record = bytearray(2560)
    record[8] = 4
    struct.pack_into("<3i", record, 24, winner, points, termination)
    return bytes(record)


def pack(*records):
    """The container: header, archive, index and its description at the end."""
    content = b"".join(records)
    packed = zlib.compress(content)
    entry = struct.pack(
        "<256s256siiiIBBxx",
        b"\x07temp.xg",
        b"",
        len(content),
        len(packed),
        0,
        zlib.crc32(content),
        0,
        9,
    )
    index = zlib.compress(entry)
    end = struct.pack("<I5i12x", zlib.crc32(packed + index), 1, 1, len(index), len(packed), 1)
    return b"RGMH" + bytes(8228) + packed + index + end


OPENING = (
    match_header(3, ("Ann", "Бен")),
    game_header((0, 0)),
    move(1, (3, 1), 7, 4, 5, 4),
    cube(-1, 0),
    move(-1, (6, 2), 23, 17, 12, 10),
    cube(1, 1, 0),
    game_footer(1, 1, 0),
    game_header((1, 0)),
    move(-1, (4, 2), 7, 3, 5, 3),
    cube(1, 1, 1),
    move(1, (6, 6), 0, 0, 0, 0, 0, 0, 0, 0),
    game_footer(-1, 2, 101),
)


def test_a_match_with_cube_and_resignation(tmp_path):
    file = tmp_path / "match.xg"
    file.write_bytes(pack(*OPENING))
    first, second = read_games(file)
    assert [first.headers[side] for side in ("White", "Black")] == ["Ann", "Бен"]
    moves = "1. 31 8/5,6/5 2. roll 62 3. 24/18,13/11 double 4. drop 1-0"
    assert str(first).endswith(moves)
    assert str(second).endswith("1. 24 8/4,6/4 2. double take 0-1")
    games = parse_xg(pack(*OPENING))
    assert [game.score for game in games] == [(0, 0), (1, 0)]
    assert (games[1].winner, games[1].points, games[1].resigned) == (1, 2, 1)


def test_illegal_moves_and_damage_are_named():
    with pytest.raises(BadRecord, match="7/1"):
        make_records(parse_xg(pack(*OPENING[:2], move(1, (3, 1), 6, 0), game_footer(1, 1, 100))))
    whole = pack(*OPENING)
    for at in (len(whole) - 20, len(whole) - 40, 8300):
        with pytest.raises(BadRecord):
            parse_xg(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
    with pytest.raises(BadRecord, match="damaged"):
        parse_xg(whole[:20])
