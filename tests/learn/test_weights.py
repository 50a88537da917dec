"""Weight files of all learners: what is written is read, and nothing else is."""

import io
import subprocess
import sys

import numpy as np
import pytest

from ludus.core.errors import LudusError
from ludus.games import game
from ludus.learn.dqn.weights import load_weights
from ludus.learn.gammon.network import GammonNetwork
from ludus.learn.nnmm.weights import import_galassi_networks
from ludus.learn.weights import (
    BadWeights,
    find_shipped,
    read_npz,
    read_tensors,
    write_npz,
    write_tensors,
)

TENSORS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(2, np.int8)}


def as_pair(description, tensors):
    return description, tensors


def test_tensors_are_read_with_their_description(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {"kind": "test"}, {**TENSORS, "a": TENSORS["a"].T})
    description, tensors = read_tensors(path, as_pair, ("test",), ("float32", "int8"))
    assert description == {"format": 1, "kind": "test"}
    np.testing.assert_array_equal(tensors["a"], TENSORS["a"].T)
    assert {name: tensor.dtype for name, tensor in tensors.items()} == {"a": "f4", "b": "i1"}


def test_tensors_can_be_rounded_but_not_beyond_their_range(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {}, {"a": TENSORS["a"]}, "float16")
    assert read_tensors(path, as_pair, ("test",), ("float16",))[1]["a"].dtype == np.float16
    for values, dtype in (([1e6], "float16"), ([np.nan], None)):
        with np.errstate(over="ignore"), pytest.raises(BadWeights, match="no float"):
            write_tensors(tmp_path / "y", {}, {"a": np.array(values)}, dtype)
    assert not (tmp_path / "y").exists()


def test_other_types_and_longer_files_are_refused(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {}, TENSORS)
    with pytest.raises(BadWeights, match="'b' is of type int8"):
        read_tensors(path, as_pair, ("test",), ("float32",))
    with pytest.raises(BadWeights, match="longer than 100 bytes"):
        read_tensors(path, as_pair, ("test",), ("float32", "int8"), max_bytes=100)


@pytest.mark.parametrize("error", [KeyError("kind"), TypeError("x\ny"), BadWeights("no layer")])
def test_errors_of_a_parser_name_the_file(tmp_path, error):
    def parse(*content):
        raise error

    write_tensors(tmp_path / "tensors", {}, TENSORS)
    write_npz(tmp_path / "arrays", TENSORS)
    for read in (
        lambda: read_tensors(tmp_path / "tensors", parse, (), ("float32", "int8")),
        lambda: read_npz(tmp_path / "arrays", parse),
    ):
        with pytest.raises(BadWeights) as caught:
            read()
        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_arrays_are_read_without_pickle(tmp_path):
    write_npz(tmp_path / "x", TENSORS)
    arrays = read_npz(tmp_path / "x", dict)
    assert arrays.keys() == TENSORS.keys()
    np.testing.assert_array_equal(arrays["a"], TENSORS["a"])
    np.savez(tmp_path / "pickled.npz", a=np.array([{}], object))
    with pytest.raises(BadWeights, match="holds no network"):
        read_npz(tmp_path / "pickled.npz", dict)
    with pytest.raises(BadWeights, match="more than 10 bytes"):
        read_npz(tmp_path / "x", dict, max_bytes=10)
    with pytest.raises(LudusError, match="cannot read"):
        read_npz(tmp_path / "nowhere", dict)


def test_no_learner_unpacks_a_small_file_with_much_in_it(tmp_path):
    content = io.BytesIO()
    np.savez_compressed(content, coding=np.zeros(100_000_000, np.uint8))
    assert len(content.getvalue()) < 200_000
    file = tmp_path / "rawest-TFR_TO.npz"
    for part in ("TO", "FROM", "REMOVE"):
        (tmp_path / f"rawest-TFR_{part}.npz").write_bytes(content.getvalue())
    for load in (
        lambda: GammonNetwork.load(file),
        lambda: load_weights(file, game("hexapawn")),
        lambda: import_galassi_networks(tmp_path),
    ):
        with pytest.raises(BadWeights, match="more than 64000000 bytes"):
            load()


def test_shipped_files_are_found_by_name(tmp_path):
    for name in ("b.one.pl", "a.two.pl", "notes.txt"):
        (tmp_path / name).touch()
    found = find_shipped(tmp_path, ".pl")
    assert list(found) == ["a.two", "b.one"]
    assert found["b.one"] == tmp_path / "b.one.pl"
    assert find_shipped(tmp_path / "nowhere", ".pl") == {}


PLAIN_MODULES = [
    "weights",
    "config",
    "replay_buffer",
    "move_explanation",
    "dqn.train",
    "nnmm.player",
    "scholar.player",
]


@pytest.mark.parametrize("module", PLAIN_MODULES)
def test_what_needs_no_torch_does_not_import_it(module):
    program = f"import sys, ludus.learn.{module}; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
