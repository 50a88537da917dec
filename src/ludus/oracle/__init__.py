"""Perfect values: solving, storing, checking and looking them up."""

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
