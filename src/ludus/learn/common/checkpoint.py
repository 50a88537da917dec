"""Training checkpoints: weights, averages and optimizer state in a safetensors file.

It has a checksum as weight files have: training never goes on from damaged numbers.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn, optim

from ludus.core.errors import LudusError, quote
from ludus.core.files import write_bytes
from ludus.learn.common.weights import (
    CHECKSUM_KEY,
    METADATA_KEY,
    Arrays,
    BadWeights,
    compute_checksum,
    verify_checksum,
)

Tensors = dict[str, Tensor]


class BadCheckpoint(LudusError):
    """The file holds no training run, or a different one."""


def save_checkpoint(file: Path, about: Mapping[str, Any], parts: Mapping[str, Tensors]) -> None:
    """Write tensors, named `<part>/<name>`, and a JSON description."""
    tensors = {
        f"{part}/{name}": tensor.detach().cpu().contiguous()
        for part, named in parts.items()
        for name, tensor in named.items()
    }
    # As it is read: tuples are lists in JSON, and numbers as keys are texts.
    described = json.loads(json.dumps(about))
    described[CHECKSUM_KEY] = compute_checksum(described, _to_arrays(tensors))
    write_bytes(file, save(tensors, {METADATA_KEY: json.dumps(described)}))


def _to_arrays(tensors: Tensors) -> Arrays:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def load_checkpoint(file: Path) -> tuple[dict[str, Any], dict[str, Tensors]]:
    """Return the description and the tensors by part that `save_checkpoint` wrote."""
    shown = quote(str(file), 200)
    try:
        if not file.is_file():  # a pipe would be waited for
            raise BadCheckpoint(f"{shown} holds no training: it is no file")
        with safe_open(str(file), framework="pt") as opened:
            about = json.loads((opened.metadata() or {})[METADATA_KEY])
            names = opened.keys()  # safe_open is not iterable itself
            tensors = {name: opened.get_tensor(name) for name in names}
        if not isinstance(about, dict):
            raise BadCheckpoint(f"{shown} holds no training: it is not described")
        verify_checksum(about, _to_arrays(tensors))
    except BadWeights as error:
        raise BadCheckpoint(f"{shown} cannot be resumed: {error}") from error
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadCheckpoint(f"{shown} holds no training: {quote(str(error), 100)}") from error
    parts: dict[str, Tensors] = {}
    for key, tensor in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = tensor
    return about, parts


@contextmanager
def resume_checkpoint(
    file: Path, identity: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Tensors]]]:
    """Yield description and tensors of the checkpoint of a training run with this identity.

    Raise BadCheckpoint if a value of `identity` differs in the description, or if the block that
    restores the run does not find what it needs.
    """
    about, parts = load_checkpoint(file)
    # Tuples are lists in JSON.
    if {key: about.get(key) for key in identity} != json.loads(json.dumps(identity)):
        raise BadCheckpoint(
            f"{file.name!r} belongs to another training run; name another file to write"
        )
    try:
        yield about, parts
    except (KeyError, TypeError, ValueError) as error:
        raise BadCheckpoint(f"{file.name!r} holds no complete training state: {error!r}") from error


def optimizer_tensors(adam: optim.Optimizer) -> Tensors:
    """Return Adam's state, named `<parameter number>.<name>`."""
    state = adam.state_dict()["state"]
    return {f"{number}.{name}": each for number in state for name, each in state[number].items()}


def restore_optimizer(adam: optim.Optimizer, tensors: Tensors) -> None:
    """Restore Adam's state from the tensors of `optimizer_tensors`."""
    state: dict[int, Tensors] = {}
    for key, tensor in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = tensor
    # Learning rates and other settings are those of the current run.
    groups = adam.state_dict()["param_groups"]
    adam.load_state_dict({"state": state, "param_groups": groups})


def restore_network(network: nn.Module, tensors: Tensors) -> None:
    """Load weights into a network; raise BadCheckpoint if they do not fit."""
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise BadCheckpoint(f"the weights do not fit: {quote(str(error), 100)}") from error
