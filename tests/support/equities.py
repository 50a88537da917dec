"""Tables of backgammon for tests."""

from math import comb

import numpy as np

from ludus._native import equities


def all_sides(men, points):
    return equities.unrank(np.arange(comb(men + points, points), dtype=np.uint32), men, points)


def solve(men, threads=1):
    solver = equities.Hypergammon(men, threads)
    while solver.sweep() > 1e-9:
        pass
    solver.choose()
    while solver.sweep_chances() > 1e-7:
        pass
    return solver
