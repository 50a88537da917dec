"""From the files of a database into a solver."""

from concurrent.futures import Executor

from ludus.oracle.database import Database
from ludus.oracle.sectors import Sector, halves
from ludus.oracle.solver import SectorSolver


def load_table(database: Database, sector: Sector, solver: SectorSolver, pool: Executor) -> None:
    """Read a sector from its files and give it to the solver."""
    sides = halves(database.rules, sector)
    x_moves, y_moves = (
        database.table(sector, x_to_move, pool) if x_to_move in sides else None
        for x_to_move in (True, False)
    )
    solver.load(sector, x_moves, y_moves)
