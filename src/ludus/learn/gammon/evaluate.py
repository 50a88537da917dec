"""Play whole games between networks and the conventional program in compiled code."""

import os
from dataclasses import dataclass

import numpy as np

from ludus._native import gammon
from ludus.core.errors import BadSpec
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.batch import position_to_row
from ludus.learn.gammon.network import GammonNetwork


@dataclass(frozen=True, slots=True)
class GamesResult:
    """Results of games, for the first of two players."""

    wins: tuple[int, int, int]
    """Numbers of single games, gammons and backgammons won."""

    losses: tuple[int, int, int]

    @property
    def games(self) -> int:
        return sum(self.wins) + sum(self.losses)

    @property
    def win_rate(self) -> float:
        """Proportion of games won, without regard to gammons."""
        return sum(self.wins) / self.games

    @property
    def points_per_game(self) -> float:
        """Points per game, where gammons count twice and backgammons three times."""
        return float(np.dot(np.subtract(self.wins, self.losses), (1, 2, 3)) / self.games)


def play_native_games(
    first: GammonNetwork | str, second: GammonNetwork | str, games: int, seed: int, threads: int = 0
) -> GamesResult:
    """Play games between networks, `tool` or `random`, with alternating starters.

    The result does not depend on the number of threads.
    """
    if not 1 <= games <= 100_000_000:
        raise BadSpec(f"{games} games cannot be played")
    movers = [who.to_native() if isinstance(who, GammonNetwork) else who for who in (first, second)]
    start = position_to_row(Backgammon().start())[None]
    threads = threads or os.cpu_count() or 1
    return GamesResult(*gammon.contest(movers[0], movers[1], start, games, seed % 2**64, threads))
