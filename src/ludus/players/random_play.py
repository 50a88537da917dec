"""Random games, in compiled code where the game supports it, and the random player."""

import random
from collections import Counter
from typing import ClassVar, NamedTuple

from ludus.core.game import CHANCE, AnyGame, Position
from ludus.core.match import MAX_PLIES
from ludus.core.player import Choice, Limit, Player

ScoreCounts = Counter[int]
"""Points of side 0 (negative where side 1 won) to the number of games with that score."""


class PlayoutResult(NamedTuple):
    """Results and cost of some random games."""

    scores: ScoreCounts
    num_python_plies: int
    """Plies played in Python, which are slow; compiled ones are not counted."""


def play_random_games(
    game: AnyGame, position: Position, games: int, source: random.Random, threads: int = 1
) -> PlayoutResult:
    """Play this number of random games; a game that reaches MAX_PLIES is a draw."""
    if game.has_native_playouts:
        seed = source.getrandbits(63)
        return PlayoutResult(game.native_playouts(position, games, seed, threads, MAX_PLIES), 0)
    ends = [play_random_game(game, position, source) for _ in range(games)]
    return PlayoutResult(Counter(score for score, _ in ends), sum(plies for _, plies in ends))


def play_random_game(game: AnyGame, position: Position, source: random.Random) -> tuple[int, int]:
    """Play one random game; return the points of side 0 and the number of plies."""
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


class RandomPlayer(Player):
    """Plays each legal move with the same probability; the baseline for every other player."""

    title: ClassVar[str] = "plays any legal move, each with the same probability"

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return Choice(self.random.choice(position.legal_moves()))
