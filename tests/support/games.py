"""What many tests share: every game with every preset and engine, and seeded random games."""

import random
from collections.abc import Iterator
from typing import Any

import ludus
from ludus.core.game import CHANCE

VARIANTS = [(name, preset) for name in ludus.GAMES for preset in ludus.GAMES[name].presets]
"""Every game with every preset."""


def play_randomly(game: Any, seed: int, plies: int = 400, start: Any = None) -> Iterator[Any]:
    """The positions of one random game, the first and the last included."""
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
