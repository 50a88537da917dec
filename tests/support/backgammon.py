"""Positions and tables of backgammon."""

from math import comb

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import ludus
from ludus._native import equities, gammon
from ludus.core import BadPosition
from ludus.games.backgammon.batch import position_to_row, row_to_position
from ludus.games.backgammon.board import BAR, OFF
from ludus.games.backgammon.position import make_position


@st.composite
def any_position(draw, rules, engine="python"):
    """Men anywhere: each side's on points the other leaves free, on the bar or off."""
    owners = draw(st.lists(st.integers(0, 1), min_size=24, max_size=24))
    men = ({}, {})
    for side in (0, 1):
        points = [i + 1 if side == 0 else 24 - i for i in range(24) if owners[i] == side]
        places = draw(st.lists(st.sampled_from([*points, BAR, OFF]), max_size=rules.men))
        for place in places:
            men[side][place] = men[side].get(place, 0) + 1
    turn = draw(st.integers(0, 1))
    dice = draw(st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)))
    try:
        return make_position(men, turn, dice, rules, engine)
    except BadPosition:
        assume(False)


START = position_to_row(ludus.game("backgammon").start())[None]


def met(games, seed, stray=0.3):
    """Yield positions with a choice, from the view of side 0."""
    boards, rolls, _ = gammon.met_in_games("tool", "random", START, True, games, stray, seed)
    return [
        row_to_position(board, (int(roll[0]), int(roll[1])))
        for board, roll in zip(boards, rolls, strict=True)
    ]


def position(own, their, dice=None):
    """Side 0 on roll, from both sides' men as they write them."""
    roll = "roll" if dice is None else f"{max(dice)}{min(dice)}"
    return ludus.game("backgammon").parse(f"{own} {their} 0 {roll}")


def all_sides(men, points):
    return equities.unrank(np.arange(comb(men + points, points), dtype=np.uint32), men, points)


def solve_hypergammon(men, threads=1):
    solver = equities.Hypergammon(men, threads)
    while solver.sweep() > 1e-9:
        pass
    solver.choose()
    while solver.sweep_chances() > 1e-7:
        pass
    return solver
