"""Elo ratings with error bars, by maximum likelihood.

The model is Davidson's extension of Bradley and Terry's to draws ("On Extending the Bradley-Terry
Model to Accommodate Ties in Paired Comparison Experiments", 1970): with strengths a and b, and t
for how drawish the game is, the first player wins, draws and loses in the proportion

    a : t·√(ab) : b

A rating is 400·log10 of a strength, times 2/(2 + t). With this factor two players of nearly the
same rating score as Elo's curve says, however many games are drawn; without draws it is 1, and
the curve is Elo's everywhere. (Bayesian Elo programs scale in the same way.)

Who wins every game has no finite rating of greatest likelihood. So that there is one, every
400·log10 of a strength has a normal prior with a standard deviation of PRIOR_ELO. That is weak: a
player with 200 games moves by about a thousandth of its distance to the mean.
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
PRIOR_DRAWS = 4.0
"""Standard deviation of the prior of log(t), for games that always or never end in a draw."""

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
    model = _Davidson(players, scores)
    found, covariance = model.fit()
    size = len(players)
    # Ratings are differences to the anchor, and so are their errors.
    weights = np.full(size, 1 / size)
    if anchor is not None:
        weights = np.eye(size)[players.index(anchor)]
    shift = np.eye(size) - weights[np.newaxis, :]
    drawish = math.exp(found[-1])
    scale = ELO * 2 / (2 + drawish)
    elos = scale * shift @ found[:size]
    # How drawish the game is, is an estimate as well, and stretches all ratings.
    stretch = -elos * drawish / (2 + drawish)
    slopes = np.hstack([scale * shift, stretch[:, np.newaxis]])
    errors = np.sqrt(np.maximum(np.diag(slopes @ covariance @ slopes.T), 0))
    return {
        player: Rating(float(elo), float(error))
        for player, elo, error in zip(players, elos, errors, strict=True)
    }


def check_anchor(anchor: str | None, players: Sequence[str]) -> None:
    """Whoever has the rating 0 must be among the players."""
    if anchor is not None and anchor not in players:
        raise UnknownName(f"there is no player {quoted(anchor)}{suggestion(anchor, players)}")


class _Davidson:
    """The posterior of log strengths and log(t), which is a multinomial logit with a prior.

    Each kind of result is as probable as e to the power of a linear form of the parameters, so
    the logarithm is concave, and gradient and curvature are moments of the forms.
    """

    def __init__(self, players: Sequence[str], scores: Mapping[tuple[str, str], Score]) -> None:
        self.size = len(players) + 1
        numbers = {player: number for number, player in enumerate(players)}
        self.forms = np.zeros((len(scores), 3, self.size))
        """For every pair the linear forms of win, draw and loss."""
        for row, (first, second) in enumerate(scores):
            win, draw, loss = self.forms[row]
            win[numbers[first]] = loss[numbers[second]] = 1
            draw[numbers[first]] = draw[numbers[second]] = 0.5
            draw[-1] = 1
        self.counts = np.array([*scores.values()], dtype=float).reshape(-1, 3)
        deviations = [*[PRIOR_ELO / ELO] * len(players), PRIOR_DRAWS]
        self.prior = np.array([1 / deviation**2 for deviation in deviations])

    def fit(self) -> tuple[Array, Array]:
        """The parameters of greatest posterior probability, and their covariance."""
        from scipy.optimize import minimize

        found = minimize(
            self._loss, np.zeros(self.size), jac=self._slope, hess=self._curve, method="trust-exact"
        )
        best: Array = found.x
        covariance: Any = np.linalg.inv(self._curve(best))
        return best, covariance

    def _shares(self, parameters: Array) -> tuple[Array, Array]:
        """The probability of each result, and the logarithm of what they were divided by."""
        powers = self.forms @ parameters
        top = powers.max(axis=1, keepdims=True)
        weights = np.exp(powers - top)
        total = weights.sum(axis=1, keepdims=True)
        return weights / total, (top + np.log(total))[:, 0]

    def _loss(self, parameters: Array) -> float:
        _, logs = self._shares(parameters)
        likely = (self.counts * (self.forms @ parameters)).sum() - self.counts.sum(axis=1) @ logs
        return float(self.prior @ parameters**2 / 2 - likely)

    def _slope(self, parameters: Array) -> Array:
        shares, _ = self._shares(parameters)
        surprise = self.counts - self.counts.sum(axis=1, keepdims=True) * shares
        slope: Array = self.prior * parameters - np.einsum("pk,pki->i", surprise, self.forms)
        return slope

    def _curve(self, parameters: Array) -> Array:
        shares, _ = self._shares(parameters)
        means = np.einsum("pk,pki->pi", shares, self.forms)
        games = self.counts.sum(axis=1)
        second: Any = np.einsum("p,pk,pki,pkj->ij", games, shares, self.forms, self.forms)
        curve: Array = second - np.einsum("p,pi,pj->ij", games, means, means) + np.diag(self.prior)
        return curve
