"""Positions of random games of nine men's morris, for the benchmarks of networks."""

import random
from typing import Any

import ludus


def sample_positions(count: int) -> list[Any]:
    """Return positions of random games, the same ones at each call."""
    game, source = ludus.game("nine_mens_morris"), random.Random(1)
    found: list[Any] = []
    while len(found) < count:
        position = game.start()
        while position.outcome() is None:
            found.append(position)
            position = position.play(source.choice(position.legal_moves()))
    return found[:count]
