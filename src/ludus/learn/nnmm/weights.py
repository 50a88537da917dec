"""Weights of a chain of networks in one safetensors file, and import of the npz files that Galassi
published.

A tensor is named `<member>/<step>/<name within the network>`, such as `0/2/blocks.0.layer1.weight`;
members are the networks of an ensemble, steps those of the order. The metadata describe the
networks as JSON under the key `ludus`. Files may be in half, single or double precision; half
precision is converted to single when read.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as as_safetensors

from ludus.core.errors import LudusError, quote
from ludus.core.files import describe_os_error, read_bytes, write_bytes
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputModel
from ludus.learn.nnmm.parts import PARTS, PartOrder

FORMAT_VERSION = 1
CHAIN_KIND = "nnmm"
METADATA_KEY = "ludus"
"""The only key of the metadata."""

MAX_BYTES = 2_000_000_000
"""Maximum size of a file."""

MAX_FILE_MEMBERS = 1000

Array = NDArray[np.floating[Any]]
"""float32, or float64 for weights stored so."""

Tensors = Mapping[str, Array]
"""Weights by name."""

T = TypeVar("T")


class BadWeights(LudusError):
    """A file or a set of tensors does not hold the networks of a chain."""


@dataclass(frozen=True)
class ChainWeights:
    """The weights and architectures of all networks of a chain."""

    order: PartOrder

    model: InputModel

    designs: tuple[Mapping[str, Any], ...]
    """For each step of the order the fields of its `NetworkConfig`."""

    members: tuple[tuple[Tensors, ...], ...]
    """For each member of the ensemble the weights of each step."""

    trained: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Facts about the training, as the trainer recorded them."""

    def __post_init__(self) -> None:
        steps = len(self.order.steps)
        if len(self.designs) != steps or any(len(member) != steps for member in self.members):
            raise BadWeights(f"the order {self.order} needs {steps} networks")
        if not self.members:
            raise BadWeights("an ensemble without members chooses nothing")


def save_weights(path: Path, weights: ChainWeights, half: bool = False) -> None:
    """Write weights to a file, in half precision if `half`."""
    write_tensors(
        path, {"kind": CHAIN_KIND, **describe_weights(weights)}, flatten_tensors(weights), half
    )


def load_weights(path: Path) -> ChainWeights:
    """Read weights from a file; raise BadWeights if it is invalid."""
    return read_tensors(path, parse_weights)


def write_tensors(
    path: Path, described: Mapping[str, Any], tensors: Tensors, half: bool = False
) -> None:
    """Write tensors and their description, as JSON metadata, to a file."""
    arrays = {
        name: np.ascontiguousarray(tensor, np.float16 if half else None)
        for name, tensor in tensors.items()
    }
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise BadWeights(f"{quote(name, 100)} has a weight that is no {array.dtype}")
    metadata = {METADATA_KEY: json.dumps({"format": FORMAT_VERSION, **described})}
    write_bytes(path, as_safetensors(arrays, metadata))


def read_tensors(path: Path, understand: Callable[[Mapping[str, Any], Tensors], T]) -> T:
    """Read a file and return what `understand` makes of its description and tensors.

    Raise BadWeights if that fails, or if the file was not written by `write_tensors`.
    """
    shown = quote(str(path), 200)
    try:
        if not path.is_file():
            raise BadWeights("there is no such file")
        if path.stat().st_size > MAX_BYTES:
            raise BadWeights(f"it is longer than {MAX_BYTES} bytes")
        # Safetensors files hold only arrays; no code in them is executed.
        with safe_open(str(path), framework="numpy") as file:
            described = _parse_metadata(file.metadata())
            names = file.keys()  # safe_open is not iterable itself
            return understand(described, {name: _read_float_tensor(file, name) for name in names})
    except LudusError as error:
        raise BadWeights(f"{shown} cannot be used: {error}") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = quote(str(error), 100)
        raise BadWeights(f"{shown} holds no networks of nine men's morris: {reason}") from error


def _parse_metadata(metadata: Mapping[str, str] | None) -> Mapping[str, Any]:
    if not metadata or METADATA_KEY not in metadata:
        raise BadWeights(f"its metadata has no {METADATA_KEY!r}, so it was not written here")
    described = json.loads(metadata[METADATA_KEY])
    if not isinstance(described, dict):
        raise BadWeights("its metadata is not an object")
    if described.get("format") != FORMAT_VERSION:
        raise BadWeights(
            f"it is of format {quote(str(described.get('format')))}, not {FORMAT_VERSION}"
        )
    return described


def flatten_tensors(weights: ChainWeights) -> dict[str, Array]:
    """Return all weights by their names in a file."""
    return {
        f"{member}/{step}/{name}": tensor
        for member, steps in enumerate(weights.members)
        for step, named in enumerate(steps)
        for name, tensor in named.items()
    }


def describe_weights(weights: ChainWeights) -> dict[str, Any]:
    """Describe the networks, as in the metadata of a file."""
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


def parse_weights(described: Mapping[str, Any], tensors: Tensors) -> ChainWeights:
    """Build the weights of one chain from the description and tensors of a file."""
    if described.get("kind") != CHAIN_KIND:
        raise BadWeights(f"its networks are of the kind {quote(str(described.get('kind')))}")
    order = PartOrder.parse(str(described["order"]))
    steps = _parse_designs(described["steps"], order)
    count = described["members"]
    if type(count) is not int or not 1 <= count <= MAX_FILE_MEMBERS:
        raise BadWeights(f"its number of members is {quote(str(count))}")
    if described["inputs"] not in INPUT_MODELS:
        raise BadWeights(f"it has unknown inputs, {quote(str(described['inputs']))}")
    members: list[list[dict[str, Array]]] = [[{} for _ in steps] for _ in range(count)]
    places = {
        f"{m}/{s}": named for m, member in enumerate(members) for s, named in enumerate(member)
    }
    for name, tensor in tensors.items():
        place, _, rest = name.rpartition("/")
        if place not in places:
            raise BadWeights(f"tensor {quote(name, 100)} belongs to none of its networks")
        places[place][rest] = tensor
    trained = described.get("trained", {})
    return ChainWeights(
        order,
        INPUT_MODELS[described["inputs"]],
        tuple(steps),
        tuple(map(tuple, members)),
        trained if isinstance(trained, dict) else {},
    )


def _parse_designs(steps: Any, order: PartOrder) -> Sequence[Mapping[str, Any]]:
    """Parse the designs, one for each step of the order."""
    names = [step.name for step in order.steps]
    if not isinstance(steps, list) or [step["part"] for step in steps] != names:
        raise BadWeights(f"its networks are not those of the order {order}")
    designs = [step["design"] for step in steps]
    if not all(isinstance(design, dict) for design in designs):
        raise BadWeights("a design is not an object")
    return designs


def _read_float_tensor(file: Any, name: str) -> Array:
    tensor = file.get_tensor(name)
    if tensor.dtype not in (np.float16, np.float32, np.float64):
        raise BadWeights(f"tensor {quote(name, 100)} is of type {tensor.dtype}")
    if not np.isfinite(tensor).all():
        raise BadWeights(f"tensor {quote(name, 100)} has a weight that is no number")
    floats: Array = tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor
    return floats


NPZ_LAYERS = ("first", "blocks.0.layer1", "blocks.0.layer2", "last")
NPZ_ARRAYS = tuple(f"arr_{number}" for number in range(2 * len(NPZ_LAYERS)))
NPZ_FILE_NAME = re.compile(
    rf"(.+-)?(?P<inputs>[a-z]+)-(?P<order>[A-Z]{{3}})_(?P<part>{'|'.join(PARTS)})\.npz"
)
NPZ_ERRORS = (ValueError, TypeError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error)
"""The exceptions of numpy for files that are no arrays of numbers."""


def import_galassi_networks(folder: Path, order: str = "TFR") -> ChainWeights:
    """Import the three networks of this order from a folder of Galassi's npz files.

    The networks have one residual block: arrays 0 to 7 are weights, of shape (inputs, outputs), and
    biases of the first layer, of both layers of the block and of the last layer. Only the file name
    tells what a network is for: `TEST-rawest-TFR_FROM.npz` chooses FROM in the order TFR with
    `rawest` inputs.
    """
    wanted = PartOrder.parse(order)
    files = _find_npz_files(folder, order)
    kinds = {inputs for inputs, _ in files}
    if not kinds:
        raise BadWeights(f"{quote(str(folder), 200)} has no files named like rawest-{order}_TO.npz")
    if len(kinds) > 1:
        raise BadWeights(f"{quote(str(folder), 200)} has {order} networks of several inputs")
    model = INPUT_MODELS[kinds.pop()]
    designs, members = [], []
    for step in wanted.steps:
        path = files.get((model.name, step.name))
        if path is None:
            raise BadWeights(f"{quote(str(folder), 200)} has no network for {step.name}")
        design, tensors = _read_npz_network(path)
        designs.append(design.as_dict())
        members.append(tensors)
    facts = {"source": "A. Galassi's published networks", "order": order}
    return ChainWeights(wanted, model, tuple(designs), (tuple(members),), facts)


def _find_npz_files(folder: Path, order: str) -> dict[tuple[str, str], Path]:
    """Find the file of each network by inputs and part."""
    try:
        names = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        reason = describe_os_error(error)
        raise BadWeights(f"cannot read {quote(str(folder), 200)}: {reason}") from error
    found = {}
    for path in names:
        match = NPZ_FILE_NAME.fullmatch(path.name)
        if match and match["order"] == order and match["inputs"] in INPUT_MODELS:
            found[match["inputs"], match["part"]] = path
    return found


def _read_npz_network(path: Path) -> tuple[NetworkConfig, dict[str, Array]]:
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as stored:
            arrays = [_finite_floats(stored[name]) for name in NPZ_ARRAYS]
        tensors: dict[str, Array] = {}
        for layer, weight, bias in zip(NPZ_LAYERS, arrays[::2], arrays[1::2], strict=True):
            if weight.ndim != 2 or bias.shape != weight.shape[1:]:
                raise ValueError(f"{layer} has arrays of shape {weight.shape} and {bias.shape}")
            tensors |= {f"{layer}.weight": weight.T, f"{layer}.bias": bias}
    except NPZ_ERRORS as error:
        reason = quote(str(error), 100)
        raise BadWeights(f"{quote(str(path), 200)} holds no network: {reason}") from error
    (_, first), (_, units) = arrays[0].shape, arrays[2].shape
    return NetworkConfig("residual", first=first, units=units, blocks=1), tensors


def _finite_floats(array: NDArray[np.generic]) -> Array:
    floats: Array = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ValueError("a weight is not a number")
    return floats
