"""The native solver, asked for what it cannot know: it says so."""

import random
import subprocess
import sys

import numpy as np
import pytest

from fuzzing.native_tables import solver_values, solvers_in_threads
from ludus._native import solver as native
from ludus.games.nine_mens_morris import Rules
from support.repetition import repeat

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
    "sector",
    [
        *[(99, 1, 0, 0), (-1, 0, 0, 0), (3, 4, 0, 0), (9, 9, 9, 9), (2**31 - 1, 0, 0, 0)],
        *[(2**31 - 1, 0, 2**31 - 1, 0), (2**31 - 1,) * 4],
    ],
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


LOST_SECTORS = [
    (x, y, x_hand, y_hand)
    for x in range(4)
    for y in range(3)
    for x_hand in range(3)
    for y_hand in range(3)
    if (x, x_hand) >= (y, y_hand) and min(x + x_hand, y + y_hand) < 3
]


def test_sectors_in_which_a_side_has_lost_have_no_values():
    solver = native.Solver(Rules())
    for sector in LOST_SECTORS:
        with pytest.raises(ValueError, match="has lost"):
            solver.solve(sector)
        with pytest.raises(ValueError, match="has lost"):
            solver.load(sector, empty_table(solver, sector), None)


def test_values_outlive_their_table_and_their_solver():
    solver = native.Solver(Rules())
    solver.solve((3, 3, 0, 0))
    values = solver.values((3, 3, 0, 0), True)
    expected = values.copy()
    solver.drop((3, 3, 0, 0))
    solver.solve((3, 3, 0, 0))
    del solver
    assert np.array_equal(values, expected)


def test_several_threads_take_turns():
    rounds = repeat(1, 30)
    assert solvers_in_threads(rounds)["solved"] == 2 * rounds


def test_hostile_values():
    results = solver_values(random.Random(1), repeat(100, 5_000))
    assert results["solve refused"] > 3
    assert results["shape done"] > 3


NO_THREADS = """
import resource, sys, threading
from ludus.core.errors import CannotSolve
from ludus.games import game
from ludus.games.nine_mens_morris import Rules
from ludus.oracles.morris.solver import make_solver
from ludus.oracles.solving import solve
make_solver(Rules(men=3))  # everything is loaded
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 400_000_000,) * 2)
try:
    make_solver(Rules(men=3), threads=1024)
except CannotSolve as error:
    print(error)
solve(game("nine_mens_morris", "men=3"), max_men=3, threads=1)
"""


def test_threads_that_cannot_be_had_are_an_error():
    """Memory for the stacks of a few threads only; afterwards the solver works as before."""
    command = [sys.executable, "-c", NO_THREADS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "of 1024 threads could be started; use fewer threads" in done.stdout
