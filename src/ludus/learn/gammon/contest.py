"""Whole games in compiled code: networks and the conventional program, thousands a minute."""

import os
from dataclasses import dataclass

import numpy as np

from ludus._native import gammon
from ludus.core.errors import BadSpec
from ludus.games.backgammon import Backgammon
from ludus.learn.gammon.network import Network
from ludus.players.tool.rows import row_of


@dataclass(frozen=True, slots=True)
class Result:
    """What games came to, for the first of two players."""

    wins: tuple[int, int, int]
    """Single games, gammons and backgammons won."""

    losses: tuple[int, int, int]

    @property
    def games(self) -> int:
        return sum(self.wins) + sum(self.losses)

    @property
    def share(self) -> float:
        """The share of games won, gammons not counted."""
        return sum(self.wins) / self.games

    @property
    def points(self) -> float:
        """Points a game, gammons counted twice and backgammons three times."""
        return float(np.dot(np.subtract(self.wins, self.losses), (1, 2, 3)) / self.games)


def contest(
    first: Network | str, second: Network | str, games: int, seed: int, threads: int = 0
) -> Result:
    """Games between networks, `tool` or `random`, who begin in turn; threads change nothing."""
    if not 1 <= games <= 100_000_000:
        raise BadSpec(f"{games} games cannot be played")
    movers = [who.compiled() if isinstance(who, Network) else who for who in (first, second)]
    start = row_of(Backgammon().start())[None]
    threads = threads or os.cpu_count() or 1
    return Result(*gammon.contest(movers[0], movers[1], start, games, seed % 2**64, threads))
