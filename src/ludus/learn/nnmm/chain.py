"""Chains of networks that choose TO, FROM and REMOVE in turn, committees, shipped chains."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np

from ludus.core.errors import BadSpec, quote
from ludus.core.processes import count_cores
from ludus.core.spec import apply_options, check_range
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.move_explanation import DECODING_RULES
from ludus.learn.move_explanation import DecodingRule as DecodingRule
from ludus.learn.nnmm.decoding import (
    ChainMember,
    Decoder,
    SymmetryImages,
    WeightedEnsemble,
    check_symmetries,
)
from ludus.learn.nnmm.inference import PartClassifier, load_network
from ludus.learn.nnmm.parts import NUM_CLASSES, ORDERS, PARTS, MoveClasses, PartOrder
from ludus.learn.nnmm.weights import CHAIN_KIND as ONE_SET
from ludus.learn.nnmm.weights import (
    FLOAT_TYPES,
    Array,
    ChainWeights,
    Tensors,
    describe_weights,
    flatten_tensors,
    load_weights,
    parse_weights,
)
from ludus.learn.weights import BadWeights, find_shipped, read_tensors, write_tensors

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
        check_symmetries(self.symmetries)


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
            "kind": ONE_SET,
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
    return read_tensors(path, _parse_committee, (ONE_SET, COMMITTEE_KIND), FLOAT_TYPES)


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


CHAIN_BATCH = 1024
"""Positions per batch."""

DEFAULT_BREADTH = 3
"""Default beam width."""


class ChainPrediction(NamedTuple):
    """The choices of a chain for some positions."""

    classes: MoveClasses
    """Shape (positions, 3)."""

    probabilities: Array
    """Shape (positions, 3, 25): class probabilities of each part, given the parts before."""


class NetworkChain:
    """The networks of one file, each of which chooses a part given those chosen before."""

    def __init__(self, weights: ChainWeights | Committee) -> None:
        committee = weights if isinstance(weights, Committee) else Committee.combine(weights)
        self.order = committee.order
        self.voting = committee.voting
        """Share and number of symmetries of each set of networks."""

        self.models = [each.model for each in committee.sets]
        self.trained = [each.trained for each in committee.sets]
        self._sets = [
            [_build_classifiers(each, tensors) for tensors in each.members]
            for each in committee.sets
        ]

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Load the chain of a file; raise BadWeights if it is invalid."""
        path = Path(path)
        weights = load_committee(path)
        try:
            return cls(weights)
        except BadWeights as error:
            raise BadWeights(f"{quote(str(path), 200)} cannot be used: {error}") from error

    @property
    def num_members(self) -> int:
        """The number of ensemble members in all sets."""
        return sum(map(len, self._sets))

    def predict(
        self,
        positions: PositionBatch,
        rule: DecodingRule = "parts",
        symmetries: int = 1,
        breadth: int = DEFAULT_BREADTH,
    ) -> ChainPrediction:
        """Decode a move for each position, without checking that it is legal.

        The rule `parts` takes the most likely class of each part in turn, as Galassi 2018 does;
        `joint` is a beam search for the move that is most likely as a whole.
        """
        if rule not in DECODING_RULES:
            raise BadSpec(f"rule={quote(str(rule))} must be one of {', '.join(DECODING_RULES)}")
        check_breadth(breadth)
        classes = np.empty((len(positions), len(PARTS)), dtype=np.int8)
        probabilities = np.empty((len(positions), len(PARTS), NUM_CLASSES), dtype=np.float32)

        def fill(first: int) -> None:
            batch = slice(first, first + CHAIN_BATCH)
            decoder = self.decoder(positions[batch], symmetries)
            chosen = (
                decoder.decode_greedily()
                if rule == "parts"
                else decoder.decode_most_likely(breadth)
            )
            classes[batch], probabilities[batch] = chosen.classes, chosen.probabilities

        # Matrix products release the GIL, so batches can run on several cores.
        with ThreadPoolExecutor(count_cores()) as threads:
            list(threads.map(fill, range(0, len(positions), CHAIN_BATCH)))
        return ChainPrediction(classes, probabilities)

    def decoder(self, positions: PositionBatch, symmetries: int = 1) -> Decoder:
        """Return a decoder for some positions.

        A set of networks with a higher number of symmetries of its own uses that.
        """
        check_symmetries(symmetries)
        ensembles = [
            WeightedEnsemble(
                members,
                SymmetryImages(positions, model, max(symmetries, options.symmetries)),
                options.share,
            )
            for members, model, options in zip(self._sets, self.models, self.voting, strict=True)
        ]
        return Decoder(self.order, ensembles)


def _build_classifiers(weights: ChainWeights, member: tuple[Tensors, ...]) -> ChainMember:
    """Build the classifiers of one member; presence and point network of a part are one."""
    found, presence = [], None
    for step, design, tensors in zip(weights.order.steps, weights.designs, member, strict=True):
        if not tensors:
            raise BadWeights(f"it has no network for {step.name} yet")
        columns = weights.model.columns(len(step.parts_before))
        built = load_network(design, tensors, columns, step.outputs)
        if step.predicts_presence:
            presence = built
        else:
            found.append(PartClassifier(built, presence))
            presence = None
    return found


def check_breadth(breadth: int) -> None:
    """Check that the beam width is from 1 to the number of classes."""
    check_range("breadth", breadth, 1, NUM_CLASSES)


WEIGHTS_FOLDER: Final = Path(__file__).with_name("weights")
DEFAULT_SIZE: Final = "symmetric"
"""The size used by default."""


def load_chain(
    weights: str = "", size: str = DEFAULT_SIZE, order: str = "", folder: Path = WEIGHTS_FOLDER
) -> NetworkChain:
    """Load the chain of a file, or else the shipped one of this order (or the first one)."""
    if weights:
        found = NetworkChain.load(Path(weights))
        if order and str(found.order) != order:
            raise BadSpec(f"{quote(weights, 200)} has the order {found.order}, not {order}")
        return found
    return _load_shipped_chain(size, order, folder)


def find_shipped_weights(folder: Path = WEIGHTS_FOLDER) -> dict[tuple[str, str], Path]:
    """Find the shipped files `<size>-<order>.safetensors` by size and order, sorted as ORDERS."""
    found = {}
    for name, path in find_shipped(folder, ".safetensors").items():
        size, _, order = name.rpartition("-")
        if size and order in ORDERS:
            found[size, order] = path
    return dict(sorted(found.items(), key=lambda item: (item[0][0], ORDERS.index(item[0][1]))))


@cache
def _load_shipped_chain(size: str, order: str, folder: Path) -> NetworkChain:
    if order:
        PartOrder.parse(order)
    files = find_shipped_weights(folder)
    for (its_size, its_order), path in files.items():
        if its_size == size and order in ("", its_order):
            return NetworkChain.load(path)
    wanted = f"{size} {order}".strip()
    known = ", ".join(f"size={size} order={order}" for size, order in files)
    raise BadSpec(
        f"no {quote(wanted)} networks come with the program; there are {known or 'none'}, "
        "and those that ludus train nnmm writes: weights=FILE"
    )
