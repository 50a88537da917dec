"""The native solver, asked for what it cannot know: it says so."""

import numpy as np
import pytest

from ludus._native import solver as native
from ludus.games.nine_mens_morris import Rules

FIVE_FOUR = (5, 4, 0, 0)


def empty_table(solver, sector):
    rows, cols = solver.shape(sector)
    return np.zeros(rows * cols, np.uint8)


def test_a_sector_is_not_solved_before_those_it_leads_to():
    solver = native.Solver(Rules())
    with pytest.raises(native.MissingSector):
        solver.solve(FIVE_FOUR)
    assert not solver.has(FIVE_FOUR)


def test_a_sector_is_not_verified_without_those_it_leads_to():
    solver = native.Solver(Rules())
    table = empty_table(solver, FIVE_FOUR)
    solver.load(FIVE_FOUR, table, table)
    with pytest.raises(native.MissingSector):
        solver.verify(FIVE_FOUR)


def test_half_a_sector_is_not_verified():
    """After a slide the other side is to move, and its values are not there."""
    solver = native.Solver(Rules())
    for sector in ((3, 3, 0, 0), (4, 3, 0, 0)):
        solver.solve(sector)
    solver.load((4, 3, 0, 0), np.array(solver.values((4, 3, 0, 0), True)), None)
    with pytest.raises(native.MissingSector):
        solver.verify((4, 3, 0, 0))


@pytest.mark.parametrize(
    "sector", [(99, 1, 0, 0), (-1, 0, 0, 0), (3, 4, 0, 0), (9, 9, 9, 9), (2**31 - 1, 0, 0, 0)]
)
def test_sectors_that_there_are_not(sector):
    solver = native.Solver(Rules())
    for ask in (solver.solve, solver.verify, solver.shape, solver.has, solver.drop):
        with pytest.raises(ValueError, match=r"sector|more men"):
            ask(sector)


def test_a_wrong_value_is_found():
    solver = native.Solver(Rules())
    solver.solve((3, 3, 0, 0))
    values = np.array(solver.values((3, 3, 0, 0), True))
    won = int(np.flatnonzero(values == 5)[0])
    values[won] = 7
    solver.load((3, 3, 0, 0), values, None)
    assert solver.verify((3, 3, 0, 0)) >= 1
