"""Endgames up to four men a side, solved on first use and stored in the user's cache folder."""

import hashlib
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus._native import solver as native
from ludus.core.errors import BadDatabase, CannotWrite
from ludus.core.files import cache_folder
from ludus.core.processes import count_cores
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database, Half, ValueCounts
from ludus.oracles.morris.oracle import ValueCodes, all_halves
from ludus.oracles.morris.sectors import Sector, moving_sectors, without_repetition

MAX_MEN = 4
"""Maximum number of men of each side."""


MAX_RULES = 16
"""Sets of rules whose tables are kept in memory; each set takes 6 MB."""


@lru_cache(maxsize=MAX_RULES)
def builtin_endgames(rules: Rules) -> "EndgameTables":
    """Return the endgames of these rules, which must be solvable; cached."""
    return EndgameTables(rules)


class EndgameTables:
    """Endgames that are solved, or loaded from the cache, when a value is first looked up."""

    has_depth = True

    def __init__(self, rules: Rules) -> None:
        self.rules = without_repetition(rules)
        most = min(MAX_MEN, rules.men)
        self._in_order = moving_sectors(self.rules, most)
        self.sectors = all_halves(self.rules, self._in_order)
        self._tables: Mapping[Half, ValueCodes] | None = None
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path | None:
        """The cache folder of these endgames; None if there is none."""
        name = hashlib.sha256(repr(self.rules).encode()).hexdigest()[:16]
        parent = cache_folder()
        return None if parent is None else parent / "morris" / f"{MAX_MEN}-men-{name}"

    def read(self, sector: Sector, x_to_move: bool, slots: NDArray[np.uint64], /) -> ValueCodes:
        if self._tables is None:
            with self._lock:
                self._tables = self._tables or self._load() or self._solve()
        return self._tables[sector, x_to_move][slots]

    def _load(self) -> Mapping[Half, ValueCodes] | None:
        """Load the cached tables, every byte verified; None if they are incomplete."""
        folder = self.folder
        if folder is None:
            return None
        try:
            database = Database.open(folder)
            if database.rules != self.rules or not self.sectors <= database.sectors:
                return None
            return {half: database.read_table(*half) for half in self.sectors}
        except BadDatabase:
            return None

    def _solve(self) -> Mapping[Half, ValueCodes]:
        solver = native.Solver(self.rules, threads=count_cores())
        for sector in self._in_order:
            solver.solve(sector)
        tables = {half: _copy_table(solver, half) for half in self.sectors}
        counts = {half: ValueCounts(**solver.tally(*half)) for half in self.sectors}
        # Without a cache the next process solves the tables again, which is quick.
        with suppress(CannotWrite):
            self._store(tables, counts)
        return tables

    def _store(self, tables: Mapping[Half, ValueCodes], counts: Mapping[Half, ValueCounts]) -> None:
        folder = self.folder
        if folder is None:
            return
        try:
            self._write(folder, tables, counts)
        except BadDatabase:
            # Existing content is unusable, and all of it can be computed again.
            shutil.rmtree(folder, ignore_errors=True)
            self._write(folder, tables, counts)

    def _write(
        self, folder: Path, tables: Mapping[Half, ValueCodes], counts: Mapping[Half, ValueCounts]
    ) -> None:
        with (
            Database.open_for_writing(folder, self.rules, has_depth=True) as database,
            ThreadPoolExecutor(1) as pool,
        ):
            for half, table in tables.items():
                database.write(*half, table, counts[half], pool)


def _copy_table(solver: native.Solver, half: Half) -> ValueCodes:
    """Copy a table, so that it outlives the solver."""
    table = solver.values(*half)
    assert table is not None, "a half that can be to move has a table"
    return table.copy()
