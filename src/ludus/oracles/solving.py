"""Solve a game into a folder, or verify what a folder holds, whatever its tables are."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ludus.core.claims import EXPIRY_SECONDS
from ludus.core.errors import BadDatabase, CannotSolve
from ludus.core.game import AnyGame, OracleKind
from ludus.core.processes import count_cores, measure_machine_memory
from ludus.games import resolve_game
from ludus.oracles.backgammon.oracle import BackgammonOracle
from ludus.oracles.backgammon.solver import (
    EquityResult,
    EquityRun,
    EquityVerificationRun,
    select_extent,
)
from ludus.oracles.backgammon.tables import GAME_ID as BACKGAMMON
from ludus.oracles.backgammon.tables import MemoryTables, TableFolder
from ludus.oracles.morris.database import GAME_ID as MORRIS
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import estimate_peak_bytes
from ludus.oracles.morris.solver import (
    SharedSolveRun,
    SolveResult,
    SolveRun,
    make_solver,
    select_sectors,
)
from ludus.oracles.morris.verification import VerificationRun
from ludus.oracles.storage import DamagedTable, read_manifest


@dataclass(frozen=True)
class SolveOptions:
    """How a game is solved."""

    max_men: int | None = None
    """Only positions of the moving phase, or of bearing off, with at most this many men a side."""

    device: str = "cpu"
    threads: int | None = None

    verify: bool = False
    """Whether every value is derived again from its successors."""

    has_depth: bool = True
    """Whether depths are stored; files without them are smaller."""

    is_shared: bool = False
    """Whether several processes that make the same call solve together, each some sectors."""

    expiry_seconds: float = EXPIRY_SECONDS

    @property
    def num_threads(self) -> int:
        return self.threads or count_cores()


def solve(
    game: AnyGame | str,
    folder: Path | str | None = None,
    *,
    max_men: int | None = None,
    device: str = "cpu",
    threads: int | None = None,
    verify: bool = False,
    has_depth: bool = True,
    is_shared: bool = False,
) -> SolveResult | EquityResult:
    """Solve a game, itself or by its spec, and write its values to a folder.

    `max_men` limits the work to positions of the moving phase with at most this many men per side.
    `verify` derives every value again from its successors. Without depths files are smaller.
    An interrupted run resumes with the same folder. With `is_shared`, several processes that make
    the same call solve together, each its share of the sectors.

    >>> found = solve("nine_mens_morris", max_men=3)
    >>> sum(counts.win for counts in found.counts.values())
    140621
    """
    options = SolveOptions(max_men, device, threads, verify, has_depth, is_shared)
    place = None if folder is None else Path(folder)
    with open_solve_run(resolve_game(game), place, options) as run:
        return run.run()


SolvingRun = SolveRun | EquityRun


@contextmanager
def open_solve_run(
    game: AnyGame, folder: Path | None, options: SolveOptions
) -> Iterator[SolvingRun]:
    """Open the folder and yield a run that solves into it; its progress can be read meanwhile."""
    if game.oracle_kind not in RUN_OPENERS:
        known = " and ".join((MORRIS, BACKGAMMON))
        raise CannotSolve(f"{game.id} is solved in memory; only {known} are solved into tables")
    with RUN_OPENERS[game.oracle_kind](game, folder, options) as run:
        yield run


@contextmanager
def _open_sector_run(
    game: AnyGame, folder: Path | None, options: SolveOptions
) -> Iterator[SolvingRun]:
    """Yield a run that solves the sectors of a game of the Morris family."""
    rules, verify, num_threads = game.rules, options.verify, options.num_threads
    if options.is_shared and folder is None:
        raise CannotSolve("processes that solve together need a folder")
    sectors = select_sectors(rules, options.max_men)
    if options.device == "cpu":
        _check_memory(estimate_peak_bytes(rules, sectors))
    solver = make_solver(rules, options.device, num_threads)
    with (
        _advise_on_damage(),
        nullcontext()
        if folder is None
        else Database.open_for_writing(
            folder, rules, options.has_depth, options.is_shared
        ) as database,
    ):
        if database is None or not options.is_shared:
            yield SolveRun(rules, sectors, solver, database, num_threads, verify)
        else:
            yield SharedSolveRun(
                rules, sectors, solver, database, num_threads, verify, options.expiry_seconds
            )


@contextmanager
def _open_equity_run(
    game: AnyGame, folder: Path | None, options: SolveOptions
) -> Iterator[SolvingRun]:
    """Yield a run that solves hypergammon, or bearing off in backgammon."""
    if options.is_shared:
        raise CannotSolve("only games of the Morris family are solved by processes together")
    if not options.has_depth:
        raise CannotSolve("equities have no depths, so they cannot be left out")
    extent = select_extent(game.rules, options.max_men)
    _check_memory(extent.estimate_peak_bytes())
    tables = nullcontext() if folder is None else TableFolder.open_for_writing(folder, extent)
    with _advise_on_damage(), tables as opened:
        yield EquityRun(
            extent,
            opened,
            device=options.device,
            threads=options.num_threads,
            verify=options.verify,
        )


RUN_OPENERS: Mapping[
    OracleKind,
    Callable[[AnyGame, Path | None, SolveOptions], AbstractContextManager[SolvingRun]],
] = {"tables": _open_sector_run, "equities": _open_equity_run}
"""What opens a run for each kind of oracle that is stored."""


def open_verification(
    folder: Path, device: str = "cpu", threads: int | None = None
) -> VerificationRun | EquityVerificationRun:
    """Return a run that verifies a folder."""
    num_threads = threads or count_cores()
    if read_manifest(folder).get("game") == BACKGAMMON:
        return EquityVerificationRun(TableFolder.open(folder), device, num_threads)
    database = Database.open(folder)
    return VerificationRun(database, make_solver(database.rules, device, num_threads), num_threads)


def find_root_equity(game: AnyGame, found: EquityResult) -> float | None:
    """Return the equity of the side that begins; None if the start is not among the positions.

    Before a roll-off both sides are even, so it is that of the side that has won it.
    """
    oracle = BackgammonOracle(game.rules, MemoryTables(found.extent, found.equities, ""))
    start = replace(game.start(), opening="" if game.rules.opening == "any" else "first")
    return oracle.value(start).equity if oracle.has_value(start) else None


@contextmanager
def _advise_on_damage() -> Iterator[None]:
    """Say what to do about a damaged table of the folder that is written."""
    try:
        yield
    except DamagedTable as error:
        raise BadDatabase(
            f"{error}; delete this file, and the same command solves its positions again"
        ) from error


def _check_memory(needed: int) -> None:
    """Raise CannotSolve at once rather than run out of memory after an hour."""
    available = measure_machine_memory()
    if needed > available:
        raise CannotSolve(
            f"solving this takes {needed / 1e9:.0f} GB of memory; "
            f"this machine has {available / 1e9:.0f} GB"
        )
