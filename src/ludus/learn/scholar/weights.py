"""The scholar's networks in one safetensors file.

Tensors are named `<expert>/<name within the network>`, matrices with their scales beside them as
`….scale` where they are whole numbers. What the networks are is JSON in the metadata, under the
key `ludus`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as as_safetensors

from ludus.core.errors import LudusError, quoted
from ludus.learn.files import write_whole
from ludus.learn.scholar.experts import NUM_EXPERTS
from ludus.learn.scholar.rounding import restored, rounded

FORMAT = 1
KEY = "ludus"
SCORER, CHAIN = KINDS = ("scholar-scorer", "scholar-chain")
SCALE = ".scale"
MAX_BYTES = 200_000_000
MAX_REPEATS = 16

Tensors = dict[str, NDArray[Any]]


class BadScholar(LudusError):
    """A file does not hold a scholar's networks."""


@dataclass(frozen=True)
class ScholarWeights:
    """One network, or one chain of them, for each kind of position."""

    kind: str
    experts: tuple[Tensors, ...]
    """By expert, as they are kept: whole numbers with scales, or half precision."""

    trained: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Facts about the training."""

    repeats: tuple[int, ...] = (1,) * NUM_EXPERTS
    """How often a position goes through the blocks of each expert."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadScholar(f"there is no kind {quoted(self.kind)} of scholar")
        if len(self.experts) != NUM_EXPERTS:
            raise BadScholar(f"a scholar has {NUM_EXPERTS} experts, not {len(self.experts)}")
        if len(self.repeats) != NUM_EXPERTS or any(
            type(each) is not int or not 1 <= each <= MAX_REPEATS for each in self.repeats
        ):
            raise BadScholar(f"blocks of each expert can be repeated 1 to {MAX_REPEATS} times")

    def expert(self, number: int) -> Tensors:
        """The weights of one expert as numbers to reckon with."""
        kept = self.experts[number]
        return {
            name: restored(values, kept[name + SCALE])
            if values.dtype == np.int8
            else values.astype(np.float32)
            for name, values in kept.items()
            if not name.endswith(SCALE)
        }


def packed(weights: Mapping[str, NDArray[np.float32]]) -> Tensors:
    """One expert's weights as they are kept: matrices in bytes, the rest in half precision."""
    found: Tensors = {}
    for name, values in weights.items():
        if "bias" in name:
            found[name] = values.astype(np.float16)
        else:
            found[name], found[name + SCALE] = rounded(values)
    return found


def save(path: Path, weights: ScholarWeights) -> None:
    """Write a file."""
    tensors = {
        f"{number}/{name}": np.ascontiguousarray(values)
        for number, expert in enumerate(weights.experts)
        for name, values in expert.items()
    }
    described = {
        "format": FORMAT,
        "kind": weights.kind,
        "repeats": list(weights.repeats),
        "trained": dict(weights.trained),
    }
    write_whole(path, as_safetensors(tensors, {KEY: json.dumps(described)}))


def load(path: Path) -> ScholarWeights:
    """What a file holds; BadScholar if it is anything else."""
    shown = quoted(str(path), 200)
    try:
        if not path.is_file():
            raise BadScholar("there is no such file")
        if path.stat().st_size > MAX_BYTES:
            raise BadScholar(f"it is longer than {MAX_BYTES} bytes")
        # Only arrays can be in it; nothing in such a file is ever run.
        with safe_open(str(path), framework="numpy") as file:
            described = _described(file.metadata())
            return _weights(described, {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except LudusError as error:
        raise BadScholar(f"{shown} cannot be used: {error}") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = quoted(str(error), 100)
        raise BadScholar(f"{shown} holds no scholar: {reason}") from error


def _described(metadata: Mapping[str, str] | None) -> Mapping[str, Any]:
    if not metadata or KEY not in metadata:
        raise BadScholar(f"its metadata has no {KEY!r}, so it was not written here")
    described = json.loads(metadata[KEY])
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise BadScholar("it is not of the format that is read here")
    return described


def _weights(described: Mapping[str, Any], tensors: Tensors) -> ScholarWeights:
    experts: list[Tensors] = [{} for _ in range(NUM_EXPERTS)]
    for name, values in tensors.items():
        number, _, rest = name.partition("/")
        if not number.isdecimal() or int(number) >= NUM_EXPERTS:
            raise BadScholar(f"tensor {quoted(name, 100)} belongs to none of the experts")
        if values.dtype not in (np.int8, np.float16) or not np.isfinite(values).all():
            raise BadScholar(f"tensor {quoted(name, 100)} has a weight that is no number")
        if values.dtype == np.int8 and name + SCALE not in tensors:
            raise BadScholar(f"tensor {quoted(name, 100)} has no scale")
        experts[int(number)][rest] = values
    trained = described.get("trained")
    facts = trained if isinstance(trained, dict) else {}
    repeats = tuple(described.get("repeats", [1] * NUM_EXPERTS))
    return ScholarWeights(str(described["kind"]), tuple(experts), facts, repeats)
