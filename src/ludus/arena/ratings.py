"""Elo ratings with error bars, by maximum likelihood.

The model is Bradley and Terry's, which is Elo's curve: a player with so many more points scores

    1 / (1 + 10^(-difference / 400))

where a draw is half a point. Ratings are those under which the scores of all pairs are most
likely. Errors come from the curvature of the likelihood there, corrected for draws: a score with
many draws scatters less than one of wins and losses alone.

Who wins every game has no finite rating of greatest likelihood. So that there is one, every
rating has a normal prior around 0 with a standard deviation of PRIOR_ELO. That is weak: it moves
a player with 200 games by about a thousandth of its rating, if its scores are not extreme.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion

ELO = 400 / math.log(10)
"""Elo points for a factor e of strength."""

PRIOR_ELO = 1000.0

NORMAL_95 = 1.959964
"""Standard errors within which 95% of a normal distribution lie."""

Score = tuple[int, int, int]
"""Wins of the first player, draws, wins of the second."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength."""

    elo: float
    error: float
    """Standard error, relative to the anchor: the mean of all players, or one of them."""

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval."""
        return NORMAL_95 * self.error


def ratings(
    players: Sequence[str], scores: Mapping[tuple[str, str], Score], anchor: str | None = None
) -> dict[str, Rating]:
    """Every player's rating. They are 0 on average, or for the player called `anchor`."""
    check_anchor(anchor, players)
    strengths, covariance = _Model(players, scores).fit()
    size = len(players)
    # Ratings are differences to the anchor, and so are their errors.
    weights = np.full(size, 1 / size)
    if anchor is not None:
        weights = np.eye(size)[players.index(anchor)]
    shift = np.eye(size) - weights[np.newaxis, :]
    elos = ELO * shift @ strengths
    errors = ELO * np.sqrt(np.maximum(np.diag(shift @ covariance @ shift.T), 0))
    return {
        player: Rating(float(elo), float(error))
        for player, elo, error in zip(players, elos, errors, strict=True)
    }


def check_anchor(anchor: str | None, players: Sequence[str]) -> None:
    """Whoever has the rating 0 must be among the players."""
    if anchor is not None and anchor not in players:
        raise UnknownName(f"there is no player {quoted(anchor)}{suggestion(anchor, players)}")


class _Model:
    """The posterior of the logarithms of strengths; its own logarithm is concave."""

    def __init__(self, players: Sequence[str], scores: Mapping[tuple[str, str], Score]) -> None:
        numbers = {player: number for number, player in enumerate(players)}
        self.signs = np.zeros((len(scores), len(players)))
        """A row for each pair: 1 for its first player, -1 for its second."""
        for row, (first, second) in zip(self.signs, scores, strict=True):
            row[numbers[first]], row[numbers[second]] = 1, -1
        wins, self.draws, losses = np.array([*scores.values()], dtype=float).T
        self.games = wins + self.draws + losses
        self.points = wins + self.draws / 2
        self.prior = (ELO / PRIOR_ELO) ** 2

    def fit(self) -> tuple[Array, Array]:
        """The strengths of greatest posterior probability, and their covariance."""
        from scipy.optimize import minimize

        start = np.zeros(self.signs.shape[1])
        found = minimize(self._loss, start, jac=self._slope, hess=self._curve, method="trust-exact")
        best: Array = found.x
        inverse: Any = np.linalg.inv(self._curve(best))
        return best, inverse @ self._scatter(best) @ inverse

    def _expected(self, strengths: Array) -> Array:
        """The score of a game of each pair."""
        expected: Array = 1 / (1 + np.exp(-self.signs @ strengths))
        return expected

    def _loss(self, strengths: Array) -> float:
        lead = self.signs @ strengths
        likely = self.points @ lead - self.games @ np.logaddexp(0, lead)
        return float(self.prior * strengths @ strengths / 2 - likely)

    def _slope(self, strengths: Array) -> Array:
        surprise = self.points - self.games * self._expected(strengths)
        slope: Array = self.prior * strengths - surprise @ self.signs
        return slope

    def _curve(self, strengths: Array) -> Array:
        expected = self._expected(strengths)
        return self._sum(self.games * expected * (1 - expected))

    def _scatter(self, strengths: Array) -> Array:
        """How much the slope varies by chance: as much as the curve says, less where games draw.

        A share d of draws lowers the variance of a score by d/4. One game that might not have
        been drawn is added to every pair, so that no error is ever zero.
        """
        expected = self._expected(strengths)
        drawn = self.draws / (self.games + 1)
        variance = np.maximum(expected * (1 - expected) - drawn / 4, 0)
        return self._sum(self.games * variance)

    def _sum(self, weights: Array) -> Array:
        """Of all pairs, and of the prior."""
        pairs = (self.signs.T * weights) @ self.signs
        total: Array = pairs + self.prior * np.eye(len(pairs))
        return total
