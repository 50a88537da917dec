"""Configuration of networks and training (Galassi 2016, sections 5.2 and 5.4), and presets."""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, create_model, model_validator
from pydantic.fields import FieldInfo

from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.files import describe_os_error, quote_path
from ludus.core.spec import check_choice, parse_options
from ludus.learn.config import Options, TorchTrainingConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputModel
from ludus.learn.nnmm.parts import ChainStep, PartOrder

Architecture = Literal["residual", "dense", "feedforward", "symmetric"]
ARCHITECTURES: tuple[str, ...] = get_args(Architecture)

MAX_UNITS, MAX_BLOCKS = 16384, 1000

Width = Annotated[int, Field(ge=1, le=MAX_UNITS)]


def _parse_units(value: Any) -> Any:
    """Return the numbers of a text such as 300 or 200/100/50."""
    if not isinstance(value, str):
        return value
    numbers = value.split("/")
    if not all(each.isascii() and each.isdigit() and len(each) <= 6 for each in numbers):
        raise BadSpec(f"units={quote(value)} must be numbers as in 300 or 200/100/50")
    return tuple(map(int, numbers)) if len(numbers) > 1 else int(numbers[0])


class NetworkConfig(Options):
    """Architecture of one network except for the width of its input (Galassi 2016, section 5.2).

    Training with torch and playing with numpy build the same network from it.
    """

    architecture: Architecture = "residual"
    """residual (Fig. 5.1), dense (Fig. 5.2), feedforward; or symmetric (not in the thesis): a
    residual network that is equivariant to the symmetries of the board."""

    first: Width = 200
    """Units of the input layer and of the skip connections of residual blocks. Unused by a
    feed-forward network. In a symmetric network, channels: each has 16 units."""

    units: Annotated[
        Width | Annotated[tuple[Width, ...], Field(max_length=MAX_BLOCKS)],
        BeforeValidator(_parse_units),
    ] = 300
    """Inner units of each residual block, or units of each further layer: one number for all of
    them, or one for each, 200/100/50. Unused by a symmetric network, which has `first` channels
    everywhere."""

    blocks: int = Field(10, ge=0, le=MAX_BLOCKS)
    """Residual blocks, or further layers."""

    batch_normalisation: bool = False
    """Whether there are norms (batch normalisation)."""

    dropout: float = Field(0.0, ge=0, lt=1)
    """The thesis's p: the probability that an inner unit is dropped in training."""

    input_dropout: float = Field(0.0, ge=0, lt=1)
    """The thesis's pi: the same for inputs."""

    stochastic_depth: float = Field(0.0, ge=0, lt=1)
    """Probability of skipping the last residual block in training; that of earlier blocks is lower,
    in proportion to their position."""

    outputs: Width = 25
    """Classes: none and the 24 points, or 2 for the presence of a part."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if isinstance(self.units, tuple) and len(self.units) != self.blocks:
            raise BadSpec(f"units has {len(self.units)} numbers for {self.blocks} blocks")
        if self.stochastic_depth and self.architecture != "residual":
            raise BadSpec("only a residual network can have stochastic_depth")
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        """The units of each block."""
        return self.units if isinstance(self.units, tuple) else (self.units,) * self.blocks


Annealing = Literal["none", "step", "exponential", "proportional", "cosine"]
SplitKind = Literal["contiguous", "entries"]
Expansion = Literal["published", "symmetries"]
Precision = Literal["float32", "bfloat16"]


class Hyperparameters(Options):
    """Hyperparameters of the training of one network (Galassi 2016, section 5.4, and more)."""

    learning_rate: float = Field(0.001, ge=1e-9, le=10)
    """Adam's initial learning rate, the thesis's alpha 0."""

    b1: float = Field(0.9, ge=0, le=0.999999)
    """Adam's decay rate of the mean of gradients."""

    b2: float = Field(0.999, ge=0, le=0.99999999)
    """Adam's decay rate of the mean of their squares."""

    annealing: Annealing = "proportional"
    """Schedule of the learning rate (Galassi 2016, section 4.1.5): times step_factor every
    step_epochs (step); e^-kt (exponential); 1/(1+kt), which the thesis uses (proportional); or, not
    in the thesis, along a cosine to zero over all epochs, or over the time limit if there is one
    (cosine). t is the epoch, from 0. Or none."""

    k: float = Field(0.1, ge=0, le=1000)
    """The k of these schedules."""

    step_epochs: int = Field(10, ge=1, le=1_000_000)
    """Epochs between two steps of the schedule."""

    step_factor: float = Field(0.5, ge=0, le=1)
    """Factor of the learning rate at such a step."""

    warmup: float = Field(0.0, ge=0, le=1)
    """The proportion of all epochs over which the learning rate first rises from 0."""

    batch: int = Field(5000, ge=0, le=100_000_000)
    """Examples per training step; 1 is stochastic optimisation, 0 takes all (batch optimisation).
    Examples at the end of an epoch that fill no batch are left out of it."""

    epochs: int = Field(500, ge=1, le=1_000_000)
    """Maximum number of epochs."""

    patience: int = Field(50, ge=0, le=1_000_000)
    """Stop after this number of epochs without a better validation accuracy; 0: never."""

    seconds: float = Field(0.0, ge=0, le=1e9)
    """Time limit; 0: none. Training with a limit is not bit-for-bit reproducible."""

    penalty: Literal["none", "L1", "L2"] = "none"
    """Norm of the weights that is added to the loss."""

    penalty_weight: float = Field(0.001, ge=0, le=1000)
    """Weight of this norm."""

    penalised: Literal["all", "last"] = "all"
    """Penalised weights: all, or those of the last layer, as in Galassi's code."""

    weight_decay: float = Field(0.0, ge=0, le=1000)
    """Weight decay per step, for a learning rate of 1 (AdamW)."""

    label_smoothing: float = Field(0.0, ge=0, le=0.99)
    """The proportion of the target that is spread over all classes."""

    legality: float = Field(0.0, ge=0, le=1000)
    """Loss added if all probability is on illegal classes (Galassi 2016, section 7.2)."""

    averaging: float = Field(0.0, ge=0, le=0.9999999)
    """If not 0, decay per step of the averaged weights, which are validated and saved."""

    block_scale: float = Field(1.0, ge=0, le=10)
    """Factor of He's initial weights in the last layer of each residual block."""

    clip: float = Field(0.0, ge=0, le=1e9)
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

    seed: int = Field(0, ge=0, le=2**31 - 1)
    """The same seed gives the same network."""


EnsembleKind = Literal["seeds", "bagging", "boosting"]

MAX_MEMBERS = 1000


Changes = dict[Literal["design", "training"], dict[str, Any]]
"""Fields in which the network of one part differs."""


class Preset(Options):
    """Configuration of the networks of a chain and of their training."""

    about: str = ""
    inputs: str = "rawest"
    order: str = "TFR"

    members: int = Field(1, ge=1, le=MAX_MEMBERS)
    """Networks that are trained for each step and averaged."""

    ensemble: EnsembleKind = "seeds"
    """How members differ, see `ludus.learn.nnmm.chain_trainer.sample_member_examples`."""

    design: NetworkConfig = NetworkConfig()
    training: Hyperparameters = Hyperparameters()

    parts: dict[str, Changes] = Field(default_factory=dict)
    """By step name: fields that differ."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_choice("there is no input model", self.inputs, INPUT_MODELS)
        PartOrder.parse(self.order)
        # Five networks have all possible steps.
        known = {step.name: step for step in PartOrder.parse("TFR5").steps}
        for part in self.parts:
            check_choice("there is no part", part, known)
            self.design_for(known[part])
            self.training_for(known[part])
        return self

    @property
    def model(self) -> InputModel:
        return INPUT_MODELS[self.inputs]

    @property
    def steps(self) -> tuple[ChainStep, ...]:
        return PartOrder.parse(self.order).steps

    def design_for(self, step: ChainStep) -> NetworkConfig:
        """Return the architecture of a step's network."""
        changes = self.parts.get(step.name, {}).get("design", {})
        return self.design.replace(**{**changes, "outputs": step.outputs})

    def training_for(self, step: ChainStep) -> Hyperparameters:
        """Return the training settings of a step's network."""
        return self.training.replace(**self.parts.get(step.name, {}).get("training", {}))

    def with_changes(self, **changes: Any) -> Self:
        """Return a copy with changed fields of the preset, of its design and of its training.

        Those of design and training apply to all networks. The number of `blocks` follows from
        several `units`.
        """
        units = _parse_units(changes.get("units"))
        if isinstance(units, tuple | list):
            changes["blocks"] = len(units)
        groups: dict[type[Options], dict[str, Any]] = {
            kind: {name: changes.pop(name) for name in list(changes) if name in kind.model_fields}
            for kind in (NetworkConfig, Hyperparameters)
        }
        design, training = groups.values()
        changed = {**design, **training}
        parts = {
            name: {
                kind: {key: each for key, each in fields.items() if key not in changed}
                for kind, fields in own.items()
            }
            for name, own in self.parts.items()
        }
        return self.parse(
            {
                **self.model_dump(),
                "parts": parts,
                **changes,
                "design": self.design.replace(**design),
                "training": self.training.replace(**training),
            }
        )


def parse_changes(text: str) -> dict[str, str]:
    """Return the changes of a text such as `blocks=3,learning_rate=0.002`."""
    words, changes = parse_options(text)
    if words:
        raise BadSpec(f"{quote(words[0])} is not key=value")
    return changes


def format_toml(preset: Preset, name: str) -> str:
    """Format a preset as TOML."""
    fields = preset.model_dump(mode="json")
    design, training, parts = (fields.pop(each) for each in ("design", "training", "parts"))
    del design["outputs"]
    tables = {name: fields, f"{name}.design": design, f"{name}.training": training}
    for part, kinds in parts.items():
        tables |= {f'{name}.part."{part}".{kind}': each for kind, each in kinds.items()}
    # TOML has the same syntax as JSON for strings, numbers, booleans and lists of numbers.
    return "\n".join(
        f"[{table}]\n" + "".join(f"{key} = {json.dumps(each)}\n" for key, each in values.items())
        for table, values in tables.items()
    )


Tables = Mapping[str, Any]
"""Tables of presets by name, as TOML has them."""


def load_preset(name: str, file: Path | None = None) -> Preset:
    """Return a preset by name, of a user's file or a shipped one."""
    return build_preset(name, load_preset_tables() if file is None else read_preset_tables(file))


@cache
def load_preset_tables() -> Tables:
    """Load the tables of all shipped presets from presets*.toml.

        [some-name]
        about = "what it is"
        like = "other-name"         # inherit all fields of another preset
        inputs = "rawest"
        order = "TFR"
        members = 1                 # networks of an ensemble
        ensemble = "seeds"
        [some-name.design]          # fields of NetworkConfig
        [some-name.training]        # fields of Hyperparameters
        [some-name.part.REMOVE.design]    # differences of one network
        [some-name.part.REMOVE.training]

    Everything but `about` may be left out.
    """
    found: dict[str, Any] = {}
    for file in sorted(Path(__file__).parent.glob("presets*.toml")):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def read_preset_tables(file: Path) -> Tables:
    """Read the presets of a user's file, which may inherit from shipped ones."""
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = describe_os_error(error)
        raise LudusError(f"cannot read presets {quote_path(file)}: {reason}") from error
    return {**load_preset_tables(), **read}


def build_preset(name: str, known: Tables) -> Preset:
    """Build a preset from tables."""
    fields = dict(_resolve_inheritance(name, known, ()))
    parts = fields.pop("part", {})
    return Preset.parse({**fields, "parts": parts}, f"preset {quote(name)}")


def _resolve_inheritance(name: str, known: Tables, ancestors: tuple[str, ...]) -> Tables:
    """Return the fields of a preset merged over those that it inherits."""
    check_choice("there is no preset", name, known)
    own = known[name]
    if not isinstance(own, dict):
        raise BadSpec(f"preset {quote(name)} must be a table")
    model = own.get("like")
    if model is None:
        return own
    if not isinstance(model, str) or model in (*ancestors, name):
        raise BadSpec(f"preset {quote(name)} cannot be like {quote(str(model))}")
    return _merge_tables(_resolve_inheritance(model, known, (*ancestors, name)), own)


def _merge_tables(base: Tables, own: Tables) -> Tables:
    """Merge one table over another, nested tables recursively."""
    merged = dict(base)
    for key, value in own.items():
        below = base.get(key)
        both = isinstance(value, dict) and isinstance(below, dict)
        merged[key] = _merge_tables(below, value) if both else value  # type: ignore[arg-type]
    merged.pop("like", None)
    return merged


def _make_optional(field: FieldInfo) -> Any:
    """Return the definition of a field that is None where it is not given."""
    annotation: Any = field.annotation
    return Annotated[annotation | None, Field(), *field.metadata], None


CHANGES: Any = create_model(
    "CHANGES",
    __base__=Options,
    **{
        name: _make_optional(field)
        for kind in (NetworkConfig, Hyperparameters)
        for name, field in kind.model_fields.items()
        # Options cannot change these, or have names of their own for them.
        if name not in ("outputs", "seconds", "seed")
    },
)
"""Every field of design and training as an option, which changes that of the preset."""


class PresetOptions(TorchTrainingConfig):
    """A dataset and a preset."""

    data: Path | None = None
    """A dataset of good moves, not expanded; by default that of `ludus dataset fetch nnmm`."""

    limit_entries: int = Field(0, ge=0)
    """Use only the first N entries; 0: all."""

    preset: str = "cpu"
    """Name of a configuration; options that are not given are as it says."""

    presets: Path | None = None
    """Further configurations, in TOML."""

    order: str | None = None
    """TFR, FTR, RFT5…"""

    inputs: str | None = None
    """rawest, rawer, raw, integer, features or lines."""

    seconds_per_network: float | None = Field(None, ge=0, le=1e9)
    """Time limit of each network; 0: none."""

    seed: int = Field(0, ge=0, le=2**31 - 1)
    """The same seed gives the same networks if no time limit ends a training, as in `cpu`."""


class PresetConfig(CHANGES, PresetOptions):
    """A dataset, and a preset with changes."""

    @classmethod
    def read_docstrings(cls) -> dict[str, str]:
        inherited = NetworkConfig.read_docstrings() | Hyperparameters.read_docstrings()
        return inherited | super().read_docstrings()

    def make_preset(self) -> Preset:
        """Return the preset with its changes."""
        names = [*CHANGES.model_fields, "order", "inputs", "members", "ensemble"]
        changes = {name: getattr(self, name, None) for name in names}
        changes |= {"seconds": self.seconds_per_network, "seed": self.seed}
        return load_preset(self.preset, self.presets).with_changes(
            **{name: each for name, each in changes.items() if each is not None}
        )


class NnmmConfig(PresetConfig):
    """Configuration of a training of the networks of a chain."""

    members: int | None = Field(None, ge=1, le=MAX_MEMBERS)
    """Ensemble size for each part of a move."""

    ensemble: EnsembleKind | None = None
    """How the members of an ensemble differ: seeds, bagging or boosting."""

    part: tuple[str, ...] = ()
    """Train only this network; repeatable."""

    folds: int = Field(0, ge=0, le=100)
    """Cross-validate with N folds instead; the accuracies are the result."""

    half: bool = False
    """Write half precision."""

    @model_validator(mode="after")
    def _check_folds(self) -> Self:
        if self.folds == 1:
            raise BadSpec("folds=1 must be 0 or from 2 to 100")
        return self
