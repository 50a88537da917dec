"""Configurations by name, from the files `presets*.toml` beside this one.

    [some-name]
    about = "what it is"
    like = "other-name"         # take over all of another one first
    inputs = "rawest"
    order = "TFR"
    members = 1                 # networks of an ensemble
    ensemble = "seeds"
    [some-name.design]          # fields of Design
    [some-name.training]        # fields of Training
    [some-name.part.REMOVE.design]    # what differs for one network
    [some-name.part.REMOVE.training]

Everything but `about` may be left out.
"""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, get_args

from ludus.core.errors import BadSpec, LudusError, UnknownName, quoted
from ludus.core.spec import parse_options, suggestion, with_options
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.inputs import INPUTS, InputModel
from ludus.learn.nnmm.parts import Order, Step
from ludus.learn.nnmm.settings import Training

Ensemble = Literal["seeds", "bagging", "boosting"]

KEYS = ("about", "like", "inputs", "order", "members", "ensemble", "design", "training", "part")
MAX_MEMBERS = 1000

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Preset:
    """What networks are made and how they are trained."""

    about: str = ""
    inputs: str = "rawest"
    order: str = "TFR"

    members: int = 1
    """Networks that are trained for each step and asked together."""

    ensemble: Ensemble = "seeds"
    """How members differ, see `ludus.learn.nnmm.ensemble`."""

    design: Design = field(default_factory=Design)
    training: Training = field(default_factory=Training)

    parts: Mapping[str, Fields] = field(default_factory=dict)
    """For a step by name: fields of its design and of its training that differ."""

    def __post_init__(self) -> None:
        Order.parse(self.order)
        if self.inputs not in INPUTS:
            hint = suggestion(self.inputs, INPUTS)
            raise UnknownName(f"there is no input model {quoted(self.inputs)}{hint}")
        if self.ensemble not in get_args(Ensemble):
            hint = suggestion(self.ensemble, get_args(Ensemble))
            raise UnknownName(f"there is no ensemble {quoted(self.ensemble)}{hint}")
        if not 1 <= self.members <= MAX_MEMBERS:
            raise BadSpec(f"members={self.members} must be from 1 to {MAX_MEMBERS}")

    @property
    def model(self) -> InputModel:
        return INPUTS[self.inputs]

    @property
    def steps(self) -> tuple[Step, ...]:
        return Order.parse(self.order).steps

    def design_of(self, step: Step) -> Design:
        """The network of a step."""
        changes = self.parts.get(step.name, {}).get("design", {})
        return Design.from_dict({**self.design.as_dict(), **changes, "outputs": step.outputs})

    def training_of(self, step: Step) -> Training:
        """How it is trained."""
        changes = self.parts.get(step.name, {}).get("training", {})
        return Training.from_dict({**dataclasses.asdict(self.training), **changes})

    def with_texts(self, text: str) -> Self:
        """The same but for some fields of design and training: `blocks=3,learning_rate=0.002`.

        They hold for all networks. Several units are written 200/200/100/50.
        """
        words, options = parse_options(text)
        if words:
            raise BadSpec(f"{quoted(words[0])} is not key=value")
        names = {each.name for each in dataclasses.fields(Design)}
        shape = {name: value for name, value in options.items() if name in names}
        units = shape.pop("units", "")
        design = self.design.as_dict() | _units(units)
        changed = with_options(Design.from_dict(design), shape, "design")
        others = {name: value for name, value in options.items() if name not in names}
        training = with_options(self.training, others, "training")
        parts = {
            name: {kind: _without(fields, options) for kind, fields in kinds.items()}
            for name, kinds in self.parts.items()
        }
        return dataclasses.replace(self, design=changed, training=training, parts=parts)


def _units(text: str) -> dict[str, Any]:
    """The fields of a design that `units` decides."""
    if not text:
        return {}
    numbers = text.split("/")
    if not all(each.isascii() and each.isdigit() and len(each) <= 6 for each in numbers):
        raise BadSpec(f"units={quoted(text)} must be numbers as in 300 or 200/100/50")
    if len(numbers) == 1:
        return {"units": int(text)}
    return {"units": [int(each) for each in numbers], "blocks": len(numbers)}


def _without(fields: Fields, names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def preset(name: str) -> Preset:
    """A preset by name."""
    return from_tables(name, tables())


@cache
def tables() -> Mapping[str, Fields]:
    """All presets as the files have them."""
    found: dict[str, Fields] = {}
    for file in sorted(Path(__file__).parent.glob("presets*.toml")):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def read_tables(file: Path) -> dict[str, Fields]:
    """The presets of a user's own file, which may be like those that come along."""
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise LudusError(f"cannot read presets {quoted(str(file), 200)}: {reason}") from error
    return {**tables(), **read}


def from_tables(name: str, known: Mapping[str, Fields]) -> Preset:
    """A preset out of tables."""
    fields = dict(_inherited(name, known, ()))
    parts = fields.pop("part", {})
    if not isinstance(parts, dict) or not all(isinstance(each, dict) for each in parts.values()):
        raise BadSpec(f"preset {quoted(name)}: part must be a table of tables")
    design = Design.from_dict(_table(name, fields, "design"))
    training = Training.from_dict(_table(name, fields, "training"))
    for key, kind in (("about", str), ("inputs", str), ("order", str), ("members", int)):
        if key in fields and type(fields[key]) is not kind:
            raise BadSpec(f"preset {quoted(name)}: {key} cannot be {quoted(str(fields[key]))}")
    return Preset(**{**fields, "design": design, "training": training}, parts=parts)


def _table(name: str, fields: Fields, key: str) -> Fields:
    table = fields.get(key, {})
    if not isinstance(table, dict):
        raise BadSpec(f"preset {quoted(name)}: {key} must be a table")
    return table


def _inherited(name: str, known: Mapping[str, Fields], seen: tuple[str, ...]) -> Fields:
    """The fields of a preset over those of the one it is like."""
    if name not in known:
        raise UnknownName(f"there is no preset {quoted(name)}{suggestion(name, known)}")
    own = known[name]
    if not isinstance(own, dict):
        raise BadSpec(f"preset {quoted(name)} is not a table")
    for key in own:
        if key not in KEYS:
            raise UnknownName(f"preset {quoted(name)} has no {quoted(key)}{suggestion(key, KEYS)}")
    model = own.get("like")
    if model is None:
        return own
    if not isinstance(model, str) or model in (*seen, name):
        raise BadSpec(f"preset {quoted(name)} cannot be like {quoted(str(model))}")
    return _over(_inherited(model, known, (*seen, name)), own)


def _over(base: Fields, own: Fields) -> Fields:
    """One table over another, tables in them likewise."""
    merged = dict(base)
    for key, value in own.items():
        below = base.get(key)
        both = isinstance(value, dict) and isinstance(below, dict)
        merged[key] = _over(below, value) if both else value  # type: ignore[arg-type]
    merged.pop("like", None)
    return merged
