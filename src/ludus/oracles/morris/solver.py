"""Solve the Morris family sector by sector, on a CPU or a GPU; an interrupted run resumes.

With a database each sector is written while the next one is being solved. A run resumes with the
first missing sector; tables that it needs are read back.

Several processes, on any machines, can share the work in a folder: each claims a sector whose
successors are all in the folder, solves it, and writes it; all run the same code and need no
master. A sector is solved once: its files are complete when they get their names, and a claim ends
with its owner.
"""

import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ludus._native import solver as native
from ludus.core.claims import EXPIRY_SECONDS, ClaimFolder
from ludus.core.errors import CannotSolve
from ludus.core.processes import report_missing_threads
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database, ValueCounts
from ludus.oracles.morris.sectors import (
    Sector,
    Subspace,
    TableReferences,
    all_sectors,
    moving_sectors,
    next_sectors,
    num_slots,
    sides_to_move,
    start_sector,
    subspace_of,
)

DEVICES = ("cpu", "cuda")

CLAIMS_NAME = ".claims"
POLL_SECONDS = 0.2
"""Pause while all that can be solved is claimed by others."""

Stopped, TooDeep = native.Stopped, native.TooDeep


class SectorSolver(Protocol):
    """The interface of `ludus._native.solver.Solver`; its stub documents the methods."""

    def solve(self, sector: Sector) -> None: ...
    def verify(self, sector: Sector) -> int: ...
    def tally(self, sector: Sector, x_to_move: bool) -> "native.Tally": ...
    def values(self, sector: Sector, x_to_move: bool) -> NDArray[np.uint8] | None: ...
    def load(
        self,
        sector: Sector,
        x_moves: NDArray[np.uint8] | None,
        y_moves: NDArray[np.uint8] | None,
    ) -> None: ...
    def has(self, sector: Sector) -> bool: ...
    def drop(self, sector: Sector) -> None: ...
    def stop(self) -> None: ...
    def shape(self, sector: Sector) -> tuple[int, int]: ...
    @property
    def progress(self) -> tuple[int, int]: ...


def make_solver(rules: Rules, device: str = "cpu", threads: int = 1) -> SectorSolver:
    """Return a solver for these rules; CannotSolve if there is none."""
    if why := native.why_unsolvable(rules):
        raise CannotSolve(f"these rules cannot be solved: {why}")
    if device not in DEVICES:
        raise CannotSolve(f"there is no device {device!r}; there are {', '.join(DEVICES)}")
    if device == "cuda":
        return _make_cuda_solver(rules)
    with report_missing_threads(threads):
        return native.Solver(rules, threads)


def _make_cuda_solver(rules: Rules) -> SectorSolver:
    from ludus.oracles.morris import cuda_solver

    if why := cuda_solver.find_cuda_problem():
        raise CannotSolve(f"cannot solve on a GPU: {why}")
    return cuda_solver.CudaSolver(rules)


def load_table(database: Database, sector: Sector, solver: SectorSolver, pool: Executor) -> None:
    """Read a sector from its files into the solver."""
    sides = sides_to_move(database.rules, sector)
    x_moves, y_moves = (
        database.read_table(sector, x_to_move, pool) if x_to_move in sides else None
        for x_to_move in (True, False)
    )
    solver.load(sector, x_moves, y_moves)


class SolveProgress:
    """Progress of a run in slots; read by one thread while another works."""

    def __init__(self, rules: Rules, sectors: Sequence[Sector], solver: SectorSolver) -> None:
        self._rules = rules
        self._solver = solver
        self._done = 0
        self.current: Sector | None = None
        """The sector in progress."""

        self.total = sum(map(self._slots, sectors))
        """Slots of all sectors."""

        self.resumed = 0
        """Slots that were already solved."""

    def finish(self, sector: Sector, is_resumed: bool = False) -> None:
        self.current = None
        self._done += self._slots(sector)
        self.resumed += self._slots(sector) if is_resumed else 0

    @property
    def done(self) -> int:
        """Slots done, with an estimate for the sector in progress."""
        sector = self.current
        if sector is None:
            return self._done
        rows = self._solver.progress[0] / max(1, self._solver.shape(sector)[0])
        # Where men can move, computing what placing and taking offer is about half the work.
        is_sliding = self._rules.place_or_move or sector[2:] == (0, 0)
        fraction = min(1.0, rows) / 2 if is_sliding else min(1.0, rows)
        return self._done + int(fraction * self._slots(sector))

    def _slots(self, sector: Sector) -> int:
        return num_slots(sector) * len(sides_to_move(self._rules, sector))


@dataclass
class SolveResult:
    """Results of every subspace in the order of solving."""

    counts: dict[Subspace, ValueCounts] = field(default_factory=dict)
    root: int | None = None
    """The value of the start of the game, if it was reached."""

    num_resumed: int = 0
    """Subspaces that an earlier run had written to the database."""

    num_wrong: int | None = None
    """Values that do not follow from their successors; None if they were not verified."""

    @property
    def is_valid(self) -> bool:
        return not self.num_wrong


class SolveRun:
    """One run through some sectors. `run` works on one thread, all other methods are for others.

    Tables are dropped when no further sector needs them.
    """

    def __init__(
        self,
        rules: Rules,
        sectors: Sequence[Sector],
        solver: SectorSolver,
        database: Database | None = None,
        threads: int = 1,
        verify: bool = False,
    ) -> None:
        self.rules = rules
        self.sectors = sectors
        self.progress = SolveProgress(rules, sectors, solver)
        self._solver = solver
        self._database = database
        self._threads = threads
        self._result = SolveResult(num_wrong=0 if verify else None)
        self._is_stopping = False

    def stop(self) -> None:
        """Request the end of the run: `run` raises Stopped. Repeat the call until it has ended."""
        self._is_stopping = True
        self._solver.stop()

    def run(self) -> SolveResult:
        """Solve the missing sectors."""
        with (
            report_missing_threads(self._threads),
            ThreadPoolExecutor(self._threads, "compress") as pool,
            ThreadPoolExecutor(1, "write") as writer,
        ):
            self._fill(pool, writer)
        found = self._result.counts
        spaces = (
            subspace_of(s, side) for s in self.sectors for side in sides_to_move(self.rules, s)
        )
        self._result.counts = {space: found[space] for space in spaces}
        return self._result

    def _fill(self, pool: Executor, writer: Executor) -> None:
        """Solve what is missing; what is stored counts as it is."""
        waiting = [sector for sector in self.sectors if not self._is_stored(sector)]
        for sector in self.sectors:
            if self._is_stored(sector):
                self._check_stored(sector, pool)
                self._take_over(sector)
        self._solve_all(waiting, pool, writer)

    def _is_stored(self, sector: Sector) -> bool:
        return self._database is not None and self._database.has(sector)

    def _check_stored(self, sector: Sector, pool: Executor) -> None:
        """Raise DamagedTable if a byte of an earlier run has changed.

        Most tables are not read again, and the values of a whole folder would be taken on trust.
        """
        assert self._database is not None
        if self._is_stopping:
            raise Stopped
        for x_to_move in sides_to_move(self.rules, sector):
            self._database.check_checksums(sector, x_to_move, pool)

    def _take_over(self, sector: Sector) -> None:
        """Add a sector of an earlier run to the results."""
        assert self._database is not None
        for x_to_move in sides_to_move(self.rules, sector):
            counts = self._database.read_counts(sector, x_to_move)
            self._result.counts[subspace_of(sector, x_to_move)] = counts
            self._result.num_resumed += 1
        if sector == start_sector(self.rules):
            self._result.root = int(self._database.read_table(sector, True)[0])
        self.progress.finish(sector, is_resumed=True)

    def _solve_all(self, waiting: list[Sector], pool: Executor, writer: Executor) -> None:
        """Solve sectors while at most one is being written to disk.

        A table must stay in memory until it is written.
        """
        needs = TableReferences(self.rules, waiting)
        being_written: Future[None] | None = None
        for number, sector in enumerate(waiting):
            try:
                self._solve(sector, pool)
            except Stopped:
                if being_written is not None:
                    being_written.result()  # its failure may be the reason for stopping
                raise
            if being_written is not None:
                being_written.result()
                needs.release(waiting[number - 1], self._solver.drop)
            being_written = writer.submit(self._write, sector, pool)
        if being_written is not None:
            being_written.result()

    def _solve(self, sector: Sector, pool: Executor) -> None:
        if self._is_stopping:
            raise Stopped
        self.progress.current = sector
        name = subspace_of(sector, x_to_move=True)
        try:
            for successor in next_sectors(self.rules, sector):
                if not self._solver.has(successor):
                    assert self._database is not None
                    load_table(self._database, successor, self._solver, pool)
            self._solver.solve(sector)
        except TooDeep as error:
            raise CannotSolve(f"cannot solve {name}: {error}") from error
        except MemoryError as error:
            raise CannotSolve(f"not enough memory to solve {name}") from error
        if self._result.num_wrong is not None:
            self._result.num_wrong += self._solver.verify(sector)
        self._record_counts(sector)
        self.progress.finish(sector)

    def _record_counts(self, sector: Sector) -> None:
        for x_to_move in sides_to_move(self.rules, sector):
            counts = ValueCounts(**self._solver.tally(sector, x_to_move))
            if self._database is not None and not self._database.has_depth:
                counts = counts.without_depth()
            self._result.counts[subspace_of(sector, x_to_move)] = counts
        if sector == start_sector(self.rules):
            values = self._solver.values(sector, x_to_move=True)
            assert values is not None
            self._result.root = int(values[0])

    def _write(self, sector: Sector, pool: Executor) -> None:
        if self._database is None:
            return
        try:
            for x_to_move in sides_to_move(self.rules, sector):
                values = self._solver.values(sector, x_to_move)
                assert values is not None
                counts = self._result.counts[subspace_of(sector, x_to_move)]
                self._database.write(sector, x_to_move, values, counts, pool)
        except BaseException:
            self.stop()  # without its file a sector is lost, and so would be the next ones
            raise


def select_sectors(rules: Rules, max_men: int | None) -> list[Sector]:
    """Return the sectors to solve: all, or those of moving with at most `max_men` men per side."""
    if max_men is None:
        return all_sectors(rules)
    low, high = rules.lose_below, rules.men
    if not low <= max_men <= high:
        raise CannotSolve(f"--max-men {max_men} must be from {low} to {high} under these rules")
    return moving_sectors(rules, max_men)


class SharedSolveRun(SolveRun):
    """One process of several that solve the same sectors into one folder.

    Between sectors it keeps only the tables that its next sector needs.
    """

    def __init__(
        self,
        rules: Rules,
        sectors: Sequence[Sector],
        solver: SectorSolver,
        database: Database,
        threads: int = 1,
        verify: bool = False,
        expiry_seconds: float = EXPIRY_SECONDS,
    ) -> None:
        super().__init__(rules, sectors, solver, database, threads, verify)
        self._shared = database
        self._expiry = expiry_seconds
        self._loaded: set[Sector] = set()
        self.num_solved = 0
        """Sectors that this process has solved."""

    def _fill(self, pool: Executor, writer: Executor) -> None:
        waiting = list(self.sectors)
        for sector in filter(self._shared.has, waiting):
            self._check_stored(sector, pool)
        with ClaimFolder(self._shared.folder / CLAIMS_NAME, self._expiry) as claims:
            while waiting:
                self._shared.refresh()
                for sector in [each for each in waiting if self._shared.has(each)]:
                    waiting.remove(sector)
                    self._take_over(sector)
                sector_or_none = self._claim_sector(waiting, claims)
                if sector_or_none is None:
                    self._pause(bool(waiting))
                    continue
                waiting.remove(sector_or_none)
                self._solve_claimed(sector_or_none, pool)
                claims.release(_name(sector_or_none))

    def _claim_sector(self, waiting: Sequence[Sector], claims: ClaimFolder) -> Sector | None:
        """Claim the first sector that can be solved now and is not claimed by another process."""
        for sector in waiting:
            successors = next_sectors(self.rules, sector)
            if all(map(self._shared.has, successors)) and claims.acquire(_name(sector)):
                self._shared.refresh()
                if not self._shared.has(sector):
                    return sector
                claims.release(_name(sector))  # it was finished in between
        return None

    def _pause(self, is_waiting: bool) -> None:
        if self._is_stopping:
            raise Stopped
        if is_waiting:
            time.sleep(POLL_SECONDS)

    def _solve_claimed(self, sector: Sector, pool: Executor) -> None:
        needed = next_sectors(self.rules, sector)
        for other in self._loaded - needed:
            self._solver.drop(other)
        self._solve(sector, pool)
        self._write(sector, pool)
        self._loaded = needed | {sector}
        self.num_solved += 1


def _name(sector: Sector) -> str:
    return str(subspace_of(sector, x_to_move=True))
