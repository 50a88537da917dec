"""All games with all presets, seeded random games, and all positions of small games."""

import random
from collections.abc import Iterator
from typing import Any

import ludus
from ludus.core.game import CHANCE

VARIANTS = [(name, preset) for name in ludus.GAMES for preset in ludus.GAMES[name].presets]
"""Every game with every preset."""


def play_randomly(game: Any, seed: int, plies: int = 400, start: Any = None) -> Iterator[Any]:
    """Yield the positions of one random game, the first and the last included."""
    rng = random.Random(seed)
    position = game.start() if start is None else start
    yield position
    for _ in range(plies):
        if position.mover == CHANCE and position.outcome() is None:
            rolls, weights = zip(*game.chances(position), strict=True)
            move = rng.choices(rolls, weights)[0]
        elif moves := position.legal_moves():
            move = rng.choice(moves)
        else:
            return
        position = position.play(move)
        yield position


def find_reachable(start: Any) -> set[Any]:
    """Return all positions that can follow a position, itself included."""
    found, waiting = {start}, [start]
    while waiting:
        position = waiting.pop()
        new = {position.play(move) for move in position.legal_moves()} - found
        found |= new
        waiting += new
    return found
