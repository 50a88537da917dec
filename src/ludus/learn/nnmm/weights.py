"""Weights of the networks of a chain, in one safetensors file.

A tensor is named `<member>/<step>/<name within the network>`, such as `0/2/blocks.0.layer1.weight`;
members are the networks of an ensemble, steps those of the order. What the networks are is JSON in
the metadata, under the key `ludus`. Files may be in half, single or double precision; what is in
half precision is read as single.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as as_safetensors

from ludus.core.errors import LudusError, quoted
from ludus.learn.files import write_whole
from ludus.learn.nnmm.inputs import INPUTS, InputModel
from ludus.learn.nnmm.parts import Order

FORMAT = 1
KIND = "nnmm"
KEY = "ludus"
"""The one key of the metadata."""

MAX_BYTES = 2_000_000_000
"""No ensemble that plays is larger."""

MAX_MEMBERS = 1000

Array = NDArray[np.floating[Any]]
"""float32, or float64 where weights are kept so."""

Tensors = Mapping[str, Array]
"""Weights by name."""

T = TypeVar("T")


class BadWeights(LudusError):
    """A file or a set of tensors does not hold the networks of a chain."""


@dataclass(frozen=True)
class ChainWeights:
    """Everything about the networks that choose a move."""

    order: Order

    model: InputModel

    designs: tuple[Mapping[str, Any], ...]
    """For each step of the order the fields of its network's `Design`."""

    members: tuple[tuple[Tensors, ...], ...]
    """For each member of the ensemble the weights of each step."""

    trained: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Facts about the training, as whoever trained noted them."""

    def __post_init__(self) -> None:
        steps = len(self.order.steps)
        if len(self.designs) != steps or any(len(member) != steps for member in self.members):
            raise BadWeights(f"the order {self.order} needs {steps} networks")
        if not self.members:
            raise BadWeights("an ensemble without members chooses nothing")


def save(path: Path, weights: ChainWeights, half: bool = False) -> None:
    """Write a file, in half precision if that is enough."""
    write(path, {"kind": KIND, **as_json(weights)}, as_tensors(weights), half)


def load(path: Path) -> ChainWeights:
    """What a file holds; BadWeights if it is anything else than such a file."""
    return read(path, from_json)


def write(path: Path, described: Mapping[str, Any], tensors: Tensors, half: bool = False) -> None:
    """Tensors, and what they are as JSON, in a file."""
    arrays = {
        name: np.ascontiguousarray(tensor, np.float16 if half else None)
        for name, tensor in tensors.items()
    }
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise BadWeights(f"{quoted(name, 100)} has a weight that is no {array.dtype}")
    metadata = {KEY: json.dumps({"format": FORMAT, **described})}
    write_whole(path, as_safetensors(arrays, metadata))


def read(path: Path, understand: Callable[[Mapping[str, Any], Tensors], T]) -> T:
    """What a file's JSON and tensors are to somebody who understands them.

    BadWeights if they are nothing, or if this is not a file that `write` wrote.
    """
    shown = quoted(str(path), 200)
    try:
        if not path.is_file():
            raise BadWeights("there is no such file")
        if path.stat().st_size > MAX_BYTES:
            raise BadWeights(f"it is longer than {MAX_BYTES} bytes")
        # Only arrays can be in it; nothing in such a file is ever run.
        with safe_open(str(path), framework="numpy") as file:
            described = _described(file.metadata())
            return understand(described, {name: _floats(file, name) for name in file.keys()})  # noqa: SIM118
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = quoted(str(error), 100)
        raise BadWeights(f"{shown} holds no networks of nine men's morris: {reason}") from error


def _described(metadata: Mapping[str, str] | None) -> Mapping[str, Any]:
    if not metadata or KEY not in metadata:
        raise BadWeights(f"its metadata has no {KEY!r}, so it was not written here")
    described = json.loads(metadata[KEY])
    if not isinstance(described, dict):
        raise BadWeights("its metadata is not an object")
    if described.get("format") != FORMAT:
        raise BadWeights(f"it is of format {quoted(str(described.get('format')))}, not {FORMAT}")
    return described


def as_tensors(weights: ChainWeights) -> dict[str, Array]:
    """All weights by their names in a file."""
    return {
        f"{member}/{step}/{name}": tensor
        for member, steps in enumerate(weights.members)
        for step, named in enumerate(steps)
        for name, tensor in named.items()
    }


def as_json(weights: ChainWeights) -> dict[str, Any]:
    """What there is to say about them."""
    return {
        "order": str(weights.order),
        "inputs": weights.model.name,
        "members": len(weights.members),
        "steps": [
            {"part": step.name, "design": dict(design)}
            for step, design in zip(weights.order.steps, weights.designs, strict=True)
        ],
        "trained": dict(weights.trained),
    }


def from_json(described: Mapping[str, Any], tensors: Tensors) -> ChainWeights:
    """The weights of one chain out of a file."""
    if described.get("kind") != KIND:
        raise BadWeights(f"its networks are of the kind {quoted(str(described.get('kind')))}")
    order = Order.parse(str(described["order"]))
    steps = _checked_steps(described["steps"], order)
    count = described["members"]
    if type(count) is not int or not 1 <= count <= MAX_MEMBERS:
        raise BadWeights(f"its number of members is {quoted(str(count))}")
    if described["inputs"] not in INPUTS:
        raise BadWeights(f"it has unknown inputs, {quoted(str(described['inputs']))}")
    members: list[list[dict[str, Array]]] = [[{} for _ in steps] for _ in range(count)]
    places = {
        f"{m}/{s}": named for m, member in enumerate(members) for s, named in enumerate(member)
    }
    for name, tensor in tensors.items():
        place, _, rest = name.rpartition("/")
        if place not in places:
            raise BadWeights(f"tensor {quoted(name, 100)} belongs to none of its networks")
        places[place][rest] = tensor
    trained = described.get("trained", {})
    return ChainWeights(
        order,
        INPUTS[described["inputs"]],
        tuple(steps),
        tuple(map(tuple, members)),
        trained if isinstance(trained, dict) else {},
    )


def _checked_steps(steps: Any, order: Order) -> Sequence[Mapping[str, Any]]:
    """The designs, one for each step of the order."""
    names = [step.name for step in order.steps]
    if not isinstance(steps, list) or [step["part"] for step in steps] != names:
        raise BadWeights(f"its networks are not those of the order {order}")
    designs = [step["design"] for step in steps]
    if not all(isinstance(design, dict) for design in designs):
        raise BadWeights("a design is not an object")
    return designs


def _floats(file: Any, name: str) -> Array:
    tensor = file.get_tensor(name)
    if tensor.dtype not in (np.float16, np.float32, np.float64):
        raise BadWeights(f"tensor {quoted(name, 100)} is of type {tensor.dtype}")
    if not np.isfinite(tensor).all():
        raise BadWeights(f"tensor {quoted(name, 100)} has a weight that is no number")
    floats: Array = tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor
    return floats
