"""Elo ratings with error bars, by maximum likelihood.

The model is Bradley and Terry's, which is Elo's curve: a player whose rating is higher by
`difference` has the expected score

    1 / (1 + 10^(-difference / 400))

where a draw is half a point. The ratings maximise the likelihood of the scores of all pairs. Errors
come from the curvature of the likelihood there, corrected for draws: a score with many draws has a
lower variance than one of wins and losses alone.

A player that wins every game has no finite maximum-likelihood rating. Every rating therefore has a
normal prior around 0 with a standard deviation of PRIOR_ELO. This prior is weak: it moves a player
with 200 games by about a thousandth of its rating, if its scores are not extreme.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.spec import check_choice
from ludus.core.statistics import NORMAL_QUANTILE

ELO_SCALE = 400 / math.log(10)
"""Elo points for a factor e of strength."""

PRIOR_ELO = 1000.0

PairScore = tuple[int, int, int]
"""Wins of the first player, draws, wins of the second."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating."""

    elo: float
    error: float
    """Standard error relative to the anchor: the mean of all players, or one player."""

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval."""
        return NORMAL_QUANTILE * self.error


def compute_ratings(
    players: Sequence[str], scores: Mapping[tuple[str, str], PairScore], anchor: str | None = None
) -> dict[str, Rating]:
    """Return every player's rating. The mean rating, or that of the player `anchor`, is 0."""
    check_anchor(anchor, players)
    strengths, covariance = _BradleyTerryModel(players, scores).fit()
    size = len(players)
    # Ratings are differences to the anchor, and so are their errors.
    weights = np.full(size, 1 / size)
    if anchor is not None:
        weights = np.eye(size)[players.index(anchor)]
    shift = np.eye(size) - weights[np.newaxis, :]
    elos = ELO_SCALE * shift @ strengths
    errors = ELO_SCALE * np.sqrt(np.maximum(np.diag(shift @ covariance @ shift.T), 0))
    return {
        player: Rating(float(elo), float(error))
        for player, elo, error in zip(players, elos, errors, strict=True)
    }


def check_anchor(anchor: str | None, players: Sequence[str]) -> None:
    """Raise UnknownName if the anchor is not one of the players."""
    if anchor is not None:
        check_choice("there is no player", anchor, players)


GRADIENT_TOLERANCE = 1e-12
"""Slope of the loss, for each game, at which the strengths are found."""

MIN_STEP = 1e-6


class _BradleyTerryModel:
    """The posterior of the logarithms of strengths; its logarithm is concave."""

    def __init__(self, players: Sequence[str], scores: Mapping[tuple[str, str], PairScore]) -> None:
        numbers = {player: number for number, player in enumerate(players)}
        self.signs = np.zeros((len(scores), len(players)))
        """One row per pair: 1 for its first player, -1 for its second."""
        for row, (first, second) in zip(self.signs, scores, strict=True):
            row[numbers[first]], row[numbers[second]] = 1, -1
        wins, self.draws, losses = np.array([*scores.values()], dtype=float).T
        self.games = wins + self.draws + losses
        self.points = wins + self.draws / 2
        self.prior = (ELO_SCALE / PRIOR_ELO) ** 2

    def fit(self) -> tuple[Array, Array]:
        """Return the maximum a posteriori strengths and their covariance."""
        best: Array = np.zeros(self.signs.shape[1])
        # Newton's method: the loss is convex, so each step that is short enough lowers it.
        while np.abs(self._slope(best)).max() > GRADIENT_TOLERANCE * max(1, self.games.sum()):
            step, size = np.linalg.solve(self._curve(best), self._slope(best)), 1.0
            while size > MIN_STEP and self._loss(best - size * step) > self._loss(best):
                size /= 2
            if size <= MIN_STEP:  # the loss has no more digits
                break
            best = best - size * step
        inverse: Any = np.linalg.inv(self._curve(best))
        return best, inverse @ self._scatter(best) @ inverse

    def _expected(self, strengths: Array) -> Array:
        """Return the expected score of a game of each pair."""
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
        """Return the covariance of the gradient: that of the curvature, reduced by draws.

        A proportion d of draws lowers the variance of a score by d/4. One game that is not a draw
        is added to every pair, so that no error is ever zero.
        """
        expected = self._expected(strengths)
        draw_rate = self.draws / (self.games + 1)
        variance = np.maximum(expected * (1 - expected) - draw_rate / 4, 0)
        return self._sum(self.games * variance)

    def _sum(self, weights: Array) -> Array:
        """Return the weighted sum over all pairs plus the prior."""
        pairs = (self.signs.T * weights) @ self.signs
        total: Array = pairs + self.prior * np.eye(len(pairs))
        return total
