"""Solving a game: sector after sector, tables dropped when nothing needs them any more.

With a database each sector is written while the next one is being solved. A solve that was killed
goes on with the first sector that is not there; tables it needs are read back.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ludus._native.solver import Stopped, TooDeep
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.blocks import DRAW
from ludus.oracle.database import Database
from ludus.oracle.errors import CannotSolve
from ludus.oracle.progress import Work
from ludus.oracle.sectors import Sector, Subspace, halves, next_sectors, start, subspace
from ludus.oracle.solver import SectorSolver
from ludus.oracle.tables import Needs
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
        has_depth: bool = True,
        verify: bool = False,
    ) -> None:
        self.rules = rules
        self.sectors = sectors
        self.work = Work(rules, sectors, solver)
        self._solver = solver
        self._database = database
        self._has_depth = has_depth
        self._result = Solved(num_wrong=0 if verify else None)
        self._is_verifying = verify
        self._is_stopping = False

    def stop(self) -> None:
        """End soon; `run` then raises Stopped. May have to be said again until it has."""
        self._is_stopping = True
        self._solver.stop()

    def run(self) -> Solved:
        """Solve what is not there yet."""
        waiting = [sector for sector in self.sectors if not self._is_there(sector)]
        needs = Needs(self.rules, waiting)
        with _pools() as (compressing, writing):
            self._compressing, self._writing = compressing, writing
            being_written: Future[None] | None = None
            before: Sector | None = None
            for sector in self.sectors:
                if self._is_there(sector):
                    self._resume(sector)
                    continue
                try:
                    self._solve(sector)
                except Stopped:
                    if being_written is not None:
                        being_written.result()  # perhaps it is why we stopped
                    raise
                # One sector may be on its way to the disk while another is solved, not more: its
                # table must stay in memory so long.
                if being_written is not None:
                    being_written.result()
                if before is not None:
                    needs.finished(before, self._solver.drop)
                being_written, before = self._begin_writing(sector), sector
            if being_written is not None:
                being_written.result()
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

    def _solve(self, sector: Sector) -> None:
        if self._is_stopping:
            raise Stopped
        self.work.begin(sector)
        for seen in next_sectors(self.rules, sector):
            if not self._solver.has(seen):
                self._load(seen)
        name = subspace(sector, x_to_move=True)
        try:
            self._solver.solve(sector)
        except TooDeep as error:
            raise CannotSolve(f"cannot solve {name}: {error}") from error
        except MemoryError as error:
            raise CannotSolve(f"not enough memory to solve {name}") from error
        if self._result.num_wrong is not None:
            self._result.num_wrong += self._solver.verify(sector)
        for x_to_move in halves(self.rules, sector):
            tally = Tally(**self._solver.tally(sector, x_to_move))
            if not self._has_depth:
                tally = replace(tally, max_win=None, max_loss=None)
            self._result.tallies[subspace(sector, x_to_move)] = tally
        if sector == start(self.rules):
            values = self._solver.values(sector, x_to_move=True)
            assert values is not None
            self._result.root = int(values[0])
        self.work.finish(sector)

    def _load(self, sector: Sector) -> None:
        assert self._database is not None
        sides = halves(self.rules, sector)
        tables = [
            self._database.table(sector, x_to_move, self._compressing)
            if x_to_move in sides
            else None
            for x_to_move in (True, False)
        ]
        self._solver.load(sector, *tables)

    def _begin_writing(self, sector: Sector) -> Future[None] | None:
        if self._database is None:
            return None
        return self._writing.submit(self._write, sector)

    def _write(self, sector: Sector) -> None:
        assert self._database is not None
        try:
            for x_to_move in halves(self.rules, sector):
                values = self._solver.values(sector, x_to_move)
                assert values is not None
                tally = self._result.tallies[subspace(sector, x_to_move)]
                self._database.write(sector, x_to_move, values, tally, self._compressing)
        except BaseException:
            self.stop()  # without its file a sector was solved for nothing, and so would others be
            raise


def outcome(value: int) -> str:
    """A value in a word, for the side to move."""
    return "draw" if value == DRAW else "win" if value % 2 else "loss"


@contextmanager
def _pools() -> Iterator[tuple[ThreadPoolExecutor, ThreadPoolExecutor]]:
    """Threads that compress blocks, and one that writes them."""
    with (
        ThreadPoolExecutor(os.cpu_count(), "compress") as compressing,
        ThreadPoolExecutor(1, "write") as writing,
    ):
        yield compressing, writing
