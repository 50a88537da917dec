"""How a network is built, as a value that fits into a file: all parameters of thesis section 5.2.

Training and playing build the same network from it, one with torch and one with numpy alone.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.core.spec import suggestion

ARCHITECTURES = ("residual", "dense", "feedforward", "symmetric")

MAX_UNITS, MAX_BLOCKS = 16384, 1000


@dataclass(frozen=True, slots=True)
class Design:
    """One network, but for the width of its input."""

    architecture: str = "residual"
    """residual (Fig. 5.1), dense (Fig. 5.2), feedforward; or symmetric, which is ours: a residual
    network that respects the symmetries of the board."""

    first: int = 200
    """Units of the layer that reads the input, and of the way past the residual blocks. A
    feed-forward network has no such layer. A symmetric one has so many in each of its 16 views."""

    units: int | tuple[int, ...] = 300
    """Inner units of each residual block, or units of each further layer: one number for all of
    them, or one for each. A symmetric network does not ask: it has `first` of them everywhere."""

    blocks: int = 10
    """Residual blocks, or further layers."""

    batch_normalisation: bool = False

    dropout: float = 0.0
    """The thesis's p: the share of inner units that are switched off at random in training."""

    input_dropout: float = 0.0
    """The thesis's pi: the same for the input."""

    stochastic_depth: float = 0.0
    """How often the last residual block is skipped in training; earlier ones less, in proportion
    to their place."""

    outputs: int = 25
    """Classes: none and the 24 points, or 2 for whether there is such a part."""

    def __post_init__(self) -> None:
        if self.architecture not in ARCHITECTURES:
            hint = suggestion(self.architecture, ARCHITECTURES)
            raise UnknownName(f"there is no architecture {quoted(self.architecture)}{hint}")
        if not 0 <= self.blocks <= MAX_BLOCKS:
            raise BadSpec(f"blocks={self.blocks} must be from 0 to {MAX_BLOCKS}")
        if isinstance(self.units, tuple) and len(self.units) != self.blocks:
            raise BadSpec(f"units has {len(self.units)} numbers for {self.blocks} blocks")
        for units in (self.first, *self.widths, self.outputs):
            if not 1 <= units <= MAX_UNITS:
                raise BadSpec(f"a layer of {units} units must have from 1 to {MAX_UNITS}")
        for name in ("dropout", "input_dropout", "stochastic_depth"):
            if not 0 <= getattr(self, name) < 1:
                raise BadSpec(f"{name}={getattr(self, name)} must be from 0 to below 1")
        if self.stochastic_depth and self.architecture != "residual":
            raise BadSpec("only a residual network can have stochastic_depth")

    @property
    def widths(self) -> tuple[int, ...]:
        """The units of each block."""
        return self.units if isinstance(self.units, tuple) else (self.units,) * self.blocks

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON and TOML have them."""
        fields = dataclasses.asdict(self)
        return fields | {"units": list(self.units)} if isinstance(self.units, tuple) else fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """A design from what JSON or TOML say; fields left out are as above."""
        known = {field.name: field for field in dataclasses.fields(cls)}
        for name, value in fields.items():
            if name not in known:
                raise UnknownName(f"a design has no {quoted(str(name))}{suggestion(name, known)}")
            if not _fits(name, value, known[name].default):
                raise BadSpec(f"the design's {name} cannot be {quoted(str(value))}")
        units = fields.get("units")
        tuples = {"units": tuple(units)} if isinstance(units, list | tuple) else {}
        return cls(**{**fields, **tuples})


def _fits(name: str, value: Any, default: Any) -> bool:
    """Whether a value out of a file has the type of the field."""
    if name == "units" and isinstance(value, list | tuple):
        return len(value) <= MAX_BLOCKS and all(type(each) is int for each in value)
    if isinstance(default, float):
        return type(value) in (int, float)
    return type(value) is type(default)
