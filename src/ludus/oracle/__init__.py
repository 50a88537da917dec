"""Perfect values: solver, database, verification and lookup.

The package is callable: `ludus.oracle(game)` returns the oracle of a game or of its spec, like
`oracle_for(game, folder=None, *, needs_depth=False)`.

>>> import ludus
>>> hexapawn = ludus.game("hexapawn")
>>> print(ludus.oracle(hexapawn).value(hexapawn.start()))
draw
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.oracle.backgammon.bearoff import RollDistributions, compute_race, roll_distributions
    from ludus.oracle.backgammon.cuda_solver import CudaHypergammon
    from ludus.oracle.backgammon.oracle import BackgammonOracle
    from ludus.oracle.backgammon.solver import EquityRun
    from ludus.oracle.backgammon.tables import Extent, TableFolder
    from ludus.oracle.memory import MemoryOracle, solve_backwards
    from ludus.oracle.morris.cuda_solver import CudaSolver
    from ludus.oracle.morris.database import Database
    from ludus.oracle.morris.oracle import MorrisOracle, make_indexer
    from ludus.oracle.morris.sectors import (
        TableReferences,
        all_sectors,
        moving_sectors,
        sides_to_move,
        start_sector,
        subspace_of,
    )
    from ludus.oracle.morris.solver import SolveRun, make_solver
    from ludus.oracle.oracle import ORDER, Oracle, RatedMove, Unsolved, Value, Verdict, WrongRules
    from ludus.oracle.selection import oracle_for

__all__ = [
    "ORDER",
    "BackgammonOracle",
    "CudaHypergammon",
    "CudaSolver",
    "Database",
    "EquityRun",
    "Extent",
    "MemoryOracle",
    "MorrisOracle",
    "Oracle",
    "RatedMove",
    "RollDistributions",
    "SolveRun",
    "TableFolder",
    "TableReferences",
    "Unsolved",
    "Value",
    "Verdict",
    "WrongRules",
    "all_sectors",
    "compute_race",
    "make_indexer",
    "make_solver",
    "moving_sectors",
    "oracle_for",
    "roll_distributions",
    "sides_to_move",
    "solve_backwards",
    "start_sector",
    "subspace_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)


class CallablePackage(ModuleType):
    """The package itself, which can be called like a function.

    `ludus.oracle` names both what people want of it, as `ludus.game` and `ludus.player` do, and
    the package that holds the solvers.
    """

    def __call__(self, *args: Any, **options: Any) -> "Oracle":
        from ludus.oracle.selection import oracle

        return oracle(*args, **options)


sys.modules[__name__].__class__ = CallablePackage
