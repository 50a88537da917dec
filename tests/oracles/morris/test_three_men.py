"""The solver beside a second, independent one of the game with three men a side.

The second has whole matrices of positions, a row for each set of the mover's men and a column for
each of the other side's, without symmetries, and without any code of the solver. With three men a
side who closes a mill has won, and who has placed all men flies.
"""

from itertools import combinations

import numpy as np
import pytest

from ludus._native.solver import Solver
from ludus.games.nine_mens_morris.board import mills
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import orient
from support.solved_games import solve_into

MILLS = {sum(1 << point for point in mill) for mill in mills(False)}
WON = 1000
"""A win in n plies is worth WON - n, a loss in n plies the opposite, and a draw 0."""

SETS = {
    size: np.array(
        [sum(1 << point for point in men) for men in combinations(range(24), size)],
        dtype=np.uint32,
    )
    for size in range(4)
}
NUMBERS = {size: {int(men): number for number, men in enumerate(SETS[size])} for size in SETS}


def utility(values):
    """Return values of the solver as utilities."""
    plies = values.astype(np.int32)
    return np.where(plies == 255, 0, np.where(plies % 2 == 1, WON - plies, plies - WON))


def after_move(their_utility):
    """Return the utility of a position for the side that has just moved."""
    mine = -their_utility
    return mine - np.sign(mine)


def is_disjoint(own, other):
    """Return which pairs of sets of two sizes are disjoint."""
    return (SETS[own][:, np.newaxis] & SETS[other][np.newaxis, :]) == 0


def moving():
    """Return the utilities of all positions with three men against three, both flying."""
    possible = is_disjoint(3, 3)
    quiet, closing = _flights()
    wins_at_once = np.array([possible[targets].any(axis=0) for targets in closing])
    found = np.where(wins_at_once & possible, WON - 1, 0)
    is_known = wins_at_once | ~possible
    for n in range(2, 60):
        turned = np.ascontiguousarray(found.T)
        if n % 2:
            is_good = (turned == -(WON - (n - 1))) & possible
            fresh = np.array([is_good[targets].any(axis=0) for targets in quiet])
        else:
            is_bad = (turned > 0) | ~possible
            fresh = np.array([is_bad[targets].all(axis=0) for targets in quiet])
        fresh &= ~is_known
        found[fresh] = WON - n if n % 2 else n - WON
        is_known |= fresh
    return found


def _flights():
    """For each set of three men the sets that one flight makes of it, quiet ones and mills."""
    sets = SETS[3]
    is_mill = np.isin(sets, list(MILLS))
    quiet, closing = [], []
    for men in sets:
        common = np.bitwise_count(sets & men) if hasattr(np, "bitwise_count") else _bits(sets & men)
        quiet.append(np.flatnonzero((common == 2) & ~is_mill))
        closing.append(np.flatnonzero((common == 2) & is_mill))
    return quiet, closing


def _bits(sets):
    return sum((sets >> np.uint32(point)) & 1 for point in range(24))


def placing(own, other, following):
    """Return the utilities of positions in which the mover places a man, from those after it."""
    best = np.full((len(SETS[own]), len(SETS[other])), -2 * WON)
    possible = is_disjoint(own + 1, other)
    gained = after_move(following).T
    for number, men in enumerate(SETS[own]):
        for point in range(24):
            after = int(men) | 1 << point
            if after == int(men):
                continue
            row = NUMBERS[own + 1][after]
            offer = np.full(gained.shape[1], WON - 1) if after in MILLS else gained[row]
            better = possible[row] & (offer > best[number])
            best[number][better] = offer[better]
    return best


def whole_game():
    """Return a matrix of utilities by subspace: (own men on the board, other's)."""
    found = {(3, 3): moving()}
    for own, other in ((2, 3), (2, 2), (1, 2), (1, 1), (0, 1), (0, 0)):
        found[own, other] = placing(own, other, found[other, own + 1])
    return found


@pytest.mark.slow
def test_three_men_a_side_solved_in_another_way(tmp_path):
    rules = Rules(men=3)
    solved = solve_into(tmp_path, rules)
    database, solver = Database.open(tmp_path), Solver(rules)
    game = whole_game()
    for (own, other), utilities in game.items():
        rows, cols = np.nonzero(is_disjoint(own, other))
        boards = SETS[own][rows], SETS[other][cols]
        sector, own_is_x = orient(own, other, 3 - own, 3 - other)
        slots = solver.slots(sector, *(boards if own_is_x else boards[::-1]))
        values = database.read(sector, own_is_x, slots)
        assert np.array_equal(utility(values), utilities[rows, cols]), (own, other)
    assert solved.root == WON - game[0, 0][0, 0] == 23
