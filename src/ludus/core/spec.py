"""Spec strings: `name:option,key=value,…`, which name a game or a player with options.

>>> parse_spec("hexapawn:size=4")
Spec(name='hexapawn', flags=(), options={'size': '4'})
>>> parse_spec("nine_mens_morris:lasker,men=9")
Spec(name='nine_mens_morris', flags=('lasker',), options={'men': '9'})
"""

import ast
import dataclasses
import difflib
import math
import numbers
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from ludus.core.errors import BadSpec, LudusError, UnknownName, check_length, quote, quote_value

D = TypeVar("D")

MAX_DIGITS = 24
"""Maximum length of a number; Python refuses to convert very long ones."""

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Spec:
    """A name, flags without a value, and options with a value."""

    name: str
    flags: tuple[str, ...]
    options: Mapping[str, str]

    @property
    def has_options(self) -> bool:
        """Whether it has more than a name."""
        return bool(self.flags or self.options)


def parse_spec(text: str) -> Spec:
    """Parse a spec string; a class of a module may be followed by `:` as a name is.

    >>> parse_spec("my_games:ConnectFour:small")
    Spec(name='my_games', flags=('ConnectFour', 'small'), options={})
    """
    check_length(text, BadSpec)
    name, _, rest = text.partition(":")
    if not name.strip():
        raise BadSpec(f"{quote(text)} names nothing; write name or name:key=value,…")
    kind, colon, more = rest.partition(":")
    if colon and kind.isidentifier() and kind[0].isupper():
        rest = f"{kind},{more}"
    flags, options = parse_options(rest)
    return Spec(name.strip(), flags, options)


def parse_options(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Parse `word,key=value,…`."""
    check_length(text, BadSpec)
    flags: list[str] = []
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (item.strip() for item in part.partition("="))
        if not equals:
            flags.append(key)
        elif not key or not value:
            raise BadSpec(f"{quote(part)} is not key=value")
        elif key in options:
            raise BadSpec(f"option {quote(key)} is given twice")
        else:
            options[key] = value
    return tuple(flags), options


def add_options(text: str, options: Mapping[str, str]) -> str:
    """Return a spec with further options; those that it gives already are kept.

    >>> add_options("perfect:draws=any", {"draws": "tricky", "fallback": "search"})
    'perfect:draws=any,fallback=search'
    """
    given = parse_spec(text).options
    more = [f"{key}={value}" for key, value in options.items() if key not in given]
    return f"{text}{',' if ':' in text else ':'}{','.join(more)}" if more else text


def format_option_value(value: object) -> str:
    """Return the text of a value in a spec string, which `apply_options` parses."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def list_options(value: Any) -> list[str]:
    """Return `key=value` for every field of a dataclass.

    >>> from ludus.core.player import Limit
    >>> list_options(Limit(nodes=100))
    ['time=None', 'nodes=100', 'depth=None']
    """
    fields = dataclasses.fields(value)
    return [f"{each.name}={format_option_value(getattr(value, each.name))}" for each in fields]


def format_suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message: the closest known name, and all known names."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    return f"{meant}; there are {', '.join(names) if names else 'none'}"


def check_choice(
    complaint: str, name: str, known: Collection[str], error: type[LudusError] = UnknownName
) -> None:
    """Raise an error unless the name is known.

    >>> check_choice("there is no size", "quik", ("quick",))
    Traceback (most recent call last):
        ...
    ludus.core.errors.UnknownName: there is no size 'quik' (did you mean quick?); there are quick
    """
    if not isinstance(name, str):
        raise error(f"{complaint} {quote_value(name)}; there are {', '.join(known)}")
    if name not in known:
        raise error(f"{complaint} {quote(name)}{format_suggestion(name, known)}")


def check_ranges(options: object, owner: str = "", **ranges: tuple[float, float]) -> None:
    """Raise BadSpec if an attribute of the options is outside its range; None is allowed.

    >>> from ludus.core.player import Limit
    >>> check_ranges(Limit(nodes=3), "limit", nodes=(1, 2), depth=(1, 9))
    Traceback (most recent call last):
        ...
    ludus.core.errors.BadSpec: limit nodes=3 must be from 1 to 2
    """
    for name, (low, high) in ranges.items():
        check_range(f"{owner} {name}".strip(), getattr(options, name), low, high)


def check_range(label: str, value: float | None, low: float, high: float) -> None:
    """Raise BadSpec if a number is outside its range; None is allowed."""
    if value is not None and not low <= value <= high:
        numbers = (f"{each:g}" if isinstance(each, float) else each for each in (value, low, high))
        raise BadSpec("{}={} must be from {} to {}".format(label, *numbers))


def check_fields(options: object, owner: str) -> None:
    """Raise BadSpec if a field of a dataclass has a value that its annotation does not allow.

    >>> from ludus.games.nine_mens_morris import Rules
    >>> Rules(blocked="waits")
    Traceback (most recent call last):
        ...
    ludus.core.errors.BadSpec: nine_mens_morris blocked='waits' must be one of loses, passes
    """
    kind: Any = type(options)
    for name, hint in _get_hints(kind).items():
        value = getattr(options, name)
        is_literal = typing.get_origin(hint) is typing.Literal
        choices = typing.get_args(hint)
        if is_literal and (not isinstance(value, str) or value not in choices):
            wanted = f"one of {', '.join(choices)}"
        elif hint is bool and not isinstance(value, bool):
            wanted = "True or False"
        elif hint is int and (isinstance(value, bool) or not isinstance(value, numbers.Integral)):
            wanted = "a whole number"
        elif hint is float and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
            wanted = "a number"
        elif hint is str and not isinstance(value, str):
            wanted = "a text"
        else:
            continue
        raise BadSpec(f"{owner} {name}={quote_value(value)} must be {wanted}")


@cache
def _get_hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def apply_options(value: D, options: Mapping[str, str], owner: str) -> D:
    """Return a frozen dataclass with fields replaced, each text parsed by the field's type.

    A dataclass may name old keys, which are accepted for one release, in a class variable
    `aliases` of old to new keys.

    >>> from ludus.core.player import Limit
    >>> apply_options(Limit(), {"nodes": "100"}, "limit")
    Limit(time=None, nodes=100, depth=None)
    """
    kind: Any = type(value)
    hints = _get_hints(kind)
    fields = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    changes: dict[str, Any] = {}
    for written, text in options.items():
        key = getattr(kind, "aliases", {}).get(written, written)
        check_choice(f"{owner} has no option", key, fields)
        if key in changes:
            raise BadSpec(f"{owner} option {key} is given twice, as {written} too")
        changes[key] = _parse_value(text, hints[key], f"{owner} option {key}")
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]


def format_options(value: Any, default: Any, without: Collection[str] = ()) -> list[str]:
    """Return `key=value` for every field in which a dataclass differs from a default.

    >>> from ludus.core.player import Limit
    >>> format_options(Limit(nodes=100), Limit())
    ['nodes=100']
    """
    return [
        f"{field.name}={getattr(value, field.name)}"
        for field in dataclasses.fields(value)
        if field.name not in without and getattr(value, field.name) != getattr(default, field.name)
    ]


def _parse_value(text: str, hint: Any, where: str) -> Any:
    """Parse a text as a value of the annotated type."""
    choices = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        if text not in choices:
            raise BadSpec(f"{where}={quote(text)} must be one of {', '.join(choices)}")
        return text
    if isinstance(hint, types.UnionType):
        hint = next(choice for choice in choices if choice is not types.NoneType)
    if hint is bool:
        if text.lower() not in TRUE + FALSE:
            raise BadSpec(f"{where}={quote(text)} must be yes or no")
        return text.lower() in TRUE
    if hint is str:
        return text
    if len(text) > MAX_DIGITS:
        raise BadSpec(f"{where}={quote(text)} is too long for a number")
    try:
        # Python would accept the digits of every alphabet, and 1_000.
        number = hint(text if text.isascii() and "_" not in text else "")
    except ValueError:
        kind = "a whole number" if hint is int else "a number"
        raise BadSpec(f"{where}={quote(text)} must be {kind}") from None
    if not math.isfinite(number):
        raise BadSpec(f"{where}={quote(text)} must be finite")
    return number


T = TypeVar("T")


def load_target(target: str) -> Any:
    """Import what `module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


class Registry(Generic[T]):
    """Names with their `module:attribute`; a module is imported when its name is looked up.

    Installed packages add names by entry points of the group `ludus.<kind>s`.
    """

    added: ClassVar[dict[str, dict[str, str]]] = {}
    """Names that this program has registered by `add`, by kind; worker processes get them."""

    _registries: ClassVar[dict[str, "Registry[Any]"]] = {}

    def __init__(
        self, kind: str, entries: Mapping[str, str], aliases: Mapping[str, str] | None = None
    ) -> None:
        """Hold these names; an alias is another word for one of them, which is not listed."""
        self.kind = kind
        self._aliases = aliases or {}
        self._entries = {**entries, **self.added.get(kind, {})}
        self._has_entry_points = False
        self._registries[kind] = self

    @classmethod
    def add_to_all(cls, names: Mapping[str, Mapping[str, str]]) -> None:
        """Register the names that another process has `added`."""
        for kind, entries in names.items():
            cls.added.setdefault(kind, {}).update(entries)
            if kind in cls._registries:
                cls._registries[kind].update(entries)

    def __repr__(self) -> str:
        return f"<{self.kind}s: {', '.join(self)}>"

    def __iter__(self) -> Iterator[str]:
        self._add_entry_points()
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        if name not in self._entries:
            self._add_entry_points()
        return name in self._entries or name in self._aliases

    def _add_entry_points(self) -> None:
        """Add the names of installed packages, once; a name that is taken stays as it is."""
        if not self._has_entry_points:
            from importlib.metadata import entry_points  # which takes as long as all the rest

            self._has_entry_points = True
            for each in entry_points(group=f"ludus.{self.kind}s"):
                self._entries.setdefault(each.name, each.value)

    def add(self, name: str, target: str) -> None:
        """Register a name; `target` is `module:attribute`."""
        self._entries[name] = self.added.setdefault(self.kind, {})[name] = target

    def update(self, entries: Mapping[str, str]) -> None:
        """Register the names that another package declares."""
        self._entries.update(entries)

    def find_class(self, spec: Spec, base: type) -> tuple[T, list[str]]:
        """Return the class that a spec names and the other flags of the spec.

        A name that is not registered may be a module, followed by a class of the kind `base`:
        `my_players:Careful`. Importing it runs its code: never pass a spec that was received.
        """
        flags = list(spec.flags)
        if spec.name in self or not flags or not flags[0].isidentifier():
            return self[spec.name], flags
        try:
            found = load_target(f"{spec.name}:{flags[0]}")
        except ModuleNotFoundError as error:
            if error.name == spec.name.partition(".")[0] and flags[0][0].isupper():
                raise UnknownName(
                    f"there is no {self.kind} {quote(spec.name)} and no module of this name; "
                    "PYTHONPATH=FOLDER finds the modules in a folder"
                ) from None
            return self[spec.name], flags  # which names those that there are
        except (ImportError, TypeError, ValueError, RecursionError):
            return self[spec.name], flags  # the name has empty parts, or hundreds of parts
        except AttributeError:
            raise UnknownName(f"the module {spec.name} has no {quote(flags[0])}") from None
        if not (isinstance(found, type) and issubclass(found, base)):
            raise BadSpec(f"{spec.name}:{flags[0]} is not a class of {self.kind}s")
        return found, flags[1:]  # type: ignore[return-value]

    def check_file_spec(self, spec: str, modules: Collection[str] = ()) -> None:
        """Raise UnknownName if a spec of a file would import a module that is not among these."""
        parsed = parse_spec(spec)
        if parsed.name in self or parsed.name in modules:
            return
        if parsed.flags and parsed.flags[0].isidentifier() and parsed.flags[0][0].isupper():
            raise UnknownName(
                f"{quote(spec)} names a module, and no file may have it imported; "
                f"--module {parsed.name} allows it"
            )
        check_choice(f"there is no {self.kind}", parsed.name, self._entries)

    def read_docstring(self, name: str) -> str:
        """Return the docstring of the class of a name; its module is read, but not imported."""
        module, _, attribute = self._entries[name].partition(":")
        found = find_spec(module)
        if found is not None and found.origin is not None:
            for node in ast.parse(Path(found.origin).read_bytes()).body:
                if isinstance(node, ast.ClassDef) and node.name == attribute:
                    return ast.get_docstring(node) or ""
        return ""

    def __getitem__(self, name: str) -> T:
        if name not in self:
            check_choice(f"there is no {self.kind}", name, self._entries)
        found: T = load_target(self._entries[self._aliases.get(name, name)])
        return found
