"""A whole configuration: what networks are made, and how they are trained."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.core.spec import parse_options, suggestion, with_options
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.inputs import INPUTS, InputModel
from ludus.learn.nnmm.parts import Order, Step
from ludus.learn.nnmm.settings import Training

Ensemble = Literal["seeds", "bagging", "boosting"]

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
        for kinds in self.parts.values():
            self._changed_design(kinds)
            self._changed_training(kinds)

    @property
    def model(self) -> InputModel:
        return INPUTS[self.inputs]

    @property
    def steps(self) -> tuple[Step, ...]:
        return Order.parse(self.order).steps

    def design_of(self, step: Step) -> Design:
        """The network of a step."""
        changed = self._changed_design(self.parts.get(step.name, {}))
        return dataclasses.replace(changed, outputs=step.outputs)

    def training_of(self, step: Step) -> Training:
        """How it is trained."""
        return self._changed_training(self.parts.get(step.name, {}))

    def _changed_design(self, kinds: Fields) -> Design:
        return Design.from_dict({**self.design.as_dict(), **kinds.get("design", {})})

    def _changed_training(self, kinds: Fields) -> Training:
        settings = dataclasses.asdict(self.training)
        return Training.from_dict({**settings, **kinds.get("training", {})})

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


def as_toml(preset: Preset, name: str) -> str:
    """A preset as such a file has it."""
    head = {each: getattr(preset, each) for each in ("about", "inputs", "order", "members")}
    tables = [
        (name, {**head, "ensemble": preset.ensemble}),
        (f"{name}.design", _without(preset.design.as_dict(), {"outputs": None})),
        (f"{name}.training", dataclasses.asdict(preset.training)),
    ]
    for part, kinds in preset.parts.items():
        tables += [(f'{name}.part."{part}".{kind}', dict(each)) for kind, each in kinds.items()]
    # Texts, numbers, yes or no, and lists of numbers are written in TOML as they are in JSON.
    return "\n".join(
        f"[{table}]\n" + "".join(f"{key} = {json.dumps(each)}\n" for key, each in values.items())
        for table, values in tables
    )


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
