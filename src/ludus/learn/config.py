"""Configurations of trainings: one frozen model gives options, defaults, help and checks."""

import ast
import inspect
import sys
import types
import typing
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ludus.core.errors import BadSpec, LudusError, quote_value
from ludus.core.extras import require_package
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    import torch

MAX_SEED = 2**63 - 1
"""Largest seed that every generator of random numbers takes, those of torch and C++ among them."""

NUMBER_WORDS = {int: "a whole number", float: "a number", bool: "yes or no", str: "a text"}


class Options(BaseModel):
    """Frozen options of a learner, which are checked when they are made.

    >>> class Rates(Options):
    ...     rate: float = Field(0.1, gt=0, le=1)
    >>> Rates.parse({"rate": "0.5"}, "rates").rate
    0.5
    >>> Rates.parse({"rate": 2}, "rates")
    Traceback (most recent call last):
        ...
    ludus.core.errors.BadSpec: rates rate=2 must be more than 0 and at most 1
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, options: Mapping[str, Any], owner: str = "") -> Self:
        """Return options from texts or values; raise BadSpec with one line if they are wrong."""
        try:
            return cls.model_validate(dict(options))
        except ValidationError as error:
            raise describe_invalid_option(cls, error, owner) from None

    @classmethod
    def read_docstrings(cls) -> dict[str, str]:
        """Return the docstrings of the fields by name, read from the source files.

        Only help needs them; pydantic would read them whenever a player starts.
        """
        found: dict[str, str] = {}
        for kind in reversed(cls.__mro__):
            if issubclass(kind, Options):
                found |= _read_class_docstrings(kind)
        return found

    def replace(self, **changes: Any) -> Self:
        """Return a copy with changed fields, which are checked."""
        return self.parse({**self.model_dump(), **changes})


@cache
def _read_class_docstrings(kind: type) -> dict[str, str]:
    """Return the texts below the fields of a class; nothing if it was made without source."""
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    return {
        field.target.id: inspect.cleandoc(str(text.value.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__
        for field, text in pairwise(node.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def runtime_field(default: Any, **details: Any) -> Any:
    """Return a field that says where a training runs; results do not depend on it."""
    return Field(default, json_schema_extra={"is_runtime": True}, **details)


def argument_field(default: Any, **details: Any) -> Any:
    """Return a field that the command takes as an argument, without an option's name."""
    return Field(default, json_schema_extra={"is_argument": True}, **details)


class TrainingConfig(Options):
    """What every training has; a learner's config adds its own fields."""

    seed: int = Field(0, ge=0, le=MAX_SEED)
    """The same seed gives the same training."""

    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint must agree with: all fields but those of the machine."""
        runtime = {
            name
            for name, field in type(self).model_fields.items()
            if isinstance(field.json_schema_extra, dict)
            and field.json_schema_extra.get("is_runtime")
        }
        found: dict[str, Any] = self.model_dump(mode="json", exclude=runtime)
        return found

    def list_files(self) -> list[Path]:
        """Return the values that can name files, which the training reads."""
        values = [getattr(self, name) for name in type(self).model_fields]
        flat = [each for value in values for each in (value if type(value) is tuple else (value,))]
        return [Path(each) for each in flat if isinstance(each, str | Path)]


DEVICES = ("auto", "cpu", "cuda")


class TorchTrainingConfig(TrainingConfig):
    """What trainings with torch have beside."""

    device: str = runtime_field("auto")
    """cpu, cuda or auto."""

    threads: int = runtime_field(0, ge=0, le=1024)
    """CPU threads; 0: torch's default."""


def select_device(name: str, threads: int = 0) -> "torch.device":
    """Return a device by name; `auto` is the GPU if there is one. 0 threads: torch's default."""
    require_package("torch", "training a network")
    import torch

    check_choice("there is no device", name, DEVICES)
    if name == "cuda" and not torch.cuda.is_available():
        raise LudusError("torch finds no CUDA device here")
    if threads:
        torch.set_num_threads(threads)
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")


def _split_numbers(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Sizes = Annotated[tuple[int, ...], BeforeValidator(_split_numbers)]
"""Whole numbers, as a text with commas too: `24,24`."""


def describe_invalid_option(
    kind: type[BaseModel], error: ValidationError, owner: str
) -> LudusError:
    """Return the first mistake as an error of one line that says what would be right."""
    first = error.errors()[0]
    loc = [str(each) for each in first["loc"]]
    while len(loc) > 1 and (inner := _find_model(kind, loc[0])):
        kind, owner = inner, f"{owner} {loc.pop(0)}"
    name = loc[0] if loc else ""
    label, value = f"{owner} {name}".strip(), first["input"]
    if first["type"] == "extra_forbidden":
        try:
            check_choice(f"{owner} has no option".strip(), name, kind.model_fields)
        except LudusError as unknown:
            return unknown
    if first["type"] == "missing":
        return BadSpec(f"{label} is missing")
    if name not in kind.model_fields:
        return BadSpec(f"{owner}: {first['msg']}")
    return BadSpec(f"{label}={quote_value(value)} must be {_describe_field(kind, name)}")


def _find_model(kind: type[BaseModel], name: str) -> type[BaseModel] | None:
    """Return the model that a field is, if it is one."""
    annotation = unwrap_optional(kind.model_fields[name].annotation)
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model else None


def _describe_field(kind: type[BaseModel], name: str) -> str:
    field = kind.model_fields[name]
    annotation = unwrap_optional(field.annotation)
    choices = typing.get_args(annotation)
    if _find_model(kind, name) or typing.get_origin(annotation) is dict:
        return "a table"
    if typing.get_origin(annotation) is typing.Literal:
        return f"one of {', '.join(map(str, choices))}"
    limits = {type(each): each for each in field.metadata}
    if Ge in limits and Le in limits:
        return f"from {limits[Ge].ge:g} to {limits[Le].le:g}"
    words = [
        f"{word} {getattr(limits[limit], key):g}"
        for limit, key, word in (
            (Gt, "gt", "more than"),
            (Ge, "ge", "at least"),
            (Lt, "lt", "less than"),
            (Le, "le", "at most"),
        )
        if limit in limits
    ]
    if words:
        return " and ".join(words)
    hints = choices or (annotation,)
    return next((NUMBER_WORDS[each] for each in hints if each in NUMBER_WORDS), "something else")


def unwrap_optional(annotation: Any) -> Any:
    """Return the type of a field that may also be None."""
    choices = typing.get_args(annotation)
    if types.NoneType not in choices:
        return annotation
    rest = tuple(each for each in choices if each is not types.NoneType)
    return typing.Union[rest]  # noqa: UP007 - of as many types as there are
