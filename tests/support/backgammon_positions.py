"""Positions for tests: those of random games, and any that the rules allow at all."""

import random

from hypothesis import assume
from hypothesis import strategies as st

from ludus.core import CHANCE, BadPosition
from ludus.games.backgammon.board import BAR, OFF
from ludus.games.backgammon.position import make_position


def random_game(game, seed):
    """Every position of one random game."""
    rng = random.Random(seed)
    position = game.start()
    yield position
    while position.outcome() is None:
        if position.mover == CHANCE:
            rolls, weights = zip(*game.chances(position), strict=True)
            position = position.play(rng.choices(rolls, weights)[0])
        else:
            position = position.play(rng.choice(position.legal_moves()))
        yield position


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
