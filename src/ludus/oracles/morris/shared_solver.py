"""Solve the Morris family with several processes, on any machines, that share a folder.

Each process claims a sector whose successors are all in the folder, solves it, and writes it; all
run the same code and need no master. A sector is solved once: its files are complete when they get
their names, and a claim ends with its owner.
"""

import time
from collections.abc import Sequence
from concurrent.futures import Executor

from ludus.core.claims import EXPIRY_SECONDS, ClaimFolder
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import Sector, next_sectors, subspace_of
from ludus.oracles.morris.solver import SectorSolver, SolveRun, Stopped

CLAIMS_NAME = ".claims"
POLL_SECONDS = 0.2
"""Pause while all that can be solved is claimed by others."""


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
