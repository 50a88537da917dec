"""Small members of the Morris family, solved as a whole, as sources of examples."""

from functools import cache
from typing import Any

import ludus
from ludus._native.solver import Solver
from ludus.games.nine_mens_morris.batch import DRAW, NO_POINT, PositionBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar.examples import OracleExampleSource
from ludus.oracles.morris.oracle import MorrisOracle
from ludus.oracles.morris.sectors import all_sectors
from support.solved_games import SolverTables

THREE = Rules(men=3)
FOUR = Rules(men=4)
ODD = Rules(men=3, place_or_move=True, diagonals=True)
SLOW = Rules(men=4, flying=False, take_from_mills="always", lose_below=2)


@cache
def solver_of(rules: Rules) -> Solver:
    solver = Solver(rules)
    for sector in all_sectors(rules):
        solver.solve(sector)
    return solver


@cache
def oracle_of(rules: Rules) -> MorrisOracle:
    tables = SolverTables(solver_of(rules), rules, all_sectors(rules))
    return MorrisOracle(tables, "memory")


@cache
def source_of(rules: Rules) -> OracleExampleSource:
    return OracleExampleSource(oracle_of(rules))


def drawn_endings(number: int) -> PositionBatch:
    """Drawn positions with three men a side, of the game with four men."""
    source = source_of(FOUR)
    (three,) = [each for each in source.subspaces if tuple(each) == (3, 3, 0, 0)]
    positions = source.sample_positions(20_000, 5, [three])
    return positions[source.label(positions) == DRAW][:number]


def readable(rules: Rules, positions: PositionBatch) -> list[Any]:
    """Return the positions as objects of the Python rules, White to move."""
    return positions.to_positions(ludus.game("nine_mens_morris", rules, "python"))


def packed(move: Any) -> int:
    parts = (move.to, move.frm, move.take)
    return sum((NO_POINT if part is None else part) << 8 * i for i, part in enumerate(parts))


def code(value: Any) -> int:
    """A value of the oracle as a byte."""
    return 255 if value.result == "draw" else value.depth
