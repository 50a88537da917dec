"""Cube decisions from cubeless chances by Janowski's method, for money and at any match score.

Janowski (1993, "Take-points in money games") interpolates between a cube that is never turned again
(dead) and one that is turned exactly at the other side's take point (live); the part of the live
cube is its efficiency. In a match the same interpolation is done on match winning chances (MWC), as
GNU Backgammon does, with take points from the larger cube values backwards.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from ludus.games.backgammon.board import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.stakes import (
    ACCEPT,
    BEAVER,
    DOUBLE,
    DROP,
    MAX_CUBE,
    OFFERED_TURNS,
    OFFERS,
    RACCOON,
    REJECT,
    RESIGN,
    ROLL,
    TAKE,
    CubeAction,
    Stakes,
)

CUBE_EFFICIENCY: Final = 0.68
"""The part of the live cube in contact positions and long races, as Janowski recommends."""

RESIGNATION_TOLERANCE: Final = 0.001
"""Points by which playing on may exceed a resignation that is accepted: errors of estimates."""


class Chances(NamedTuple):
    """Cubeless chances of one side; gammons include backgammons."""

    win: float
    win_gammon: float = 0.0
    win_backgammon: float = 0.0
    lose_gammon: float = 0.0
    lose_backgammon: float = 0.0

    def flip(self) -> "Chances":
        """Return the other side's chances."""
        return Chances(
            1 - self.win,
            self.lose_gammon,
            self.lose_backgammon,
            self.win_gammon,
            self.win_backgammon,
        )

    @property
    def equity(self) -> float:
        """Points per game without the cube."""
        gammons = self.win_gammon - self.lose_gammon
        return 2 * self.win - 1 + gammons + self.win_backgammon - self.lose_backgammon


class RankedChances(NamedTuple):
    """A move, the mover's chances after it, and the plies by which they were looked at."""

    move: Move
    chances: Chances
    plies: int


class ChancesEstimator(Protocol):
    """Estimates cubeless chances, from which equities of moves and of cube actions follow."""

    def estimate_chances(self, positions: Sequence[Position]) -> list[Chances]:
        """Return the chances of the side on turn in each position, before it rolls."""

    def rank_chances(
        self, positions: Sequence[Position], plies: int, max_moves: int | None = None
    ) -> list[list[RankedChances]]:
        """Return the best moves of positions with dice, best first by cubeless equity.

        Those that a filter leaves out are looked at by fewer plies.
        """


@dataclass(frozen=True, slots=True)
class CubeEquities:
    """Equities of the side that may double, in points of the present cube.

    In a match they are normalized so that winning a single game now is 1 and losing it is -1.
    """

    no_double: float
    double_take: float
    double_drop: float = 1.0
    has_beavers: bool = False

    @property
    def double_beaver(self) -> float:
        """The equity after a beaver, with the best answer: a take, a drop, or a raccoon."""
        raccoon = min(4 * self.double_take, 4 * self.double_drop)
        return max(2 * self.double_take, -2 * self.double_drop, raccoon)

    @property
    def is_beaver(self) -> bool:
        """Whether a beaver is better than a take."""
        return self.has_beavers and self.double_beaver < self.double_take

    @property
    def doubled(self) -> float:
        """The equity of doubling, with the best answer."""
        taken = self.double_beaver if self.is_beaver else self.double_take
        return min(taken, self.double_drop)

    @property
    def is_double(self) -> bool:
        """Whether doubling is right."""
        return self.doubled > self.no_double

    @property
    def is_take(self) -> bool:
        """Whether taking is right."""
        return self.double_take <= self.double_drop

    @property
    def best(self) -> float:
        """The equity with best play of both sides."""
        return max(self.no_double, self.doubled)

    @property
    def best_action(self) -> str:
        """`no double`, `double, take`, `double, drop` or `too good to double`.

        By the rule of beavers also `double, beaver`.
        """
        if self.is_double and self.is_beaver:
            return "double, beaver"
        if self.is_double:
            return "double, take" if self.is_take else "double, drop"
        return "no double" if self.is_take else "too good to double"


class _Results(NamedTuple):
    """What the two sides get at a cube value, for the side on turn: MWC, or points for money."""

    win: float
    """A single game won; the same without gammons for the other three."""

    lose: float
    win_mean: float
    """A win on average, with its part of gammons and backgammons."""

    lose_mean: float


class CubeModel:
    """Janowski's equities for one position: chances, score and rules."""

    def __init__(
        self, chances: Chances, stakes: Stakes, side: int, efficiency: float = CUBE_EFFICIENCY
    ) -> None:
        """Evaluate for `side`, whose chances these are."""
        self.chances = chances
        self.rules = stakes.rules
        self.stakes = stakes
        self.side = side
        self.efficiency = efficiency
        self._known_results: dict[int, _Results] = {}

    def evaluate(self, value: int, owner: int | None) -> float:
        """Return MWC, or points for money, with the cube at a value and owned by a side or none.

        The dice are about to be rolled.
        """
        chance = self.chances.win
        results = self._results(value)
        dead = chance * results.win_mean + (1 - chance) * results.lose_mean
        if not self._is_alive(value, owner):
            return dead
        # Between its own and the other's cash points the live cube's value is linear in the chance.
        own = self._cash_point(value, self.side) if owner in (None, self.side) else None
        theirs = 1 - self._cash_point(value, 1 - self.side) if owner != self.side else None
        points = [(0.0, results.lose_mean)]
        if theirs is not None:
            points.append((theirs, results.lose))
        if own is not None:
            points.append((own, results.win))
        points.append((1.0, results.win_mean))
        live = _interpolate(sorted(points), chance)
        return (1 - self.efficiency) * dead + self.efficiency * live

    def _is_alive(self, value: int, owner: int | None) -> bool:
        sides = (0, 1) if owner is None else (owner,)
        return any(self._can_double(value, owner, side) for side in sides)

    def _can_double(self, value: int, owner: int | None, side: int) -> bool:
        """Return the same as `Stakes.may_double` with this cube, without making the stakes."""
        if self.rules.match > 0 and self.stakes.score[side] + value >= self.rules.match:
            return False
        is_free = value == 1 or owner in (None, side)
        return self.stakes.has_cube and is_free and value < MAX_CUBE

    def _cash_point(self, value: int, side: int) -> float:
        """Return the winning chance of a side from which the other drops its double (live cube).

        1 if the side cannot double, so that the cube has no use for it.
        """
        if not self._can_double(value, side if value > 1 else None, side):
            return 1.0
        own = self if side == self.side else self._other
        doubled = own._results(2 * value)
        drop = own._results(value).win
        # After the take the other side wins with the cube at its own cash point.
        redouble = 1 - own._cash_point(2 * value, 1 - side)
        bottom = doubled.lose if redouble > 0 else doubled.lose_mean
        slope = doubled.win_mean - bottom
        if slope <= 0:
            return 1.0
        point = redouble + (1 - redouble) * (drop - bottom) / slope
        return min(max(point, redouble), 1.0)

    @cached_property
    def _other(self) -> "CubeModel":
        other = CubeModel(self.chances.flip(), self.stakes, 1 - self.side, self.efficiency)
        other.__dict__["_other"] = self
        return other

    def _results(self, value: int) -> _Results:
        if value not in self._known_results:
            self._known_results[value] = self._compute_results(value)
        return self._known_results[value]

    def _compute_results(self, value: int) -> _Results:
        is_void = self.rules.jacoby and value == 1
        wins = [self.value_of(value * (1 if is_void else level), 1) for level in (1, 2, 3)]
        losses = [self.value_of(value * (1 if is_void else level), -1) for level in (1, 2, 3)]
        chances = self.chances
        win = _average(wins, chances.win, chances.win_gammon, chances.win_backgammon)
        lose = _average(losses, 1 - chances.win, chances.lose_gammon, chances.lose_backgammon)
        return _Results(wins[0], losses[0], win, lose)

    def value_of(self, points: int, sign: int) -> float:
        """Return the MWC after winning or losing points, or the points themselves for money."""
        if not self.rules.match:
            return float(sign * points)
        away = [self.rules.match - score for score in self.stakes.score]
        gaining = self.side if sign > 0 else 1 - self.side
        away[gaining] -= points
        return match_winning_chance(
            away[self.side], away[1 - self.side], _is_past_crawford(self.stakes)
        )

    def decide(self) -> CubeEquities:
        """Return the equities of not doubling, of doubling and taking, and of a drop."""
        value, owner = self.stakes.value, self.stakes.owner
        no_double = self.evaluate(value, owner)
        double_take = self.evaluate(2 * value, 1 - self.side)
        return CubeEquities(
            self.normalize(no_double),
            self.normalize(double_take),
            has_beavers=self.rules.beavers,
        )

    def normalize(self, value: float) -> float:
        """Return MWC, or points for money, as an equity: 1 for a single game won now, -1 lost."""
        stake = self.stakes.value
        win, loss = self.value_of(stake, 1), self.value_of(stake, -1)
        return (value - (win + loss) / 2) / ((win - loss) / 2)


def _is_past_crawford(stakes: Stakes) -> bool:
    """Return whether the Crawford game will not come after this game."""
    nearest = min(stakes.rules.match - score for score in stakes.score)
    return stakes.crawford or nearest == 1 or not stakes.rules.crawford


def tabulate_match_chances(stakes: Stakes, side: int) -> list[list[float]]:
    """Return a side's chances to win the match, by the points needed after this game.

    Rows are by what the side itself needs, from none to what it needs now, columns by the other's.
    """
    own, other = (stakes.rules.match - stakes.score[each] for each in (side, 1 - side))
    return [
        [
            match_winning_chance(row, column, _is_past_crawford(stakes))
            for column in range(other + 1)
        ]
        for row in range(own + 1)
    ]


def _average(values: list[float], total: float, gammons: float, backgammons: float) -> float:
    if total <= 0:
        return values[0]
    single = max(total - gammons, 0.0)
    double = max(gammons - backgammons, 0.0)
    return (single * values[0] + double * values[1] + backgammons * values[2]) / total


def _interpolate(points: list[tuple[float, float]], at: float) -> float:
    for (left, low), (right, high) in pairwise(points):
        if at <= right:
            return low if right <= left else low + (high - low) * (at - left) / (right - left)
    return points[-1][1]


def evaluate_cube(
    position: Position, chances: Chances, efficiency: float = CUBE_EFFICIENCY
) -> CubeEquities:
    """Return the equities of the side on turn, whose cubeless chances before the roll these are."""
    assert position.stakes is not None
    return CubeModel(chances, position.stakes, position.turn, efficiency).decide()


def score_actions(position: Position, equities: CubeEquities) -> dict[CubeAction, float]:
    """Return the equity of each legal action in a phase of the stakes, for the side that decides.

    The equities are those of the side on turn. A resignation counts what the other side makes of
    it: the points offered, or playing on, which then begins with a roll.
    """
    stakes = position.stakes
    assert stakes is not None
    equities = replace(equities, has_beavers=stakes.rules.beavers)
    if stakes.phase in OFFERED_TURNS:
        return _score_answers(stakes, equities)
    model = CubeModel(Chances(0.5), stakes, position.turn)
    resigned = [
        model.normalize(model.value_of(stakes.compute_points(level), -1)) for level in (1, 2, 3)
    ]
    if stakes.phase in OFFERS:
        return {ACCEPT: -resigned[OFFERS.index(stakes.phase)], REJECT: -equities.no_double}
    known = {ROLL: equities.no_double, DOUBLE: equities.doubled}
    known |= {
        offer: min(lost, equities.no_double) for offer, lost in zip(RESIGN, resigned, strict=True)
    }
    return {action: known[action] for action in stakes.list_actions(position.turn)}


def _score_answers(stakes: Stakes, equities: CubeEquities) -> dict[CubeAction, float]:
    """Return the equities of the answers to a double, a beaver or a raccoon.

    They turn the cube further, and it stays with the side that was doubled.
    """
    taken, dropped = equities.double_take, equities.double_drop
    if stakes.phase == "beavered":
        known = {TAKE: 2 * taken, DROP: -2 * dropped, RACCOON: 4 * min(taken, dropped)}
    elif stakes.phase == "raccooned":
        known = {TAKE: -4 * taken, DROP: -4 * dropped}
    else:
        known = {TAKE: -taken, DROP: -dropped, BEAVER: -equities.double_beaver}
    return {action: known[action] for action in stakes.list_actions(0)}


def choose_action(position: Position, equities: CubeEquities) -> CubeAction:
    """Choose an action in a phase of the stakes; the equities are those of the side on turn.

    It never resigns. It accepts a resignation that is worth at least what playing on is.
    """
    scores = score_actions(position, equities)
    if ACCEPT in scores:
        is_enough = scores[ACCEPT] >= scores[REJECT] - RESIGNATION_TOLERANCE
        return ACCEPT if is_enough else REJECT
    return max(scores, key=lambda action: scores[action])


def match_winning_chance(own_away: int, other_away: int, is_post_crawford: bool = False) -> float:
    """Return the chance to win a match from the points that each side needs, before a game.

    The table is made from games of a network with itself (experiments/backgammon). Where a side
    needs one point, it is the Crawford game, or a later one if `is_post_crawford`.
    """
    if own_away <= 0 or other_away <= 0:
        return 1.0 if own_away <= 0 else 0.0
    table = _load_match_equities()
    if is_post_crawford and 1 in (own_away, other_away):
        if own_away == 1:
            return table.post_crawford[other_away - 1]
        return 1 - table.post_crawford[own_away - 1]
    return table.equities[own_away - 1][other_away - 1]


class _MatchEquities(NamedTuple):
    equities: list[list[float]]
    """Of the side that needs one point more than the number of the row, by the other side's."""

    post_crawford: list[float]
    """Of the side that needs one point, by the other side's points."""


@cache
def _load_match_equities() -> _MatchEquities:
    file = resources.files(__package__) / "match_equities.json"
    return _MatchEquities(**json.loads(file.read_text()))
