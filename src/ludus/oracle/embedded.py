"""The endings of the Morris family that every installation knows, solved at first need.

Up to four men a side they take a fraction of a second to solve. They are kept in the user's cache
folder; where that cannot be written, or somebody else is writing it, they are solved for this
process alone.
"""

import hashlib
import os
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus._native import solver as native
from ludus.core.user_folders import cache_folder
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.database import Database, Half
from ludus.oracle.errors import BadDatabase, CannotWrite
from ludus.oracle.morris import Codes, all_halves
from ludus.oracle.morris_rules import without_repetition
from ludus.oracle.sectors import Sector, moving_sectors
from ludus.oracle.tally import Tally

MAX_MEN = 4
"""Men of each side, at most."""


@cache
def embedded(rules: Rules) -> "Embedded":
    """The small endings under these rules, which must be solvable; one object for each rules."""
    return Embedded(rules)


class Embedded:
    """Small endings that are solved, or read from the cache, when a value is first asked for."""

    has_depth = True

    def __init__(self, rules: Rules) -> None:
        self.rules = without_repetition(rules)
        most = min(MAX_MEN, rules.men)
        self._in_order = moving_sectors(self.rules, most)
        self.sectors = all_halves(self.rules, self._in_order)
        self._tables: Mapping[Half, Codes] | None = None
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path | None:
        """Where these endings are kept between one run and the next; None if nowhere."""
        name = hashlib.sha256(repr(self.rules).encode()).hexdigest()[:16]
        cache_place = cache_folder()
        return None if cache_place is None else cache_place / "morris" / f"{MAX_MEN}-men-{name}"

    def read(self, sector: Sector, x_to_move: bool, slots: NDArray[np.uint64], /) -> Codes:
        if self._tables is None:
            with self._lock:
                self._tables = self._tables or self._load() or self._solve()
        return self._tables[sector, x_to_move][slots]

    def _load(self) -> Mapping[Half, Codes] | None:
        """The tables as they are kept, every byte checked; None if they are not all there."""
        folder = self.folder
        if folder is None:
            return None
        try:
            database = Database.open(folder)
            if database.rules != self.rules or not self.sectors <= database.sectors:
                return None
            return {half: database.table(*half) for half in self.sectors}
        except BadDatabase:
            return None

    def _solve(self) -> Mapping[Half, Codes]:
        solver = native.Solver(self.rules, threads=os.cpu_count() or 1)
        for sector in self._in_order:
            solver.solve(sector)
        tables = {half: _copy(solver, half) for half in self.sectors}
        tallies = {half: Tally(**solver.tally(*half)) for half in self.sectors}
        # What cannot be kept is solved again by the next process, in a moment.
        with suppress(CannotWrite):
            self._keep(tables, tallies)
        return tables

    def _keep(self, tables: Mapping[Half, Codes], tallies: Mapping[Half, Tally]) -> None:
        folder = self.folder
        if folder is None:
            return
        try:
            self._write(folder, tables, tallies)
        except BadDatabase:
            # Whatever is there is of no use, and everything in it can be made again.
            shutil.rmtree(folder, ignore_errors=True)
            self._write(folder, tables, tallies)

    def _write(
        self, folder: Path, tables: Mapping[Half, Codes], tallies: Mapping[Half, Tally]
    ) -> None:
        with (
            Database.writing(folder, self.rules, has_depth=True) as database,
            ThreadPoolExecutor(1) as pool,
        ):
            for half, table in tables.items():
                database.write(*half, table, tallies[half], pool)


def _copy(solver: native.Solver, half: Half) -> Codes:
    """A table that outlives the solver."""
    table = solver.values(*half)
    assert table is not None, "a half that can be to move has a table"
    return table.copy()
