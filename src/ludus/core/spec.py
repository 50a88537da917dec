"""Spec strings: `name:option,key=value,…`, the one way to name a game or a player with options.

>>> parse_spec("hexapawn:size=4")
Spec(name='hexapawn', words=(), options={'size': '4'})
>>> parse_spec("nine_mens_morris:lasker,men=9")
Spec(name='nine_mens_morris', words=('lasker',), options={'men': '9'})
"""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ludus.core.errors import BadSpec, UnknownName, check_length, quoted

D = TypeVar("D")

MAX_DIGITS = 24
"""No option needs a longer number; Python itself would choke on some of them."""

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Spec:
    """A name, words without a value, and options with one."""

    name: str
    words: tuple[str, ...]
    options: Mapping[str, str]


def parse_spec(text: str) -> Spec:
    """Take a spec string apart."""
    check_length(text, BadSpec)
    name, _, rest = text.partition(":")
    if not name.strip():
        raise BadSpec(f"{quoted(text)} names nothing; write name or name:key=value,…")
    words, options = parse_options(rest)
    return Spec(name.strip(), words, options)


def parse_options(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take `word,key=value,…` apart."""
    words: list[str] = []
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (item.strip() for item in part.partition("="))
        if not equals:
            words.append(key)
        elif not key or not value:
            raise BadSpec(f"{quoted(part)} is not key=value")
        elif key in options:
            raise BadSpec(f"option {quoted(key)} is given twice")
        else:
            options[key] = value
    return tuple(words), options


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of an error message: what was probably meant, and what there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"{meant}; there are {', '.join(names) if names else 'none'}"


def with_options(value: D, options: Mapping[str, str], owner: str) -> D:
    """A frozen dataclass with some fields replaced by what the texts say, each by its type.

    >>> from ludus.core.limit import Limit
    >>> with_options(Limit(), {"nodes": "100"}, "limit")
    Limit(time=None, nodes=100, depth=None)
    """
    hints = typing.get_type_hints(type(value))
    fields = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    changes: dict[str, Any] = {}
    for key, text in options.items():
        if key not in fields:
            raise UnknownName(f"{owner} has no option {quoted(key)}{suggestion(key, fields)}")
        changes[key] = _read(text, hints[key], f"{owner} option {key}")
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]


def _read(text: str, hint: Any, where: str) -> Any:
    """A text as a value of the annotated type."""
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        if text not in choices:
            raise BadSpec(f"{where}={quoted(text)} must be one of {', '.join(choices)}")
        return text
    if isinstance(hint, types.UnionType):
        hint = next(choice for choice in choices if choice is not types.NoneType)
    if hint is bool:
        if text.lower() not in TRUE + FALSE:
            raise BadSpec(f"{where}={quoted(text)} must be yes or no")
        return text.lower() in TRUE
    if hint is str:
        return text
    if len(text) > MAX_DIGITS:
        raise BadSpec(f"{where}={quoted(text)} is too long for a number")
    try:
        # Python would read the digits of every alphabet, and 1_000.
        number = hint(text if text.isascii() and "_" not in text else "")
    except ValueError:
        kind = "a whole number" if hint is int else "a number"
        raise BadSpec(f"{where}={quoted(text)} must be {kind}") from None
    if not math.isfinite(number):
        raise BadSpec(f"{where}={quoted(text)} must be finite")
    return number
