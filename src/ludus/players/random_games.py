"""Games of random moves from a position: compiled where the game can, in Python elsewhere."""

import random
from collections import Counter
from typing import Any, NamedTuple

from ludus.core.game import CHANCE, AnyGame
from ludus.core.match import MAX_PLIES

Scores = Counter[int]
"""Points of side 0 (negative where side 1 won) to how many games ended so."""


class Ended(NamedTuple):
    """What some random games came to, and what they cost."""

    scores: Scores
    python_plies: int
    """Plies that were played in Python, which are slow; compiled ones are not counted."""


def is_compiled(game: AnyGame) -> bool:
    """Whether random games of this game are played by compiled code."""
    return game.engine == "native" and game.id in ("nine_mens_morris", "backgammon")


def random_games(
    game: AnyGame, position: Any, games: int, source: random.Random, threads: int = 1
) -> Ended:
    """How so many games end if both sides move at random; one that does not end is a draw."""
    if is_compiled(game):
        seed = source.getrandbits(63)
        if game.id == "backgammon":
            return Ended(_backgammon(position, games, seed), 0)
        return Ended(_morris(position, games, seed, threads), 0)
    ends = [random_game(game, position, source) for _ in range(games)]
    return Ended(Counter(score for score, _ in ends), sum(plies for _, plies in ends))


def _morris(position: Any, games: int, seed: int, threads: int) -> Scores:
    tally = position.playouts(games, seed=seed, threads=threads, max_plies=MAX_PLIES)
    return Counter({1: tally["wins"][0], 0: tally["draws"], -1: tally["wins"][1]})


def _backgammon(position: Any, games: int, seed: int) -> Scores:
    from ludus.games.backgammon import native

    sides = native.playouts(position, games, seed)
    return Counter(
        {
            points * sign: count
            for sign, counts in zip((1, -1), sides, strict=True)
            for points, count in enumerate(counts, 1)
        }
    )


def random_game(game: AnyGame, position: Any, source: random.Random) -> tuple[int, int]:
    """One random game: what it brings side 0, and its length."""
    for ply in range(MAX_PLIES):
        outcome = position.outcome()
        if outcome is not None:
            return outcome.score(0), ply
        if position.mover == CHANCE:
            rolls, weights = zip(*game.chances(position), strict=True)
            move = source.choices(rolls, weights)[0]
        else:
            move = source.choice(position.legal_moves())
        position = position.play(move)
    return 0, MAX_PLIES
