"""Solving a game: sector after sector, tables dropped when nothing needs them any more.

With a database each sector is written while the next one is being solved. A solve that was killed
goes on with the first sector that is not there; tables it needs are read back.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.database import Database
from ludus.oracle.errors import CannotSolve
from ludus.oracle.loading import load_table
from ludus.oracle.needs import Needs
from ludus.oracle.progress import Work
from ludus.oracle.sectors import Sector, Subspace, halves, next_sectors, start, subspace
from ludus.oracle.solver import SectorSolver, Stopped, TooDeep
from ludus.oracle.tally import Tally


@dataclass
class Solved:
    """What came out, for every subspace in the order of solving."""

    tallies: dict[Subspace, Tally] = field(default_factory=dict)
    root: int | None = None
    """The value of the start of the game, if it was reached."""

    num_resumed: int = 0
    """Subspaces that an earlier run had left in the database."""

    num_wrong: int | None = None
    """Values that differ from what their successors say; None if they were not compared."""


class Solve:
    """One run through some sectors. `run` works on one thread, everything else is for others."""

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
        self.work = Work(rules, sectors, solver)
        self._solver = solver
        self._database = database
        self._threads = threads
        self._result = Solved(num_wrong=0 if verify else None)
        self._is_stopping = False

    def stop(self) -> None:
        """End soon; `run` then raises Stopped. May have to be said again until it has."""
        self._is_stopping = True
        self._solver.stop()

    def run(self) -> Solved:
        """Solve what is not there yet."""
        waiting = [sector for sector in self.sectors if not self._is_there(sector)]
        for sector in self.sectors:
            if self._is_there(sector):
                self._resume(sector)
        with (
            ThreadPoolExecutor(self._threads, "compress") as pool,
            ThreadPoolExecutor(1, "write") as writer,
        ):
            self._solve_all(waiting, pool, writer)
        found = self._result.tallies
        spaces = (subspace(s, side) for s in self.sectors for side in halves(self.rules, s))
        self._result.tallies = {space: found[space] for space in spaces}
        return self._result

    def _is_there(self, sector: Sector) -> bool:
        return self._database is not None and self._database.has(sector)

    def _resume(self, sector: Sector) -> None:
        """Take over what an earlier run has found out."""
        assert self._database is not None
        for x_to_move in halves(self.rules, sector):
            tally = self._database.tally(sector, x_to_move)
            self._result.tallies[subspace(sector, x_to_move)] = tally
            self._result.num_resumed += 1
        if sector == start(self.rules):
            self._result.root = int(self._database.table(sector, True)[0])
        self.work.finish(sector, is_resumed=True)

    def _solve_all(self, waiting: list[Sector], pool: Executor, writer: Executor) -> None:
        """One sector may be on its way to the disk while the next is solved, but not more.

        The table that is being written must stay in memory so long.
        """
        needs = Needs(self.rules, waiting)
        being_written: Future[None] | None = None
        for number, sector in enumerate(waiting):
            try:
                self._solve(sector, pool)
            except Stopped:
                if being_written is not None:
                    being_written.result()  # perhaps its failure is why we stopped
                raise
            if being_written is not None:
                being_written.result()
                needs.finished(waiting[number - 1], self._solver.drop)
            being_written = writer.submit(self._write, sector, pool)
        if being_written is not None:
            being_written.result()

    def _solve(self, sector: Sector, pool: Executor) -> None:
        if self._is_stopping:
            raise Stopped
        self.work.begin(sector)
        name = subspace(sector, x_to_move=True)
        try:
            for seen in next_sectors(self.rules, sector):
                if not self._solver.has(seen):
                    assert self._database is not None
                    load_table(self._database, seen, self._solver, pool)
            self._solver.solve(sector)
        except TooDeep as error:
            raise CannotSolve(f"cannot solve {name}: {error}") from error
        except MemoryError as error:
            raise CannotSolve(f"not enough memory to solve {name}") from error
        if self._result.num_wrong is not None:
            self._result.num_wrong += self._solver.verify(sector)
        self._note(sector)
        self.work.finish(sector)

    def _note(self, sector: Sector) -> None:
        for x_to_move in halves(self.rules, sector):
            tally = Tally(**self._solver.tally(sector, x_to_move))
            if self._database is not None and not self._database.has_depth:
                tally = tally.without_depth()
            self._result.tallies[subspace(sector, x_to_move)] = tally
        if sector == start(self.rules):
            values = self._solver.values(sector, x_to_move=True)
            assert values is not None
            self._result.root = int(values[0])

    def _write(self, sector: Sector, pool: Executor) -> None:
        if self._database is None:
            return
        try:
            for x_to_move in halves(self.rules, sector):
                values = self._solver.values(sector, x_to_move)
                assert values is not None
                tally = self._result.tallies[subspace(sector, x_to_move)]
                self._database.write(sector, x_to_move, values, tally, pool)
        except BaseException:
            self.stop()  # without its file a sector was solved for nothing, and so would others be
            raise
