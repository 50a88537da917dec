"""Solve a game into a folder, or verify what a folder holds, whatever its tables are."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from ludus.core.claims import EXPIRY_SECONDS
from ludus.core.errors import BadDatabase, CannotSolve
from ludus.core.game import AnyGame
from ludus.core.processes import count_cores
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
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import estimate_peak_bytes
from ludus.oracles.morris.shared_solver import SharedSolveRun
from ludus.oracles.morris.solver import SolveResult, SolveRun, make_solver, select_sectors
from ludus.oracles.morris.verification import VerificationRun
from ludus.oracles.storage import DamagedTable, read_manifest


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
    with open_solve_run(
        resolve_game(game),
        None if folder is None else Path(folder),
        max_men=max_men,
        device=device,
        threads=threads,
        verify=verify,
        has_depth=has_depth,
        is_shared=is_shared,
    ) as run:
        return run.run()


@contextmanager
def open_solve_run(
    game: AnyGame,
    folder: Path | None = None,
    *,
    max_men: int | None = None,
    device: str = "cpu",
    threads: int | None = None,
    verify: bool = False,
    has_depth: bool = True,
    is_shared: bool = False,
    expiry_seconds: float = EXPIRY_SECONDS,
) -> Iterator[SolveRun | EquityRun]:
    """Open the folder and yield a run that solves into it; its progress can be read meanwhile."""
    num_threads = threads or count_cores()
    if game.oracle_kind == "equities":
        extent = select_extent(game.rules, max_men)
        _check_memory(extent.estimate_peak_bytes())
        tables = nullcontext() if folder is None else TableFolder.open_for_writing(folder, extent)
        with _advise_on_damage(), tables as opened:
            yield EquityRun(extent, opened, device=device, threads=num_threads, verify=verify)
        return
    sectors = select_sectors(game, max_men)
    if device == "cpu":
        _check_memory(estimate_peak_bytes(game.rules, sectors))
    solver = make_solver(game.rules, device, num_threads)
    with (
        _advise_on_damage(),
        nullcontext()
        if folder is None
        else Database.open_for_writing(folder, game.rules, has_depth, is_shared) as database,
    ):
        if not is_shared:
            yield SolveRun(game.rules, sectors, solver, database, num_threads, verify)
            return
        if database is None:
            raise CannotSolve("processes that solve together need a folder")
        yield SharedSolveRun(
            game.rules, sectors, solver, database, num_threads, verify, expiry_seconds
        )


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
    available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > available:
        raise CannotSolve(
            f"solving this takes {needed / 1e9:.0f} GB of memory; "
            f"this machine has {available / 1e9:.0f} GB"
        )
