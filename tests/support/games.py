"""All games with all presets, seeded random games, and all positions of small games."""

import random
from collections.abc import Iterator, Mapping, Sequence
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


def check_like_matches(many: Mapping[str, Any], few: Sequence[Any]) -> None:
    """Proportions of wins and the mean length agree within four standard errors of the matches."""
    lengths = [len(match.moves) for match in few]
    mean = sum(lengths) / len(few)
    error = (sum((length - mean) ** 2 for length in lengths)) ** 0.5 / len(few)
    assert abs(many["plies"] / many["games"] - mean) < 4 * error
    for side in (0, 1):
        share = many["wins"][side] / many["games"]
        found = sum(match.outcome.winner == side for match in few) / len(few)
        assert abs(found - share) < 4 * (share * (1 - share) / len(few)) ** 0.5
