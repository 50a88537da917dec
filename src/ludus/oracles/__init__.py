"""Perfect values: solver, database, verification and lookup."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.oracles.backgammon.bearoff import RollDistributions, compute_race, roll_distributions
    from ludus.oracles.backgammon.cuda_solver import CudaHypergammon
    from ludus.oracles.backgammon.oracle import BackgammonOracle
    from ludus.oracles.backgammon.solver import EquityRun
    from ludus.oracles.backgammon.tables import Extent, TableFolder
    from ludus.oracles.interface import (
        ORDER,
        Oracle,
        RatedMove,
        Unsolved,
        Value,
        Verdict,
        WrongRules,
    )
    from ludus.oracles.memory import MemoryOracle, solve_backwards
    from ludus.oracles.morris.cuda_solver import CudaSolver
    from ludus.oracles.morris.database import Database
    from ludus.oracles.morris.oracle import MorrisOracle, make_indexer
    from ludus.oracles.morris.sectors import (
        TableReferences,
        all_sectors,
        moving_sectors,
        sides_to_move,
        start_sector,
        subspace_of,
    )
    from ludus.oracles.morris.solver import SolveRun, make_solver
    from ludus.oracles.selection import oracle

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
    "oracle",
    "roll_distributions",
    "sides_to_move",
    "solve_backwards",
    "start_sector",
    "subspace_of",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
