"""Networks in files: exact round trips, and one clear line for everything else."""

import json
import zlib

import pytest

from ludus.core.errors import LudusError
from ludus.learn.patterns import network_file as files
from ludus.learn.patterns.network import PatternNetwork
from ludus.learn.patterns.network_file import (
    SHIPPED_NETWORKS,
    BadNetwork,
    load_network,
    load_network_file,
    parse_network,
    save_network,
    serialize_network,
)


@pytest.mark.parametrize("name", ["seed", "long", "empty"])
def test_networks_round_trip(name, tmp_path):
    first = load_network(name)
    path = tmp_path / "a.patterns"
    save_network(first, path)
    assert load_network_file(path) == first
    assert serialize_network(load_network_file(path)) == path.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["a.patterns"], "nothing is left over"


def test_shipped_networks_are_small_and_full():
    sizes = {name: len(serialize_network(load_network(name))) for name in SHIPPED_NETWORKS}
    assert max(sizes.values()) < 32_000
    assert load_network("seed").games == 430
    assert load_network("long").games == 4300


def test_a_network_given_out_is_the_callers_own():
    mine = load_network("seed")
    mine.frequency[5] += 1
    mine.edges[0].clear()
    assert load_network("seed") != mine


def rewritten(change, body=None):
    """The file of a small network with another first line, its checksum right or as given."""
    line, _, rest = serialize_network(PatternNetwork(edges={0: {1: 2}})).partition(b"\n")
    rest = rest if body is None else body
    header = {**json.loads(line), "sha256": files.hashlib.sha256(rest).hexdigest(), **change}
    return json.dumps(header).encode() + b"\n" + rest


def packed(edges, frequency=0, mutual=0.0):
    vertices = files.VERTICES_STRUCT.pack(*[frequency] * 512, *[mutual] * 512)
    return zlib.compress(vertices + b"".join(files.EDGE_STRUCT.pack(*edge) for edge in edges))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is not a network"),
        (b"\0" * 5000, "is not a network"),
        (b"[" * 9000 + b"\n", "is not a network"),
        (b"{}\n", "is not a network"),
        (b'{"format": "ludus-patterns"}' + b" " * 20_000 + b"\n", "is not a network"),
        (rewritten({"format": "other"}), "is not a network"),
        (rewritten({"version": 2}), "of version '2'"),
        (rewritten({"version": None}), "of version 'None'"),
        (rewritten({"games": -1}), "first line"),
        (rewritten({"games": True}), "first line"),
        (rewritten({"games": 2**60}), "first line"),
        (rewritten({"edges": "1"}), "first line"),
        (rewritten({"edges": 10**9}), "first line"),
        (rewritten({"note": 3}), "first line"),
        (rewritten({"sha256": "0" * 64}), "checksum"),
        (rewritten({"edges": 2}), "wrong size"),
        (rewritten({}, b"not zlib"), "cannot be unpacked"),
        (rewritten({}, zlib.compress(bytes(10**8))), "wrong size"),
        (rewritten({}, packed([(0, 1, 2)]) + b"more"), "wrong size"),
        (rewritten({}, packed([(0, 0, 1)])), "no edge"),
        (rewritten({}, packed([(0, 600, 1)])), "no edge"),
        (rewritten({}, packed([(0, 3, 1)])), "no edge"),
        (rewritten({}, packed([(0, 1, 0)])), "no edge"),
        (rewritten({}, packed([(0, 1, 1)], mutual=float("nan"))), "mutual score"),
        (rewritten({}, packed([(0, 1, 1)], mutual=-1.0)), "mutual score"),
        (rewritten({}, packed([(0, 1, 1)], frequency=2**60)), "frequency"),
    ],
)
def test_what_is_no_network_is_refused(data, complaint, tmp_path):
    path = tmp_path / "odd.patterns"
    path.write_bytes(data)
    with pytest.raises(BadNetwork, match=complaint) as error:
        load_network_file(path)
    assert "odd.patterns" in str(error.value)
    assert "\n" not in str(error.value)


def test_every_damage_is_seen():
    """One byte changed anywhere, or the file cut anywhere."""
    data = serialize_network(load_network("seed"))
    for place in range(0, len(data), 97):
        spoilt = bytearray(data)
        spoilt[place] ^= 1
        try:
            read = parse_network(bytes(spoilt))
        except BadNetwork:
            pass
        else:
            # Only the note is free text, and games are any number.
            assert read.edges == load_network("seed").edges
        with pytest.raises(BadNetwork):
            parse_network(data[:place])


@pytest.mark.parametrize("name", ["no/such/folder/a", "\0", "x" * 5000, "", "/", "\ud800"])
def test_files_that_cannot_be(name):
    from pathlib import Path

    with pytest.raises(LudusError) as error:
        load_network_file(Path(name))
    assert len(str(error.value)) < 500
    with pytest.raises(LudusError):
        save_network(PatternNetwork(), Path(name))
