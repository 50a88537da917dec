"""Configuration of networks and training (Galassi 2016, sections 5.2 and 5.4), and presets."""

import dataclasses
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_type_hints

from ludus.core.errors import BadSpec, LudusError, UnknownName, quote
from ludus.core.files import describe_os_error, quote_path
from ludus.core.spec import (
    apply_options,
    check_choice,
    check_ranges,
    format_suggestion,
    parse_options,
)
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputModel
from ludus.learn.nnmm.parts import ChainStep, PartOrder

ARCHITECTURES = ("residual", "dense", "feedforward", "symmetric")

MAX_UNITS, MAX_BLOCKS = 16384, 1000


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """Architecture of one network except for the width of its input (Galassi 2016, section 5.2).

    Training with torch and playing with numpy build the same network from it.
    """

    architecture: str = "residual"
    """residual (Fig. 5.1), dense (Fig. 5.2), feedforward; or symmetric (not in the thesis): a
    residual network that is equivariant to the symmetries of the board."""

    first: int = 200
    """Units of the input layer and of the skip connections of residual blocks. Unused by a
    feed-forward network. In a symmetric network, channels: each has 16 units."""

    units: int | tuple[int, ...] = 300
    """Inner units of each residual block, or units of each further layer: one number for all of
    them, or one for each. Unused by a symmetric network, which has `first` channels everywhere."""

    blocks: int = 10
    """Residual blocks, or further layers."""

    batch_normalisation: bool = False

    dropout: float = 0.0
    """The thesis's p: the probability that an inner unit is dropped in training."""

    input_dropout: float = 0.0
    """The thesis's pi: the same for inputs."""

    stochastic_depth: float = 0.0
    """Probability of skipping the last residual block in training; that of earlier blocks is lower,
    in proportion to their position."""

    outputs: int = 25
    """Classes: none and the 24 points, or 2 for the presence of a part."""

    def __post_init__(self) -> None:
        check_choice("there is no architecture", self.architecture, ARCHITECTURES)
        check_ranges(self, blocks=(0, MAX_BLOCKS))
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
        """Return the fields as JSON and TOML represent them."""
        fields = dataclasses.asdict(self)
        return fields | {"units": list(self.units)} if isinstance(self.units, tuple) else fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Build a configuration from values of JSON or TOML; omitted fields have defaults."""
        known = {field.name: field for field in dataclasses.fields(cls)}
        for name, value in fields.items():
            if name not in known:
                raise UnknownName(
                    f"a design has no {quote(str(name))}{format_suggestion(name, known)}"
                )
            if not _has_field_type(name, value, known[name].default):
                raise BadSpec(f"the design's {name} cannot be {quote(str(value))}")
        units = fields.get("units")
        tuples = {"units": tuple(units)} if isinstance(units, list | tuple) else {}
        return cls(**{**fields, **tuples})


def _has_field_type(name: str, value: Any, default: Any) -> bool:
    """Return whether a value from a file has the type of the field."""
    if name == "units" and isinstance(value, list | tuple):
        return len(value) <= MAX_BLOCKS and all(type(each) is int for each in value)
    if isinstance(default, float):
        return type(value) in (int, float)
    return type(value) is type(default)


Annealing = Literal["none", "step", "exponential", "proportional", "cosine"]
Penalty = Literal["none", "L1", "L2"]
PenaltyScope = Literal["all", "last"]
SplitKind = Literal["contiguous", "entries"]
Expansion = Literal["published", "symmetries"]
Precision = Literal["float32", "bfloat16"]

TRAINING_RANGES: Mapping[str, tuple[float, float]] = {
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
class TrainingConfig:
    """Hyperparameters of training (Galassi 2016, section 5.4, and more)."""

    learning_rate: float = 0.001
    """Adam's initial learning rate, the thesis's alpha 0."""

    b1: float = 0.9
    b2: float = 0.999
    """Adam's decay rates."""

    annealing: Annealing = "proportional"
    """Schedule of the learning rate (Galassi 2016, section 4.1.5): times `step_factor` every
    `step_epochs`; exponential, e^-kt; proportional, 1/(1+kt), which the thesis uses; or, not in the
    thesis, along a cosine to zero over all epochs, or over the time limit if there is one. t is the
    epoch, from 0."""

    k: float = 0.1
    step_epochs: int = 10
    step_factor: float = 0.5

    warmup: float = 0.0
    """The proportion of all epochs over which the learning rate first rises from 0."""

    batch: int = 5000
    """Examples per training step; 1 is stochastic optimisation, 0 takes all (batch optimisation).
    Examples at the end of an epoch that fill no batch are left out of it."""

    epochs: int = 500
    """Maximum number of epochs."""

    patience: int = 50
    """Stop after this number of epochs without a better validation accuracy; 0: never."""

    seconds: float = 0.0
    """Time limit; 0: none. Training with a limit is not bit-for-bit reproducible."""

    penalty: Penalty = "none"
    """Norm of the weights that is added to the loss."""

    penalty_weight: float = 0.001

    penalised: PenaltyScope = "all"
    """Penalised weights: all, or those of the last layer, as in Galassi's code."""

    weight_decay: float = 0.0
    """Weight decay per step, for a learning rate of 1 (AdamW)."""

    label_smoothing: float = 0.0
    """The proportion of the target that is spread over all classes."""

    legality: float = 0.0
    """Loss added if all probability is on illegal classes (Galassi 2016, section 7.2)."""

    averaging: float = 0.0
    """If not 0, decay per step of the averaged weights, which are validated and saved."""

    block_scale: float = 1.0
    """Factor of He's initial weights in the last layer of each residual block."""

    clip: float = 0.0
    """If not 0, the maximum norm of the gradient."""

    precision: Precision = "float32"
    """Precision of activations on a GPU. Weights are always in float32, and so is everything on a
    CPU, where a lower precision is no faster."""

    expansion: Expansion = "published"
    """How symmetric images of entries are added."""

    split: SplitKind = "contiguous"
    """contiguous cuts the expanded entries as Galassi did, so that images of an entry can be on
    both sides of a cut; entries puts all images of an entry, and of those symmetric to it, into the
    same part."""

    seed: int = 0

    def __post_init__(self) -> None:
        for name, (least, most) in TRAINING_RANGES.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and least <= value <= most):
                raise BadSpec(f"{name}={value} must be from {least:g} to {most:g}")
        hints = get_type_hints(type(self))
        for each in dataclasses.fields(self):
            value, choices = getattr(self, each.name), get_args(hints[each.name])
            if choices and value not in choices:
                raise BadSpec(f"{each.name}={quote(str(value))} must be one of {choices}")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Build settings from values of JSON or TOML; fields left out have their defaults."""
        known = {field.name: field.default for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for name, value in fields.items():
            check_choice("a training has no", name, known)
            is_integer = isinstance(known[name], float) and type(value) is int
            values[name] = float(value) if is_integer and abs(value) < 2**53 else value
            if type(values[name]) is not type(known[name]):
                raise BadSpec(f"the training's {name} cannot be {quote(str(value))}")
        return cls(**values)


EnsembleKind = Literal["seeds", "bagging", "boosting"]

MAX_MEMBERS = 1000

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Preset:
    """Configuration of the networks of a chain and of their training."""

    about: str = ""
    inputs: str = "rawest"
    order: str = "TFR"

    members: int = 1
    """Networks that are trained for each step and averaged."""

    ensemble: EnsembleKind = "seeds"
    """How members differ, see `ludus.learn.nnmm.train_chain.sample_member_examples`."""

    design: NetworkConfig = field(default_factory=NetworkConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    parts: Mapping[str, Fields] = field(default_factory=dict)
    """By step name: fields of its design and of its training that differ."""

    def __post_init__(self) -> None:
        PartOrder.parse(self.order)
        check_choice("there is no input model", self.inputs, INPUT_MODELS)
        check_choice("there is no ensemble", self.ensemble, get_args(EnsembleKind))
        check_ranges(self, members=(1, MAX_MEMBERS))
        for kinds in self.parts.values():
            self._changed_design(kinds)
            self._changed_training(kinds)

    @property
    def model(self) -> InputModel:
        return INPUT_MODELS[self.inputs]

    @property
    def steps(self) -> tuple[ChainStep, ...]:
        return PartOrder.parse(self.order).steps

    def design_for(self, step: ChainStep) -> NetworkConfig:
        """Return the architecture of a step's network."""
        changed = self._changed_design(self.parts.get(step.name, {}))
        return dataclasses.replace(changed, outputs=step.outputs)

    def training_for(self, step: ChainStep) -> TrainingConfig:
        """Return the training settings of a step's network."""
        return self._changed_training(self.parts.get(step.name, {}))

    def _changed_design(self, kinds: Fields) -> NetworkConfig:
        return NetworkConfig.from_dict({**self.design.as_dict(), **kinds.get("design", {})})

    def _changed_training(self, kinds: Fields) -> TrainingConfig:
        settings = dataclasses.asdict(self.training)
        return TrainingConfig.from_dict({**settings, **kinds.get("training", {})})

    def with_overrides(self, text: str) -> Self:
        """Return a copy with changed fields of design and training: `blocks=3,learning_rate=0.002`.

        They apply to all networks. Several units are written 200/200/100/50.
        """
        words, options = parse_options(text)
        if words:
            raise BadSpec(f"{quote(words[0])} is not key=value")
        names = {each.name for each in dataclasses.fields(NetworkConfig)}
        shape = {name: value for name, value in options.items() if name in names}
        units = shape.pop("units", "")
        design = self.design.as_dict() | _parse_units(units)
        changed = apply_options(NetworkConfig.from_dict(design), shape, "design")
        others = {name: value for name, value in options.items() if name not in names}
        training = apply_options(self.training, others, "training")
        parts = {
            name: {kind: _omit_keys(fields, options) for kind, fields in kinds.items()}
            for name, kinds in self.parts.items()
        }
        return dataclasses.replace(self, design=changed, training=training, parts=parts)


def format_toml(preset: Preset, name: str) -> str:
    """Format a preset as TOML."""
    head = {each: getattr(preset, each) for each in ("about", "inputs", "order", "members")}
    tables = [
        (name, {**head, "ensemble": preset.ensemble}),
        (f"{name}.design", _omit_keys(preset.design.as_dict(), {"outputs": None})),
        (f"{name}.training", dataclasses.asdict(preset.training)),
    ]
    for part, kinds in preset.parts.items():
        tables += [(f'{name}.part."{part}".{kind}', dict(each)) for kind, each in kinds.items()]
    # TOML has the same syntax as JSON for strings, numbers, booleans and lists of numbers.
    return "\n".join(
        f"[{table}]\n" + "".join(f"{key} = {json.dumps(each)}\n" for key, each in values.items())
        for table, values in tables
    )


def _parse_units(text: str) -> dict[str, Any]:
    """Parse the fields of a design that `units` determines."""
    if not text:
        return {}
    numbers = text.split("/")
    if not all(each.isascii() and each.isdigit() and len(each) <= 6 for each in numbers):
        raise BadSpec(f"units={quote(text)} must be numbers as in 300 or 200/100/50")
    if len(numbers) == 1:
        return {"units": int(text)}
    return {"units": [int(each) for each in numbers], "blocks": len(numbers)}


def _omit_keys(fields: Fields, names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


PRESET_KEYS = (
    "about",
    "like",
    "inputs",
    "order",
    "members",
    "ensemble",
    "design",
    "training",
    "part",
)
PART_KEYS = ("design", "training")


def load_preset(name: str) -> Preset:
    """Return a preset by name."""
    return build_preset(name, load_preset_tables())


@cache
def load_preset_tables() -> Mapping[str, Fields]:
    """Load the tables of all shipped presets from presets*.toml.

        [some-name]
        about = "what it is"
        like = "other-name"         # inherit all fields of another preset
        inputs = "rawest"
        order = "TFR"
        members = 1                 # networks of an ensemble
        ensemble = "seeds"
        [some-name.design]          # fields of NetworkConfig
        [some-name.training]        # fields of TrainingConfig
        [some-name.part.REMOVE.design]    # differences of one network
        [some-name.part.REMOVE.training]

    Everything but `about` may be left out.
    """
    found: dict[str, Fields] = {}
    for file in sorted(Path(__file__).parent.glob("presets*.toml")):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def read_preset_tables(file: Path) -> dict[str, Fields]:
    """Read the presets of a user's file, which may inherit from shipped ones."""
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = describe_os_error(error)
        raise LudusError(f"cannot read presets {quote_path(file)}: {reason}") from error
    return {**load_preset_tables(), **read}


def build_preset(name: str, known: Mapping[str, Fields]) -> Preset:
    """Build a preset from tables."""
    fields = dict(_resolve_inheritance(name, known, ()))
    parts = _check_parts(name, fields.pop("part", {}))
    design = NetworkConfig.from_dict(_check_table(name, "design", fields.get("design", {})))
    training = TrainingConfig.from_dict(_check_table(name, "training", fields.get("training", {})))
    for key, kind in (("about", str), ("inputs", str), ("order", str), ("members", int)):
        if key in fields and type(fields[key]) is not kind:
            raise BadSpec(f"preset {quote(name)}: {key} cannot be {quote(str(fields[key]))}")
    return Preset(**{**fields, "design": design, "training": training}, parts=parts)


def _check_parts(name: str, parts: Any) -> dict[str, Fields]:
    """Check the differences of single networks; five networks have all possible steps."""
    known = [step.name for step in PartOrder.parse("TFR5").steps]
    for part, kinds in _check_table(name, "part", parts).items():
        check_choice(f"preset {quote(name)} has no part", part, known)
        for kind, fields in _check_table(name, part, kinds).items():
            check_choice(f"preset {quote(name)}: {part} has no", kind, PART_KEYS)
            _check_table(name, kind, fields)
    return dict(parts)


def _check_table(name: str, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadSpec(f"preset {quote(name)}: {key} must be a table")
    return value


def _resolve_inheritance(
    name: str, known: Mapping[str, Fields], ancestors: tuple[str, ...]
) -> Fields:
    """Return the fields of a preset merged over those that it inherits."""
    check_choice("there is no preset", name, known)
    own = known[name]
    if not isinstance(own, dict):
        raise BadSpec(f"preset {quote(name)} is not a table")
    for key in own:
        check_choice(f"preset {quote(name)} has no", key, PRESET_KEYS)
    model = own.get("like")
    if model is None:
        return own
    if not isinstance(model, str) or model in (*ancestors, name):
        raise BadSpec(f"preset {quote(name)} cannot be like {quote(str(model))}")
    return _merge_tables(_resolve_inheritance(model, known, (*ancestors, name)), own)


def _merge_tables(base: Fields, own: Fields) -> Fields:
    """Merge one table over another, nested tables recursively."""
    merged = dict(base)
    for key, value in own.items():
        below = base.get(key)
        both = isinstance(value, dict) and isinstance(below, dict)
        merged[key] = _merge_tables(below, value) if both else value  # type: ignore[arg-type]
    merged.pop("like", None)
    return merged
