"""Weights files: what is written is read back, and nothing else is ever taken for networks."""

import json
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.weights import ChainWeights, load_weights, save_weights
from ludus.learn.weights import BadWeights
from support.morris import positions
from support.nnmm import is_close, random_chain, saved_chain


@pytest.mark.parametrize("order", ["TFR", "RFT5"])
@pytest.mark.parametrize("inputs", ["rawest", "integer"])
def test_what_is_written_is_read_back(tmp_path, order, inputs):
    written = random_chain(order, inputs, members=2)
    save_weights(tmp_path / "chain", written)
    read = load_weights(tmp_path / "chain")
    assert (str(read.order), read.model.name, read.designs, read.trained) == (
        order,
        inputs,
        written.designs,
        written.trained,
    )
    for member, again in zip(written.members, read.members, strict=True):
        for tensors, twins in zip(member, again, strict=True):
            assert tensors.keys() == twins.keys()
            assert all((tensors[name] == twins[name]).all() for name in tensors)
            assert {twin.dtype for twin in twins.values()} == {np.dtype("float32")}


def test_half_precision_takes_half_the_room_and_says_nearly_the_same(tmp_path):
    weights, some = random_chain(), PositionBatch.from_positions(positions(3))
    save_weights(tmp_path / "whole", weights)
    save_weights(tmp_path / "half", weights, half=True)
    whole, half = tmp_path / "whole", tmp_path / "half"
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    first, second = (
        NetworkChain.load(each).predict(some).probabilities[:, 0] for each in (whole, half)
    )
    assert is_close(first, second, 0.01)


def test_double_precision_is_kept(tmp_path):
    weights = random_chain()
    members = tuple(
        tuple(
            {name: each.astype(np.float64) for name, each in tensors.items()} for tensors in steps
        )
        for steps in weights.members
    )
    save_weights(
        tmp_path / "d", ChainWeights(weights.order, weights.model, weights.designs, members)
    )
    assert load_weights(tmp_path / "d").members[0][0]["last.bias"].dtype == np.float64


def test_weights_too_large_for_half_precision_are_not_written(tmp_path):
    weights = random_chain()
    weights.members[0][0]["last.bias"][:] = 1e6
    with np.errstate(over="ignore"), pytest.raises(BadWeights, match="float16"):
        save_weights(tmp_path / "half", weights, half=True)
    assert not (tmp_path / "half").exists()


def test_a_chain_without_networks_for_all_steps_is_none():
    weights = random_chain()
    with pytest.raises(BadWeights, match="needs 3 networks"):
        ChainWeights(weights.order, weights.model, weights.designs[:2], weights.members)
    with pytest.raises(BadWeights, match="without members"):
        ChainWeights(weights.order, weights.model, weights.designs, ())


def described(**changes):
    """The metadata of a good file, changed."""

    def change(path):
        tensors = load_file(path)
        result = json.loads(header(path)["__metadata__"]["ludus"])
        save_file(tensors, path, {"ludus": json.dumps({**result, **changes})})

    return change


def header(path):
    content = path.read_bytes()
    return json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])


def tensors(change):
    """The tensors of a good file, changed."""

    def changed(path):
        metadata = header(path)["__metadata__"]
        arrays = dict(load_file(path))
        change(arrays)
        save_file(arrays, path, metadata)

    return changed


def design(**changes):
    """The first network's design, changed."""

    def change(path):
        steps = json.loads(header(path)["__metadata__"]["ludus"])["steps"]
        steps[0]["design"] |= changes
        described(steps=steps)(path)

    return change


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def deep(path):
    save_file(load_file(path), path, {"ludus": "[" * 100_000})


HOSTILE = {
    "empty": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(os.urandom(5000)),
    "text": lambda path: path.write_text("\0\ud7ff٣" * 1000),
    "huge header": lambda path: path.write_bytes(b"\xff" * 8 + b"{}"),
    "cut": cut,
    "no metadata": lambda path: save_file(load_file(path), path),
    "foreign metadata": lambda path: save_file(load_file(path), path, {"format": "pt"}),
    "no JSON": lambda path: save_file(load_file(path), path, {"ludus": "{"}),
    "deep JSON": deep,
    "a list": lambda path: save_file(load_file(path), path, {"ludus": "[]"}),
    "kind": described(kind="gammon"),
    "format": described(format=2),
    "order": described(order="TTT"),
    "order of another type": described(order=[1]),
    "another order": described(order="FTR"),
    "inputs": described(inputs="cooked"),
    "inputs of another type": described(inputs=["raw"]),
    "other inputs": described(inputs="rawer"),
    "no members": described(members=0),
    "too many members": described(members=10**9),
    "members that are not there": described(members=2),
    "members of another type": described(members=True),
    "no steps": described(steps=[]),
    "steps of another type": described(steps=[1, 2, 3]),
    "architecture": design(architecture="transformer"),
    "units": design(units=10**9),
    "blocks": design(blocks=3),
    "outputs": design(outputs=24),
    "field": design(colour="red"),
    "type": design(units="many"),
    "foreign tensor": tensors(lambda arrays: arrays.update({"x": np.zeros(3, "f")})),
    "tensor of no member": tensors(lambda arrays: arrays.update({"7/0/x": np.zeros(3, "f")})),
    "missing tensor": tensors(lambda arrays: arrays.pop("0/0/last.bias")),
    "whole numbers": tensors(lambda arrays: arrays.update({"0/0/last.bias": np.zeros(25, "i4")})),
    "nan": tensors(lambda arrays: arrays["0/0/last.bias"].fill(np.nan)),
    "infinity": tensors(lambda arrays: arrays["0/0/last.bias"].fill(np.inf)),
    "shape": tensors(lambda arrays: arrays.update({"0/0/last.bias": np.zeros(24, "f")})),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_with_one_line(tmp_path, name):
    path = saved_chain(tmp_path)
    HOSTILE[name](path)
    with pytest.raises(BadWeights) as error:
        NetworkChain.load(path)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 600


@pytest.mark.parametrize("name", ["nowhere", ".", "\0", "x" * 5000])
def test_places_without_a_file_are_refused(tmp_path, name):
    with pytest.raises(LudusError) as error:
        NetworkChain.load(tmp_path / name)
    assert "\n" not in str(error.value)


def test_any_damaged_byte_is_found_or_harmless(tmp_path):
    """Whatever byte is changed, a chain is loaded or BadWeights says why not."""
    path = saved_chain(tmp_path)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    length = 8 + int.from_bytes(content[:8], "little")
    refused = 0
    for place in rng.integers(0, length, 150).tolist():
        path.write_bytes(
            content[:place] + bytes(rng.integers(0, 256, 1, "u1")) + content[place + 1 :]
        )
        try:
            NetworkChain.load(path)
        except BadWeights:
            refused += 1
    assert refused > 50
