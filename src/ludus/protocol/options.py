"""Options as the text protocol tells of them, made from a player's dataclass of options."""

import dataclasses
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import BadSpec, LudusError
from ludus.core.spec import with_options

NAMES = {"multipv": "MultiPV", "memory": "Hash"}
"""What graphical programs look for; other options are called as players call them."""

EMPTY = "<empty>"
"""How the protocol writes a text without letters; here also for a number that is not set."""

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set."""

    name: str
    kind: str
    """`check`, `spin`, `combo` or `string`."""

    default: str
    more: str = ""
    """The range of a spin, or the values of a combo."""

    field: str = ""
    """The field of the player's options; empty for an option of the engine itself."""

    def __str__(self) -> str:
        more = f" {self.more}" if self.more else ""
        return f"option name {self.name} type {self.kind} default {self.default}{more}"


def combo(name: str, default: str, values: typing.Iterable[str]) -> Option:
    """An option with a few values."""
    return Option(name, "combo", default, " ".join(f"var {value}" for value in values))


def player_options(settings: Any) -> list[Option]:
    """What can be set of a player with these options."""
    if settings is None:
        return []
    hints = typing.get_type_hints(type(settings))
    return [
        _option(settings, field.name, hints[field.name]) for field in dataclasses.fields(settings)
    ]


def with_option(settings: Any, option: Option, text: str, owner: str) -> Any:
    """The options with one changed."""
    if text in ("", EMPTY):
        default = next(
            field.default for field in dataclasses.fields(settings) if field.name == option.field
        )
        if default not in (None, ""):
            raise BadSpec(f"option {option.name} needs a value")
        return dataclasses.replace(settings, **{option.field: default})
    return with_options(settings, {option.field: text}, owner)


def _option(settings: Any, field: str, hint: Any) -> Option:
    value = getattr(settings, field)
    name = NAMES.get(field, field.capitalize())
    if typing.get_origin(hint) is typing.Literal:
        return dataclasses.replace(combo(name, value, typing.get_args(hint)), field=field)
    if hint is bool:
        return Option(name, "check", str(value).lower(), field=field)
    if hint is int:
        low, high = _range(settings, field)
        return Option(name, "spin", str(value), f"min {low} max {high}", field)
    is_unset = value is None or value == ""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    assert hint in (str, float) or isinstance(hint, types.UnionType)
    return Option(name, "string", EMPTY if is_unset else text, field=field)


def _range(settings: Any, field: str) -> tuple[int, int]:
    """The smallest and the largest number that the options accept, found by trying."""

    def is_accepted(number: int) -> bool:
        try:
            dataclasses.replace(settings, **{field: number})
        except LudusError:
            return False
        return True

    value = getattr(settings, field)
    return _last(is_accepted, value, -LARGEST), _last(is_accepted, value, LARGEST)


def _last(is_accepted: Callable[[int], bool], inside: int, bound: int) -> int:
    """The accepted number nearest to the bound, if all between `inside` and it are accepted."""
    if is_accepted(bound):
        return bound
    while abs(bound - inside) > 1:
        middle = (inside + bound) // 2
        if is_accepted(middle):
            inside = middle
        else:
            bound = middle
    return inside
