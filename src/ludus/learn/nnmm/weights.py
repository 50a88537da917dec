"""Weights of a chain of networks in one safetensors file, and import of the npz files that Galassi
published.

A tensor is named `<member>/<step>/<name within the network>`, such as `0/2/blocks.0.layer1.weight`;
members are the networks of an ensemble, steps those of the order. The metadata describe the
networks as JSON under the key `ludus`. Files may be in half, single or double precision; half
precision is converted to single when read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.core.files import describe_os_error
from ludus.core.spec import apply_options, check_ranges
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.nnmm.config import MAX_MEMBERS, NetworkConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputModel
from ludus.learn.nnmm.parts import PARTS, PartOrder
from ludus.learn.weights import BadWeights, read_npz, read_tensors, write_tensors
from ludus.render.diagram import format_network

CHAIN_KIND = "nnmm"
FLOAT_TYPES = ("float16", "float32", "float64")

Array = NDArray[np.floating[Any]]
"""float32, or float64 for weights stored so."""

Tensors = Mapping[str, Array]
"""Weights by name."""


@dataclass(frozen=True)
class ChainWeights:
    """The weights and architectures of all networks of a chain."""

    order: PartOrder

    model: InputModel

    designs: tuple[Mapping[str, Any], ...]
    """For each step of the order the fields of its `NetworkConfig`; empty if it is not trained."""

    members: tuple[tuple[Tensors, ...], ...]
    """For each member of the ensemble the weights of each step; empty if it is not trained."""

    trained: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Facts about the training, as the trainer recorded them."""

    is_half: bool = False
    """Whether `save` writes half precision."""

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        save_weights(path, self, self.is_half)

    def __post_init__(self) -> None:
        steps = len(self.order.steps)
        if len(self.designs) != steps or any(len(member) != steps for member in self.members):
            raise BadWeights(f"the order {self.order} needs {steps} networks")
        if not self.members:
            raise BadWeights("an ensemble without members chooses nothing")

    def _repr_html_(self) -> str:
        num_weights = sum(
            tensor.size for member in self.members for step in member for tensor in step.values()
        )
        design = self.designs[0]
        layers = [
            (step.name, sum(tensor.size for tensor in tensors.values()))
            for step, tensors in zip(self.order.steps, self.members[0], strict=True)
        ]
        facts = {
            "boxes": "networks in the order of choice, with their parameters",
            "inputs": self.model.name,
            "architecture": design.get("architecture", ""),
            "members": len(self.members),
            "parameters": f"{num_weights:,}",
        }
        return format_network(f"chain {self.order}", layers, facts)


def save_weights(path: Path | str, weights: ChainWeights, half: bool = False) -> None:
    """Write weights to a file, in half precision if `half`."""
    path = Path(path)
    description = {"kind": CHAIN_KIND, **describe_weights(weights)}
    write_tensors(path, description, flatten_tensors(weights), "float16" if half else None)


def load_weights(path: Path | str) -> ChainWeights:
    """Read weights from a file; raise BadWeights if it is invalid."""
    path = Path(path)
    return read_tensors(path, parse_weights, (CHAIN_KIND,), FLOAT_TYPES)


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
    if type(count) is not int or not 1 <= count <= MAX_MEMBERS:
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
        is_half = tensor.dtype == np.float16
        places[place][rest] = tensor.astype(np.float32) if is_half else tensor
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


COMMITTEE_KIND = "nnmm committee"

MAX_SETS = 100
MAX_SHARE = 1_000_000


@dataclass(frozen=True, slots=True)
class VotingOptions:
    """How a set of networks takes part in a committee."""

    share: float = 1.0
    """Weight in the mean, relative to the other sets."""

    symmetries: int = 1
    """The number of the 16 symmetries over which it averages, at least."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= MAX_SHARE:
            shown = quote(str(self.share))
            raise BadSpec(f"share={shown} must be above 0 and at most {MAX_SHARE}")
        check_ranges(self, symmetries=(1, len(SYMMETRIES)))


@dataclass(frozen=True)
class Committee:
    """Sets of networks of the same order whose probabilities are averaged with weights.

    Sets may differ in everything but their order: in their input models, architectures and numbers
    of symmetries. In a file the tensors of a set have its index before their names,
    `1/0/2/last.bias`, and the JSON metadata have an object for each set.
    """

    sets: tuple[ChainWeights, ...]

    voting: tuple[VotingOptions, ...]
    """The weights (`share`) add up to 1."""

    @classmethod
    def combine(cls, *sets: ChainWeights, voting: Sequence[VotingOptions] = ()) -> Self:
        """Build a committee of these sets; without `voting`, with equal weights."""
        voting = voting or [VotingOptions()] * len(sets)
        if not 1 <= len(sets) <= MAX_SETS or len(voting) != len(sets):
            raise BadSpec(f"{len(sets)} sets of networks cannot vote in {len(voting)} ways")
        orders = dict.fromkeys(str(each.order) for each in sets)
        if len(orders) > 1:
            raise BadWeights(f"sets of the orders {', '.join(orders)} cannot choose together")
        whole = sum(options.share for options in voting)
        return cls(
            tuple(sets),
            tuple(VotingOptions(options.share / whole, options.symmetries) for options in voting),
        )

    @property
    def order(self) -> PartOrder:
        return self.sets[0].order


def join_networks(files: Iterable[Path], voting: Sequence[VotingOptions] = ()) -> Committee:
    """Join the sets of networks of several files; without `voting`, with equal weights."""
    return Committee.combine(*map(load_weights, files), voting=voting)


def parse_voting_options(sets: int, shares: str, symmetries: str) -> list[VotingOptions]:
    """Return the voting options of each set from texts: a number for each set, or nothing.

    >>> parse_voting_options(2, "1,3", "")
    [VotingOptions(share=1.0, symmetries=1), VotingOptions(share=3.0, symmetries=1)]
    """
    options: list[dict[str, str]] = [{} for _ in range(sets)]
    for name, text in (("share", shares), ("symmetries", symmetries)):
        numbers = text.split(",") if text else []
        if text and len(numbers) != sets:
            raise BadSpec(f"{quote(text)} has {len(numbers)} numbers for {sets} sets of networks")
        for each, number in zip(options, numbers, strict=False):
            each[name] = number.strip()
    return [apply_options(VotingOptions(), each, "join nnmm") for each in options]


def save_committee(path: Path, committee: Committee, half: bool = False) -> None:
    """Write a committee to a file, in half precision if `half`."""
    described = [
        {
            "share": options.share,
            "symmetries": options.symmetries,
            "kind": CHAIN_KIND,
            **describe_weights(weights),
        }
        for weights, options in zip(committee.sets, committee.voting, strict=True)
    ]
    tensors = {
        f"{number}/{name}": tensor
        for number, weights in enumerate(committee.sets)
        for name, tensor in flatten_tensors(weights).items()
    }
    description = {"kind": COMMITTEE_KIND, "sets": described}
    write_tensors(path, description, tensors, "float16" if half else None)


def load_committee(path: Path) -> Committee:
    """Read the one or more sets of a file; raise BadWeights if it is invalid."""
    return read_tensors(path, _parse_committee, (CHAIN_KIND, COMMITTEE_KIND), FLOAT_TYPES)


def _parse_committee(described: Mapping[str, Any], tensors: Tensors) -> Committee:
    if described.get("kind") != COMMITTEE_KIND:
        return Committee.combine(parse_weights(described, tensors))
    described_sets = described["sets"]
    if not isinstance(described_sets, list) or not 1 <= len(described_sets) <= MAX_SETS:
        raise BadWeights(f"it must hold from 1 to {MAX_SETS} sets of networks")
    if not all(isinstance(each, dict) for each in described_sets):
        raise BadWeights("the description of a set of networks must be an object")
    own: dict[str, dict[str, Any]] = {str(number): {} for number in range(len(described_sets))}
    for name, tensor in tensors.items():
        number, _, rest = name.partition("/")
        if number not in own:
            raise BadWeights(f"tensor {quote(name, 100)} belongs to none of its sets")
        own[number][rest] = tensor
    sets = [
        parse_weights(each, named) for each, named in zip(described_sets, own.values(), strict=True)
    ]
    return Committee.combine(*sets, voting=[_parse_voting_options(each) for each in described_sets])


def _parse_voting_options(fields: Mapping[str, Any]) -> VotingOptions:
    share, symmetries = fields["share"], fields["symmetries"]
    if type(share) not in (int, float) or type(symmetries) is not int:
        raise BadWeights("the share and the number of symmetries of a set must be numbers")
    return VotingOptions(share, symmetries)


NPZ_LAYERS = ("first", "blocks.0.layer1", "blocks.0.layer2", "last")
NPZ_ARRAYS = tuple(f"arr_{number}" for number in range(2 * len(NPZ_LAYERS)))
NPZ_FILE_NAME = re.compile(
    rf"(.+-)?(?P<inputs>[a-z]+)-(?P<order>[A-Z]{{3}})_(?P<part>{'|'.join(PARTS)})\.npz"
)


def import_galassi_networks(folder: Path | str, order: str = "TFR") -> ChainWeights:
    """Import the three networks of this order from a folder of Galassi's npz files.

    The networks have one residual block: arrays 0 to 7 are weights, of shape (inputs, outputs), and
    biases of the first layer, of both layers of the block and of the last layer. Only the file name
    tells what a network is for: `TEST-rawest-TFR_FROM.npz` chooses FROM in the order TFR with
    `rawest` inputs.
    """
    folder = Path(folder)
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
        design, tensors = read_npz(path, _parse_npz_network)
        designs.append(design.model_dump(mode="json"))
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


def _parse_npz_network(
    stored: Mapping[str, NDArray[Any]],
) -> tuple[NetworkConfig, dict[str, Array]]:
    arrays = [_finite_floats(stored[name]) for name in NPZ_ARRAYS]
    tensors: dict[str, Array] = {}
    for layer, weight, bias in zip(NPZ_LAYERS, arrays[::2], arrays[1::2], strict=True):
        if weight.ndim != 2 or bias.shape != weight.shape[1:]:
            raise ValueError(f"{layer} has arrays of shape {weight.shape} and {bias.shape}")
        tensors |= {f"{layer}.weight": weight.T, f"{layer}.bias": bias}
    (_, first), (_, units) = arrays[0].shape, arrays[2].shape
    return NetworkConfig(first=first, units=units, blocks=1), tensors


def _finite_floats(array: NDArray[np.generic]) -> Array:
    floats: Array = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ValueError("a weight is not a number")
    return floats
