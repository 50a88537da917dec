"""Safetensors file of the scholar's networks.

Tensors are named `<expert>/<name within the network>`; int8 matrices have their scales beside them
as `….scale`. A JSON description is in the metadata under the key `ludus`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import quote
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.weights import BadWeights, read_tensors, write_tensors
from ludus.render.diagram import format_network

SCORER, CHAIN, INTEGERS = KINDS = ("scholar-scorer", "scholar-chain", "scholar-integers")
"""Kinds of weight files."""
SCALE_SUFFIX = ".scale"
MAX_FILE_BYTES = 200_000_000
MAX_REPEATS = 16

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class ScholarWeights:
    """One network, or one chain of networks, for each kind of position."""

    kind: str
    experts: tuple[Tensors, ...]
    """Stored tensors by expert: int8 with scales, or half precision; of a scorer of whole numbers
    those of `equivariant.integers`."""

    trained: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Facts about the training."""

    repeats: tuple[int, ...] = (1,) * NUM_EXPERTS
    """Number of passes through the blocks of each expert."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadWeights(f"there is no kind {quote(self.kind)} of scholar")
        if len(self.experts) != NUM_EXPERTS:
            raise BadWeights(f"a scholar has {NUM_EXPERTS} experts, not {len(self.experts)}")
        if len(self.repeats) != NUM_EXPERTS or any(
            type(each) is not int or not 1 <= each <= MAX_REPEATS for each in self.repeats
        ):
            raise BadWeights(f"blocks of each expert can be repeated 1 to {MAX_REPEATS} times")

    def _repr_html_(self) -> str:
        sizes = [sum(each.size for each in expert.values()) for expert in self.experts]
        facts = {
            "experts": f"{len(self.experts)}, one for each kind of position",
            "parameters": f"{sum(sizes):,}",
            **{
                name: value
                for name, value in self.trained.items()
                if isinstance(value, str | int | float)
            },
        }
        tensors = self.expert_weights(0)
        layers = [(name, values.size) for name, values in tensors.items() if "bias" not in name]
        return format_network(f"{self.kind}, parameters of the first expert", layers, facts)

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        tensors = {
            f"{number}/{name}": values
            for number, expert in enumerate(self.experts)
            for name, values in expert.items()
        }
        description = {
            "kind": self.kind,
            "repeats": list(self.repeats),
            "trained": dict(self.trained),
        }
        write_tensors(path, description, tensors)

    def expert_weights(self, number: int) -> Tensors:
        """Return the weights of one expert in single precision."""
        stored = self.experts[number]
        return {
            name: dequantize(values, stored[name + SCALE_SUFFIX])
            if values.dtype == np.int8
            else values.astype(np.float32)
            for name, values in stored.items()
            if not name.endswith(SCALE_SUFFIX)
        }

    def digest(self) -> str:
        """Return a digest of all that play depends on; facts about the training do not count."""
        tensors = [
            (f"{number}/{name}", values)
            for number, expert in enumerate(self.experts)
            for name, values in sorted(expert.items())
        ]
        shapes = [[name, str(values.dtype), values.shape] for name, values in tensors]
        found = hashlib.blake2b(
            json.dumps([self.kind, self.repeats, shapes]).encode(), digest_size=16
        )
        for _, values in tensors:
            found.update(values.tobytes())
        return found.hexdigest()


def pack_weights(weights: Mapping[str, NDArray[np.float32]]) -> Tensors:
    """Convert one expert's weights for storage: matrices to int8, biases to half precision."""
    packed: Tensors = {}
    for name, values in weights.items():
        if "bias" in name:
            packed[name] = values.astype(np.float16)
        else:
            is_kernel = values.ndim == 3  # of a group convolution
            rounding = quantize_kernel if is_kernel else quantize
            packed[name], packed[name + SCALE_SUFFIX] = rounding(values)
    return packed


def load_weights(path: Path | str) -> ScholarWeights:
    """Read weights from a file; raise BadWeights if it holds anything else."""
    path = Path(path)
    return read_tensors(path, _parse_weights, KINDS, ("int8", "int32", "float16"), MAX_FILE_BYTES)


def _parse_weights(
    description: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> ScholarWeights:
    experts: list[Tensors] = [{} for _ in range(NUM_EXPERTS)]
    for name, values in tensors.items():
        number, _, rest = name.partition("/")
        if not number.isdecimal() or int(number) >= NUM_EXPERTS:
            raise BadWeights(f"tensor {quote(name, 100)} belongs to none of the experts")
        if values.dtype == np.int8 and description["kind"] != INTEGERS:
            scale = tensors.get(name + SCALE_SUFFIX)
            if scale is None or scale.dtype != np.float16:
                raise BadWeights(f"tensor {quote(name, 100)} has no scale")
            if scale.shape != (*values.shape[:-1], 1):
                raise BadWeights(f"the scale of tensor {quote(name, 100)} has a wrong shape")
        experts[int(number)][rest] = values
    trained = description.get("trained")
    facts = trained if isinstance(trained, dict) else {}
    repeats = tuple(description.get("repeats", [1] * NUM_EXPERTS))
    return ScholarWeights(str(description["kind"]), tuple(experts), facts, repeats)


MAX_INT8 = 127

FloatArray = NDArray[np.float32]


def quantize(weights: FloatArray) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return int8 weights and the scale of each row, set by its largest weight.

    This takes a quarter of the size.
    """
    scale = np.abs(weights).max(axis=-1, keepdims=True) / MAX_INT8
    # The scale is stored in half precision, so it is rounded before use. Small numbers are coarse
    # there: they are rounded up where the largest weight would not fit otherwise.
    least = np.finfo(np.float16).smallest_subnormal
    rounded_scale = np.maximum(scale, least).astype(np.float16)
    is_too_small = scale * MAX_INT8 > rounded_scale.astype(np.float32) * (MAX_INT8 + 0.5)
    rounded_scale = np.where(
        is_too_small, np.nextafter(rounded_scale, np.float16(1)), rounded_scale
    )
    integers = np.rint(weights / rounded_scale.astype(np.float32))
    return np.clip(integers, -MAX_INT8, MAX_INT8).astype(np.int8), rounded_scale


SUM_WEIGHT = 4.0
"""Weight of the squared error of a sum over the group, compared with that of single weights."""

NUM_ROUNDING_PASSES = 2


def quantize_kernel(kernel: FloatArray) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Round the weights of a group convolution, (16, to, from), so that sums over the group stay.

    Units are not negative, so their mean over the group is large, and the errors of the sums that
    it is multiplied with matter most. In each pass one or two of the 16 weights of a sum are
    rounded to the other side if that makes the errors smaller.
    """
    rounded, scale = quantize(kernel)
    integers, steps = rounded.astype(np.float32), scale.astype(np.float32)
    for _ in range(NUM_ROUNDING_PASSES):
        errors = integers * steps - kernel
        directions = np.where(errors >= 0, -1, 1)
        changes, total = directions * steps, errors.sum(axis=0)
        is_possible = np.abs(integers + directions) <= MAX_INT8
        added = np.where(is_possible, (errors + changes) ** 2 - errors**2, np.inf)
        least, chosen = np.zeros_like(total), np.full((2, *total.shape), -1)
        for one, other in combinations_with_replacement(range(len(kernel)), 2):
            change, cost = changes[one], added[one]
            if other != one:
                change, cost = change + changes[other], cost + added[other]
            cost = cost + SUM_WEIGHT * ((total + change) ** 2 - total**2)
            is_better = cost < least
            least[is_better] = cost[is_better]
            chosen[:, is_better] = [[one], [other]]
        for number, direction in enumerate(directions):
            integers[number] += np.where((chosen == number).any(axis=0), direction, 0)
    return integers.astype(np.int8), scale


def dequantize(integers: NDArray[np.int8], scale: NDArray[np.float16]) -> FloatArray:
    """Restore the weights from int8 values and scales."""
    return integers.astype(np.float32) * scale.astype(np.float32)
