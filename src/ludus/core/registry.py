"""A table of names whose modules are imported only when they are asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to `module:attribute`, so that listing costs nothing and asking imports one module."""

    def __init__(self, kind: str, entries: Mapping[str, str]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def add(self, name: str, target: str) -> None:
        """Make a further name known: `target` is `module:attribute`."""
        self._entries[name] = target

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            hint = suggestion(name, self._entries)
            raise UnknownName(f"there is no {self.kind} {quoted(name)}{hint}")
        module, _, attribute = self._entries[name].partition(":")
        found: T = getattr(import_module(module), attribute)
        return found
