"""Damaged and hostile weight files: one line, no memory beyond the limit, no other weights."""

import io
import random
import struct
import zipfile

import numpy as np
import pytest

import ludus
from ludus.learn.gammon.network import (
    SHIPPED_CHANCES,
    SHIPPED_NETWORKS,
    ChancesNetwork,
    GammonNetwork,
)
from ludus.learn.nnmm.weights import load_weights as load_chain
from ludus.learn.scholar.weights import load_weights as load_scholar
from ludus.learn.weights import (
    BadWeights,
    find_shipped,
    read_npz,
    read_tensors,
    write_npz,
    write_tensors,
)
from support.paths import ROOT
from support.repetition import repeat

LEARN = ROOT / "src" / "ludus" / "learn"
TENSORS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(2, np.int8)}


def flip(content, at, bit):
    changed = bytearray(content)
    changed[at] ^= 1 << bit
    return bytes(changed)


def test_every_flipped_bit_of_weights_is_found(tmp_path):
    """In any byte of a tensor and of the header, the name of the checksum among them."""
    path = tmp_path / "x"
    write_tensors(path, {"kind": "test"}, TENSORS)
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(flip(content, at, at % 8))
        with pytest.raises(BadWeights):
            read_tensors(path, lambda *found: found, ("test",), ("float32", "int8"))


SHIPPED = [
    *(
        (path, load_chain)
        for path in find_shipped(LEARN / "nnmm" / "weights", ".safetensors").values()
    ),
    *(
        (path, load_scholar)
        for path in find_shipped(LEARN / "scholar" / "weights", ".safetensors").values()
    ),
    *((path, GammonNetwork.load) for path in SHIPPED_NETWORKS.values()),
    *((path, ChancesNetwork.load) for path in SHIPPED_CHANCES.values()),
]


@pytest.mark.parametrize(("path", "load"), SHIPPED, ids=lambda each: getattr(each, "stem", ""))
def test_a_flipped_bit_of_shipped_weights_is_found(tmp_path, path, load):
    load(path)
    content, draw = path.read_bytes(), random.Random(2)
    for _ in range(repeat(2, 200)):
        # The first kilobytes are headers, of which an npz archive has some that mean nothing.
        at = draw.randrange(5_000, len(content) - 5_000)
        (tmp_path / path.name).write_bytes(flip(content, at, draw.randrange(8)))
        with pytest.raises(BadWeights, match=r"damaged|CRC|cannot be used|no network|no such"):
            load(tmp_path / path.name)


def test_files_without_a_checksum_are_refused(tmp_path):
    from safetensors.numpy import save

    (tmp_path / "x").write_bytes(save(TENSORS, {"ludus": '{"format": 1}'}))
    with pytest.raises(BadWeights, match="it has no checksum"):
        read_tensors(tmp_path / "x", lambda *found: found, (), ("float32", "int8"))


def test_weights_of_another_learner_are_named():
    """Not their types or numbers, which say nothing to a user."""
    by_learner = {
        name: next(iter(find_shipped(LEARN / name / "weights", ".safetensors").values()))
        for name in ("nnmm", "scholar", "gammon")
    }
    games = {"nnmm": "nine_mens_morris", "scholar": "nine_mens_morris", "gammon": "backgammon"}
    for name, game in games.items():
        for owner, path in by_learner.items():
            if owner != name:
                with pytest.raises(BadWeights, match=f"holds networks of the kind '{owner}"):
                    ludus.player(f"{name}:weights={path}", ludus.game(game))


def test_empty_tensors_are_refused(tmp_path):
    write_tensors(tmp_path / "x", {}, {"a": np.zeros((0, 3), np.float32)})
    with pytest.raises(BadWeights, match="'a' is empty"):
        read_tensors(tmp_path / "x", lambda *found: found, (), ("float32",))


def npy(shape, dtype="<f4", data=b""):
    """An array file with this header, whatever follows."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def archive(members, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return content.getvalue()


HOSTILE = {
    "nothing": b"",
    "zeros": bytes(1000),
    "an array": npy((2,), data=bytes(8)),
    "no array inside": archive({"coding.npy": b"hello"}),
    "a huge shape": archive({"coding.npy": npy((10**12,))}),
    "a shape that overflows": archive({"coding.npy": npy((2**62, 2**62))}),
    "a negative shape": archive({"coding.npy": npy((-1, -5))}),
    "a long string": archive({"coding.npy": npy((), "<U2000000000")}),
    "a header that is no literal": archive({"coding.npy": npy("((((")}),
    "a deep header": archive({"coding.npy": npy("(" * 3000)}),
    "objects": archive({"coding.npy": npy((1,), "|O", bytes(8))}),
    "bzip2": archive({"coding.npy": bytes(100_000)}, zipfile.ZIP_BZIP2),
    "lzma": archive({"coding.npy": bytes(100_000)}, zipfile.ZIP_LZMA),
    "encrypted": archive({"coding.npy": npy((1,), data=bytes(4))})
    .replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
    .replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"),
    "many members": archive({f"{number}.npy": b"" for number in range(12_000)}, zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused_in_one_line(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(BadWeights) as caught:
        GammonNetwork.load(path)
    assert "\n" not in str(caught.value)


def test_damaged_archives_are_refused_in_one_line(tmp_path):
    path, draw = tmp_path / "x.npz", random.Random(4)
    write_npz(path, TENSORS)
    content = path.read_bytes()
    refused = 0
    for _ in range(repeat(300, 20_000)):
        changed = bytearray(content)
        for _ in range(draw.choice((1, 2, 20))):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        path.write_bytes(changed[: draw.choice((len(changed), draw.randrange(len(changed))))])
        try:
            arrays = read_npz(path, dict)
        except BadWeights as error:
            refused += "\n" not in str(error)
        else:
            assert all(array.nbytes < 1000 for array in arrays.values())
    assert refused > repeat(200, 15_000)


def test_damaged_tensors_are_refused_in_one_line(tmp_path):
    path, draw = tmp_path / "x", random.Random(4)
    write_tensors(path, {"kind": "test"}, TENSORS)
    content = path.read_bytes()
    for _ in range(repeat(300, 20_000)):
        changed = bytearray(content)
        at = draw.randrange(len(changed))
        changed[at : at + draw.randrange(9)] = draw.randbytes(draw.randrange(9))
        if changed == content:
            continue
        path.write_bytes(changed)
        with pytest.raises(BadWeights) as caught:
            read_tensors(path, lambda *found: found, ("test",), ("float32", "int8"))
        assert "\n" not in str(caught.value)


def rewrite(source, path, change):
    """Write a shipped file with other tensors."""
    types, kinds = ("float32", "float16", "int8"), ("nnmm", "scholar-scorer")
    description, tensors = read_tensors(source, lambda *content: content, kinds, types)
    changed = dict(tensors)
    change(changed)
    write_tensors(path, {k: v for k, v in description.items() if k != "format"}, changed)
    return path


def play(spec):
    game = ludus.game("nine_mens_morris")
    return ludus.player(spec, game).choose(game.start())


@pytest.mark.parametrize("shape", [(7, 3), (), (1,)])
def test_scales_of_another_shape_are_refused(tmp_path, shape):
    source = LEARN / "scholar" / "weights" / "scorer-small.safetensors"
    path = rewrite(
        source,
        tmp_path / "x",
        lambda tensors: tensors.update({"0/blocks.0.layer1.scale": np.ones(shape, np.float16)}),
    )
    with pytest.raises(BadWeights, match=r"the scale of tensor '0/blocks\.0\.layer1'"):
        play(f"scholar:weights={path}")


@pytest.mark.parametrize("weight", [3e38, -3e38, 1e30])
def test_weights_that_overflow_are_refused(tmp_path, weight):
    source = LEARN / "nnmm" / "weights" / "symmetric-TFR.safetensors"

    def change(tensors):
        for name, tensor in tensors.items():
            tensors[name] = np.full(tensor.shape, weight, np.float32)

    path = rewrite(source, tmp_path / "x", change)
    with pytest.raises(BadWeights, match="too large"):
        play(f"nnmm:weights={path}")
