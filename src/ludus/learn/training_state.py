"""A training in a file, so that one that was killed goes on as if it had not been.

A safetensors file: the weights as they are, as they are averaged and as they were best, and what
Adam remembers; in the metadata what the training is and how far it has come.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn, optim

from ludus.core.errors import LudusError, quoted
from ludus.learn.files import write_whole

KEY = "ludus"

Tensors = dict[str, Tensor]


class BadState(LudusError):
    """A file holds no training, or that of something else."""


def write_state(file: Path, about: Mapping[str, Any], parts: Mapping[str, Tensors]) -> None:
    """Write tensors part by part, with what is to be known about them."""
    tensors = {
        f"{part}/{name}": tensor.detach().cpu().contiguous()
        for part, named in parts.items()
        for name, tensor in named.items()
    }
    write_whole(file, save(tensors, {KEY: json.dumps(about)}))


def read_state(file: Path) -> tuple[dict[str, Any], dict[str, Tensors]]:
    """What `write_state` wrote."""
    shown = quoted(str(file), 200)
    try:
        with safe_open(str(file), framework="pt") as opened:
            about = json.loads((opened.metadata() or {})[KEY])
            parts: dict[str, Tensors] = {}
            for key in opened.keys():  # noqa: SIM118, it is no mapping
                part, _, name = key.partition("/")
                parts.setdefault(part, {})[name] = opened.get_tensor(key)
    except (SafetensorError, OSError, ValueError, KeyError, RecursionError) as error:
        raise BadState(f"{shown} holds no training: {quoted(str(error), 100)}") from error
    if not isinstance(about, dict):
        raise BadState(f"{shown} holds no training: it is not described")
    return about, parts


def adam_tensors(adam: optim.Optimizer) -> Tensors:
    """What Adam remembers, by the number of the parameter."""
    state = adam.state_dict()["state"]
    return {f"{number}.{name}": each for number in state for name, each in state[number].items()}


def restore_adam(adam: optim.Optimizer, tensors: Tensors) -> None:
    """Let Adam remember what `adam_tensors` gave."""
    state: dict[int, Tensors] = {}
    for key, tensor in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = tensor
    # Learning rates and the like are as this training has them.
    groups = adam.state_dict()["param_groups"]
    adam.load_state_dict({"state": state, "param_groups": groups})


def restore_network(network: nn.Module, tensors: Tensors) -> None:
    """Put weights into a network; BadState if they do not fit."""
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise BadState(f"the weights do not fit: {quoted(str(error), 100)}") from error
