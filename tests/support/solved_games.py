"""Small games solved for a test, and positions looked up in them without the oracle."""

import atexit
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ludus._native.solver import Solver
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.oracle import all_halves
from ludus.oracles.morris.sectors import all_sectors, moving_sectors, orient
from ludus.oracles.morris.solver import SolveResult, SolveRun


def solve_into(
    folder: Path,
    rules: Rules,
    max_men: int | None = None,
    threads: int = 2,
    has_depth: bool = True,
) -> SolveResult:
    """Solve a game, or its part with few men, into a folder."""
    sectors = all_sectors(rules) if max_men is None else moving_sectors(rules, max_men)
    with Database.open_for_writing(folder, rules, has_depth) as database:
        return SolveRun(rules, sectors, Solver(rules, threads), database, threads).run()


_kept: dict[tuple[Rules, bool], Path] = {}


def solved_copy(folder: Path, rules: Rules, has_depth: bool = True) -> Path:
    """Return a copy of a solved game, which is solved once for all tests."""
    key = rules, has_depth
    if key not in _kept:
        _kept[key] = Path(tempfile.mkdtemp(prefix="ludus-solved-"))
        atexit.register(shutil.rmtree, _kept[key], ignore_errors=True)
        solve_into(_kept[key], rules, has_depth=has_depth)
    shutil.copytree(_kept[key], folder, dirs_exist_ok=True)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Lookup:
    """The values of positions of either engine."""

    def __init__(self, folder: Path) -> None:
        self.database = Database.open(folder)
        self.solver = Solver(self.database.rules)

    def value(self, position: Any) -> int:
        """The stored value; where a side has lost its men there is none to store."""
        outcome = position.outcome()
        if outcome is not None and outcome.reason == "men":
            assert outcome.winner != position.mover
            return 0
        own, other = position.mover, 1 - position.mover
        hands = position.hands
        sector, own_is_x = orient(
            position.bits[own].bit_count(),
            position.bits[other].bit_count(),
            hands[own],
            hands[other],
        )
        boards = [np.array([position.bits[side]], dtype=np.uint32) for side in (own, other)]
        x, y = boards if own_is_x else reversed(boards)
        return int(self.database.read(sector, own_is_x, self.solver.slots(sector, x, y))[0])


class SolverTables:
    """The tables of a live solver, which an oracle can serve from."""

    has_depth = True

    def __init__(self, solver: Solver, rules: Rules, sectors: Iterable[Any]) -> None:
        """Serve the values of `sectors`, all of which must be solved."""
        self.rules = rules
        self.sectors = all_halves(rules, sectors)
        self._solver = solver

    def read(self, sector: Any, x_to_move: bool, slots: Any) -> Any:
        table = self._solver.values(sector, x_to_move)
        assert table is not None, "a half that can be to move has a table"
        return table[slots]
