"""Games as jobs, tournaments, ratings, and regret against perfect play."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.arena.choices import BATCH_SIZE, choose_moves, get_batch_size
    from ludus.arena.executors import Executor, LocalPool, RayCluster, make_executor
    from ludus.arena.jobs import (
        GameConditions,
        GameResult,
        Job,
        JobKey,
        StartPositions,
        derive_seed,
    )
    from ludus.arena.ratings import Rating, compute_ratings
    from ludus.arena.regret import (
        MoveError,
        Policy,
        RegretSchedule,
        RegretStatistics,
        RegretTally,
        compute_expected_regret,
        find_verdicts,
        get_uniform_policy,
        measure_regret,
    )
    from ludus.arena.report import TournamentReport, run_tournament
    from ludus.arena.result_store import ResultStore
    from ludus.arena.tournament import BadTournament, Tournament, read_tournament

__all__ = [
    "BATCH_SIZE",
    "BadTournament",
    "Executor",
    "GameConditions",
    "GameResult",
    "Job",
    "JobKey",
    "LocalPool",
    "MoveError",
    "Policy",
    "Rating",
    "RayCluster",
    "RegretSchedule",
    "RegretStatistics",
    "RegretTally",
    "ResultStore",
    "StartPositions",
    "Tournament",
    "TournamentReport",
    "choose_moves",
    "compute_expected_regret",
    "compute_ratings",
    "derive_seed",
    "find_verdicts",
    "get_batch_size",
    "get_uniform_policy",
    "make_executor",
    "measure_regret",
    "read_tournament",
    "run_tournament",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
