"""Verification of a database: first every byte, then every value against its successors."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from ludus.core.errors import BadDatabase
from ludus.core.processes import report_missing_threads
from ludus.oracles.morris.database import Database, ValueCounts, drop_depth
from ludus.oracles.morris.sectors import (
    Sector,
    TableReferences,
    all_sectors,
    next_sectors,
    sides_to_move,
    sort_sectors,
    subspace_of,
)
from ludus.oracles.morris.solver import SectorSolver, SolveProgress, Stopped, load_table


@dataclass
class VerificationResult:
    """Result of a verification."""

    num_subspaces: int = 0
    """Number of subspaces verified."""

    num_values: int = 0
    """Number of values computed again."""

    num_wrong: int = 0
    """Number of values that do not follow from their successors."""

    problems: list[str] = field(default_factory=list)
    """Files that are damaged, inconsistent with others, or lack one they need."""

    @property
    def is_valid(self) -> bool:
        return not self.num_wrong and not self.problems


class VerificationRun:
    """One run through all sectors of a database. `run` works on one thread."""

    def __init__(self, database: Database, solver: SectorSolver, threads: int = 1) -> None:
        self.database = database
        self._rules = database.rules
        self._solver = solver
        self._threads = threads
        self._result = VerificationResult()
        self._is_stopping = False
        # A sector of which a killed run has written only one half counts as missing.
        found = {sector for sector, _ in database.sectors if database.has(sector)}
        known = set(all_sectors(self._rules))
        self._stray = sort_sectors(found - known)
        """Sectors of positions that no game reaches, which the solver does not know."""

        self._sectors = sort_sectors(found & known)
        self.progress = SolveProgress(self._rules, self._sectors, solver)

    def stop(self) -> None:
        """Request the end of the run: `run` raises Stopped. Repeat the call until it has ended."""
        self._is_stopping = True
        self._solver.stop()

    def run(self) -> VerificationResult:
        """Verify everything. Values are computed again only if no file is damaged."""
        with (
            report_missing_threads(self._threads),
            ThreadPoolExecutor(self._threads, "read") as pool,
        ):
            self._check_files(pool)
            if not self._result.problems:
                self._check_values(pool)
        return self._result

    def _check_files(self, pool: ThreadPoolExecutor) -> None:
        for half in sorted(self.database.sectors):
            self._check_stop()
            try:
                self.database.check_file(*half, pool)
            except BadDatabase as error:
                self._result.problems.append(str(error))
        for sector in self._stray:
            name = subspace_of(sector, sides_to_move(self._rules, sector)[0])
            self._result.problems.append(f"{name} is not a part of this game")
        for sector in self._sectors:
            for needed in next_sectors(self._rules, sector):
                if not self.database.has(needed):
                    name, missing = subspace_of(sector, True), subspace_of(needed, True)
                    self._result.problems.append(f"{name} needs {missing}, which is missing")

    def _check_values(self, pool: ThreadPoolExecutor) -> None:
        needs = TableReferences(self._rules, self._sectors)
        for sector in self._sectors:
            self._check_stop()
            self.progress.current = sector
            for table in (sector, *next_sectors(self._rules, sector)):
                if not self._solver.has(table):
                    load_table(self.database, table, self._solver, pool)
            if self.database.has_depth:
                self._result.num_wrong += self._solver.verify(sector)
            else:
                self._result.num_wrong += self._solve_again(sector)
            self._check_counts(sector)
            needs.release(sector, self._solver.drop)
            self.progress.finish(sector)

    def _solve_again(self, sector: Sector) -> int:
        """Solve a sector again and return the number of values that differ.

        Without depths, the successors' values alone cannot distinguish a win from a cycle.
        """
        sides = sides_to_move(self._rules, sector)
        stored = {side: self._solver.values(sector, side) for side in sides}
        stored = {side: None if table is None else table.copy() for side, table in stored.items()}
        self._solver.solve(sector)
        num_wrong = 0
        for side, table in stored.items():
            again = self._solver.values(sector, side)
            assert again is not None
            num_wrong += int(np.count_nonzero(drop_depth(again) != table))
        self._solver.load(sector, stored.get(True), stored.get(False))
        return num_wrong

    def _check_counts(self, sector: Sector) -> None:
        for x_to_move in sides_to_move(self._rules, sector):
            values = self._solver.values(sector, x_to_move)
            assert values is not None
            self._result.num_subspaces += 1
            self._result.num_values += len(values)
            counts = ValueCounts(**self._solver.tally(sector, x_to_move))
            if not self.database.has_depth:
                counts = counts.without_depth()
            if counts != self.database.read_counts(sector, x_to_move):
                name = subspace_of(sector, x_to_move)
                self._result.problems.append(f"{name} has other counts than its file says")

    def _check_stop(self) -> None:
        if self._is_stopping:
            raise Stopped
