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

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ludus.core.errors import BadSpec, LudusError, UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.parts import Order
from ludus.learn.nnmm.preset import Fields, Preset
from ludus.learn.nnmm.settings import Training

KEYS = ("about", "like", "inputs", "order", "members", "ensemble", "design", "training", "part")
KINDS = ("design", "training")


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
    parts = _parts(name, fields.pop("part", {}))
    design = Design.from_dict(_table(name, "design", fields.get("design", {})))
    training = Training.from_dict(_table(name, "training", fields.get("training", {})))
    for key, kind in (("about", str), ("inputs", str), ("order", str), ("members", int)):
        if key in fields and type(fields[key]) is not kind:
            raise BadSpec(f"preset {quoted(name)}: {key} cannot be {quoted(str(fields[key]))}")
    return Preset(**{**fields, "design": design, "training": training}, parts=parts)


def _parts(name: str, parts: Any) -> dict[str, Fields]:
    """What differs for some networks; the steps of five networks are the most there are."""
    known = [step.name for step in Order.parse("TFR5").steps]
    for part, kinds in _table(name, "part", parts).items():
        if part not in known:
            hint = suggestion(part, known)
            raise UnknownName(f"preset {quoted(name)} has no part {quoted(part)}{hint}")
        for kind, fields in _table(name, part, kinds).items():
            if kind not in KINDS:
                hint = suggestion(kind, KINDS)
                raise UnknownName(f"preset {quoted(name)}: {part} has no {quoted(kind)}{hint}")
            _table(name, kind, fields)
    return dict(parts)


def _table(name: str, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadSpec(f"preset {quoted(name)}: {key} must be a table")
    return value


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
