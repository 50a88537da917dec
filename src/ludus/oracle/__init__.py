"""Perfect values: solver, database, verification and lookup."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.oracle.memory import MemoryOracle
    from ludus.oracle.morris.oracle import MorrisOracle
    from ludus.oracle.oracle import Oracle, RatedMove, Unsolved, Value, Verdict, WrongRules
    from ludus.oracle.selection import oracle_for

__all__ = [
    "MemoryOracle",
    "MorrisOracle",
    "Oracle",
    "RatedMove",
    "Unsolved",
    "Value",
    "Verdict",
    "WrongRules",
    "oracle_for",
]

# Names are imported on demand: solving on a GPU needs none of them, nor the packages that read
# databases.
_HOMES = {"oracle_for": "selection", "MemoryOracle": "memory", "MorrisOracle": "morris.oracle"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'oracle')}"), name)
