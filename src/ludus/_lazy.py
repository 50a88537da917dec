"""Public names that are imported on first use (PEP 562), so that importing a package is quick."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def lazy_exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose public names are imported on first use.

    The modules of the names are those under `if TYPE_CHECKING:` in the package's `__init__.py`,
    which editors and type checkers read, too; so each name is written once. Only names that are
    also in `__all__` are offered.
    """

    def load(name: str) -> Any:
        module = sys.modules[package]
        if name not in module.__all__ or name not in _find_sources(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        source, original = _find_sources(package)[name]
        if source == package:  # a package within this one
            return import_module(f"{package}.{name}")
        found = getattr(import_module(source), original)
        setattr(module, name, found)
        return found

    return load, lambda: sorted({*vars(sys.modules[package]), *sys.modules[package].__all__})


@cache
def _find_sources(package: str) -> dict[str, tuple[str, str]]:
    """Return the module of each name imported under `if TYPE_CHECKING:`, and its name there."""
    import ast
    import inspect

    return {
        alias.asname or alias.name: (statement.module, alias.name)
        for block in ast.parse(inspect.getsource(sys.modules[package])).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module is not None
        for alias in statement.names
    }
