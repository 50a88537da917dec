"""Perfect values: solving, storing, checking and looking them up."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.oracle.finding import oracle_for
    from ludus.oracle.memory import MemoryOracle
    from ludus.oracle.morris import MorrisOracle
    from ludus.oracle.oracle import Oracle, RatedMove, Unsolved, Value, WrongRules

__all__ = [
    "MemoryOracle",
    "MorrisOracle",
    "Oracle",
    "RatedMove",
    "Unsolved",
    "Value",
    "WrongRules",
    "oracle_for",
]

# Names are looked up when they are asked for: solving on a GPU needs none of them, and so none of
# the packages that databases are read with.
_HOMES = {"oracle_for": "finding", "MemoryOracle": "memory", "MorrisOracle": "morris"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'oracle')}"), name)
