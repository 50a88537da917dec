"""Files of weights with right checksums that hold anything: one line, whatever is in them."""

import json
import random

import numpy as np
import pytest
from safetensors import safe_open

import ludus
from fuzzing.hostile import change_value
from ludus.core.errors import LudusError
from ludus.learn.gammon.network import SHIPPED_CHANCES
from ludus.learn.weights import CHECKSUM_KEY, METADATA_KEY, write_tensors
from support.nnmm import saved_chain
from support.repetition import repeat
from support.scholar import random_weights


def read_file(path):
    with safe_open(str(path), framework="numpy") as file:
        description = json.loads(file.metadata()[METADATA_KEY])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    del description[CHECKSUM_KEY]
    return description, tensors


def change_tensors(tensors, source):
    """Take one tensor away, or give it another shape, type, size or content."""
    changed = dict(tensors)
    name = source.choice(list(changed))
    tensor = changed.pop(name)
    changes = [
        lambda: tensor.reshape(-1),
        lambda: tensor[None],
        lambda: tensor.T,
        lambda: tensor[:1],
        lambda: tensor.astype(source.choice((np.float16, np.float32, np.float64, np.int8))),
        lambda: np.full(tensor.shape, 3e4, tensor.dtype),
        lambda: np.zeros(source.choice(((), (0,), (1,), (2, 0, 3), (7, 7))), tensor.dtype),
    ]
    if source.random() < 0.85:
        with np.errstate(over="ignore", invalid="ignore"):
            changed[name] = source.choice(changes)()
    if source.random() < 0.15:
        changed[source.choice(("x", "99/x", "0/", "weights9", "/"))] = np.ones(2, np.float32)
    return changed


@pytest.fixture(params=["scholar", "nnmm", "gammon"])
def networks(request, tmp_path):
    """A file of weights, and a player that reads another file."""
    path = tmp_path / "whole"
    if request.param == "scholar":
        random_weights("scorer").save(path)
        return path, "scholar:weights={}", ludus.game("nine_mens_morris")
    if request.param == "nnmm":
        return saved_chain(tmp_path), "nnmm:weights={}", ludus.game("nine_mens_morris")
    return SHIPPED_CHANCES["expert"], "gammon:weights={}", ludus.game("backgammon")


def test_odd_descriptions_and_tensors(networks, tmp_path):
    path, spec, game = networks
    description, tensors = read_file(path)
    position = game.start()
    while position.mover not in (0, 1):
        position = position.play(position.legal_moves()[0])
    source, errors, odd = random.Random(5), [], tmp_path / "odd.safetensors"
    for _ in range(repeat(25, 1500)):
        is_described = source.random() < 0.5
        about = change_value(description, source) if is_described else description
        arrays = tensors if is_described else change_tensors(tensors, source)
        try:
            write_tensors(odd, about if isinstance(about, dict) else {}, arrays)
            player = ludus.player(spec.format(odd), game)
            player.start_game(1)
            player.choose(position)
        except LudusError as error:
            errors.append(str(error))
    assert len(errors) > 5
    assert all(len(each) < 1000 and "\n" not in each for each in errors)
