"""Random games, in compiled code where the game supports it, and the random player."""

import random
from collections import Counter
from typing import Any, ClassVar, NamedTuple

from ludus.core.game import CHANCE, AnyGame
from ludus.core.match import MAX_PLIES
from ludus.core.player import Choice, Limit, Player

ScoreCounts = Counter[int]
"""Points of side 0 (negative where side 1 won) to the number of games with that score."""


class PlayoutResult(NamedTuple):
    """Results and cost of some random games."""

    scores: ScoreCounts
    num_python_plies: int
    """Plies played in Python, which are slow; compiled ones are not counted."""


def has_native_playouts(game: AnyGame) -> bool:
    """Return whether random games of this game are played by compiled code."""
    return game.engine == "native" and game.id in ("nine_mens_morris", "backgammon")


def play_random_games(
    game: AnyGame, position: Any, games: int, source: random.Random, threads: int = 1
) -> PlayoutResult:
    """Play this number of random games; a game that reaches MAX_PLIES is a draw."""
    if has_native_playouts(game):
        seed = source.getrandbits(63)
        if game.id == "backgammon":
            return PlayoutResult(_play_native_backgammon(position, games, seed), 0)
        return PlayoutResult(_play_native_morris(position, games, seed, threads), 0)
    ends = [play_random_game(game, position, source) for _ in range(games)]
    return PlayoutResult(Counter(score for score, _ in ends), sum(plies for _, plies in ends))


def _play_native_morris(position: Any, games: int, seed: int, threads: int) -> ScoreCounts:
    tally = position.playouts(games, seed=seed, threads=threads, max_plies=MAX_PLIES)
    return Counter({1: tally["wins"][0], 0: tally["draws"], -1: tally["wins"][1]})


def _play_native_backgammon(position: Any, games: int, seed: int) -> ScoreCounts:
    from ludus.games.backgammon import native

    sides = native.playouts(position, games, seed)
    return Counter(
        {
            points * sign: count
            for sign, counts in zip((1, -1), sides, strict=True)
            for points, count in enumerate(counts, 1)
        }
    )


def play_random_game(game: AnyGame, position: Any, source: random.Random) -> tuple[int, int]:
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

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return Choice(self.random.choice(position.legal_moves()))
