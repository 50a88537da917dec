"""How a network is trained, as a value that fits into a file: thesis section 5.4 and more."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args, get_type_hints

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.core.spec import suggestion

Annealing = Literal["none", "step", "exponential", "proportional", "cosine"]
Penalty = Literal["none", "L1", "L2"]
Reach = Literal["all", "last"]
SplitKind = Literal["contiguous", "entries"]
Recipe = Literal["published", "symmetries"]
Precision = Literal["float32", "bfloat16"]

RANGES: Mapping[str, tuple[float, float]] = {
    "learning_rate": (1e-9, 10),
    "b1": (0, 0.999999),
    "b2": (0, 0.99999999),
    "k": (0, 1000),
    "step_epochs": (1, 1_000_000),
    "step_factor": (0, 1),
    "warmup": (0, 1),
    "batch": (0, 100_000_000),
    "epochs": (1, 1_000_000),
    "patience": (0, 1_000_000),
    "seconds": (0, 1e9),
    "penalty_weight": (0, 1000),
    "weight_decay": (0, 1000),
    "label_smoothing": (0, 0.99),
    "legality": (0, 1000),
    "averaging": (0, 0.9999999),
    "block_scale": (0, 10),
    "clip": (0, 1e9),
    "seed": (0, 2**31 - 1),
}


@dataclass(frozen=True, slots=True)
class Training:
    """Everything that decides about a training but the network and the data."""

    learning_rate: float = 0.001
    """Adam's step at the beginning, the thesis's alpha 0."""

    b1: float = 0.9
    b2: float = 0.999
    """Adam's decay rates."""

    annealing: Annealing = "proportional"
    """How the learning rate falls (4.1.5): by `step_factor` every `step_epochs`; exponentially, as
    e^-kt; proportionally, as 1/(1+kt), which the thesis uses; or, not in the thesis, along a cosine
    to zero over all epochs, or over the time where that is limited. t is the epoch, from 0."""

    k: float = 0.1
    step_epochs: int = 10
    step_factor: float = 0.5

    warmup: float = 0.0
    """The share of all epochs over which the learning rate first rises from 0."""

    batch: int = 5000
    """Examples for each step; 1 is stochastic optimisation and 0 takes all, batch optimisation.
    Examples at the end of an epoch that fill no batch are left out of it."""

    epochs: int = 500
    """At most so many."""

    patience: int = 50
    """Stop after so many epochs without a better validation accuracy; 0: never."""

    seconds: float = 0.0
    """Stop after so long; 0: never. A training with a limit is not repeatable to the last bit."""

    penalty: Penalty = "none"
    """A norm of the weights that is added to the loss."""

    penalty_weight: float = 0.001

    penalised: Reach = "all"
    """Which weights: all, or those of the last layer, as the author's code had it."""

    weight_decay: float = 0.0
    """How much weights shrink in each step, for a learning rate of 1 (AdamW)."""

    label_smoothing: float = 0.0
    """The share of the target that is spread over all classes."""

    legality: float = 0.0
    """What is added to the loss when all probability is on illegal classes (7.2)."""

    averaging: float = 0.0
    """If not 0, the network that is judged and kept is a running mean of the weights, which keeps
    this share of itself at each step."""

    block_scale: float = 1.0
    """By how much He's initial weights are multiplied where a residual block ends."""

    clip: float = 0.0
    """If not 0, the gradient is shortened to this length."""

    precision: Precision = "float32"
    """Of activations; weights are always kept in float32."""

    expansion: Recipe = "published"
    """How symmetric images of entries are added."""

    split: SplitKind = "contiguous"
    """contiguous cuts the expanded entries as the author did, so that images of an entry can lie on
    both sides of a cut; entries puts all images of an entry, and of those symmetric to it, into the
    same part."""

    seed: int = 0

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and least <= value <= most):
                raise BadSpec(f"{name}={value} must be from {least:g} to {most:g}")
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value, choices = getattr(self, field.name), get_args(hints[field.name])
            if choices and value not in choices:
                raise BadSpec(f"{field.name}={quoted(str(value))} must be one of {choices}")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Settings from what JSON or TOML say; fields left out are as above."""
        known = {field.name: field.default for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for name, value in fields.items():
            if name not in known:
                raise UnknownName(f"a training has no {quoted(name)}{suggestion(name, known)}")
            is_whole = isinstance(known[name], float) and type(value) is int
            values[name] = float(value) if is_whole and abs(value) < 2**53 else value
            if type(values[name]) is not type(known[name]):
                raise BadSpec(f"the training's {name} cannot be {quoted(str(value))}")
        return cls(**values)
