"""Games that a Python module defines by start, move, won and drawn."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from ludus.core.errors import LudusError, quoted

T = TypeVar("T")

NEEDED = ("start", "move", "won", "drawn")


class Definition:
    """The primitives of a module; whatever goes wrong in them is told in one line."""

    def __init__(self, name: str, module: ModuleType) -> None:
        missing = [each for each in NEEDED if not callable(getattr(module, each, None))]
        if missing:
            raise LudusError(f"{quoted(name, 200)} does not define {', '.join(missing)}")
        self._name, self._module = name, module

    def start(self) -> Any:
        """The state before the first move."""
        return self._call("start", _hashable)

    def move(self, state: Any, /) -> list[Any]:
        return self._call("move", lambda states: list(map(_hashable, states)), state)

    def won(self, state: Any, /) -> bool:
        return self._call("won", bool, state)

    def drawn(self, state: Any, /) -> bool:
        return self._call("drawn", bool, state)

    def _call(self, function: str, kind: Callable[[Any], T], *states: Any) -> T:
        try:
            return kind(getattr(self._module, function)(*states))
        except Exception as error:
            where = f"{function} in {quoted(self._name, 200)}"
            raise LudusError(f"{where} fails: {_told(error)}") from error


def run_file(path: Path) -> ModuleType:
    """A file of Python, run as it is: whoever names it trusts it."""
    try:
        code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
        module = ModuleType(path.stem)
        exec(code, module.__dict__)
    except Exception as error:
        raise LudusError(f"cannot use {quoted(str(path), 200)}: {_told(error)}") from error
    return module


def _hashable(state: Any) -> Any:
    hash(state)
    return state


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {quoted(str(error), 200)}"
