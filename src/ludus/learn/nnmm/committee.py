"""Several sets of networks that choose together: each has a share in the mean of what they say.

Sets may differ in everything but their order: in what they read, in how their networks are built
and in the number of symmetries through which they see a position. In a file the tensors of a set
have its number before their names, `1/0/2/last.bias`, and the JSON has an object for each set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ludus.core.errors import BadSpec, quoted
from ludus.learn.nnmm.images import check_symmetries
from ludus.learn.nnmm.parts import Order
from ludus.learn.nnmm.weights import KIND as ONE_SET
from ludus.learn.nnmm.weights import (
    BadWeights,
    ChainWeights,
    Tensors,
    as_json,
    as_tensors,
    from_json,
    read,
    write,
)

KIND = "nnmm committee"

MAX_SETS = 100
MAX_SHARE = 1_000_000


@dataclass(frozen=True, slots=True)
class Way:
    """How a set of networks is asked."""

    share: float = 1.0
    """How much it has to say, in proportion to the other sets."""

    symmetries: int = 1
    """Through how many of the 16 symmetries it sees a position, at least."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= MAX_SHARE:
            shown = quoted(str(self.share))
            raise BadSpec(f"share={shown} must be above 0 and at most {MAX_SHARE}")
        check_symmetries(self.symmetries)


@dataclass(frozen=True)
class Committee:
    """Sets of networks, of the same order, and how each of them is asked."""

    sets: tuple[ChainWeights, ...]

    ways: tuple[Way, ...]
    """The shares add up to 1."""

    @classmethod
    def of(cls, *sets: ChainWeights, ways: Sequence[Way] = ()) -> Self:
        """These sets, asked in these ways; where nothing is said, with equal shares."""
        ways = ways or [Way()] * len(sets)
        if not 1 <= len(sets) <= MAX_SETS or len(ways) != len(sets):
            raise BadSpec(f"{len(sets)} sets of networks cannot be asked in {len(ways)} ways")
        orders = dict.fromkeys(str(each.order) for each in sets)
        if len(orders) > 1:
            raise BadWeights(f"sets of the orders {', '.join(orders)} cannot choose together")
        whole = sum(way.share for way in ways)
        return cls(tuple(sets), tuple(Way(way.share / whole, way.symmetries) for way in ways))

    @property
    def order(self) -> Order:
        return self.sets[0].order


def save(path: Path, committee: Committee, half: bool = False) -> None:
    """Write a file, in half precision if that is enough."""
    described = [
        {"share": way.share, "symmetries": way.symmetries, "kind": ONE_SET, **as_json(weights)}
        for weights, way in zip(committee.sets, committee.ways, strict=True)
    ]
    tensors = {
        f"{number}/{name}": tensor
        for number, weights in enumerate(committee.sets)
        for name, tensor in as_tensors(weights).items()
    }
    write(path, {"kind": KIND, "sets": described}, tensors, half)


def load(path: Path) -> Committee:
    """The sets of a file, one or several; BadWeights if it holds none."""
    return read(path, _understood)


def _understood(described: Mapping[str, Any], tensors: Tensors) -> Committee:
    if described.get("kind") != KIND:
        return Committee.of(from_json(described, tensors))
    told = described["sets"]
    if not isinstance(told, list) or not 1 <= len(told) <= MAX_SETS:
        raise BadWeights(f"it must hold from 1 to {MAX_SETS} sets of networks")
    if not all(isinstance(each, dict) for each in told):
        raise BadWeights("what it says about a set of networks is not an object")
    own: dict[str, dict[str, Any]] = {str(number): {} for number in range(len(told))}
    for name, tensor in tensors.items():
        number, _, rest = name.partition("/")
        if number not in own:
            raise BadWeights(f"tensor {quoted(name, 100)} belongs to none of its sets")
        own[number][rest] = tensor
    sets = [from_json(each, named) for each, named in zip(told, own.values(), strict=True)]
    return Committee.of(*sets, ways=[_way(each) for each in told])


def _way(told: Mapping[str, Any]) -> Way:
    share, symmetries = told["share"], told["symmetries"]
    if type(share) not in (int, float) or type(symmetries) is not int:
        raise BadWeights("a share or a number of symmetries is no number")
    return Way(share, symmetries)
