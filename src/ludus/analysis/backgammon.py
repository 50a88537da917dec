"""Evaluation of backgammon: equities of moves and of cube actions, and choices by them.

Plies are counted as GNU Backgammon does: 0 is a network alone, which eXtreme Gammon and bgsage call
1-ply. Equities are in points of the present cube; in a match they are normalized so that winning a
single game is 1. Without a cube they are cubeless.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ludus.analysis.evaluation import (
    CubeEvaluation,
    EvaluatedMove,
    Evaluation,
    PositionAnalysis,
)
from ludus.analysis.evaluators import SOLVED, Evaluator
from ludus.core.errors import LudusError
from ludus.core.player import Choice
from ludus.games.backgammon.batch import position_to_row
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import (
    Chances,
    ChancesEstimator,
    CubeModel,
    choose_action,
    evaluate_cube,
    score_actions,
)
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules

NUM_MEASURED = 6
"""Moves by cubeless equity among which the best one by cubeful equity is looked for in luck."""


class BackgammonEvaluator(Evaluator):
    """Evaluates moves after a roll, and the cube before it."""

    spec: str
    """Spec of the player that decides by this evaluator."""

    @abstractmethod
    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        """Evaluate the legal moves of a position with dice, best first."""

    @abstractmethod
    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        """Evaluate the cube before a roll, for the side on turn."""

    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        return [self._evaluate(position) for position in positions]

    def _evaluate(self, position: Position) -> PositionAnalysis:
        if position.phase == "play":
            ranked = self.rank_moves(position)
            return PositionAnalysis(tuple(EvaluatedMove(*each) for each in ranked.items()))
        cube = self.evaluate_cube(position)
        is_on_turn = position.mover == position.turn
        chances = cube.chances if is_on_turn else cube.chances.flip()
        actions = [
            EvaluatedMove(action, self._estimate(equity, chances, cube.lookahead))
            for action, equity in score_actions(position, cube.equities).items()
        ]
        return PositionAnalysis(tuple(sorted(actions, key=lambda each: each.evaluation.rank)), cube)

    def _estimate(self, equity: float, chances: Chances, lookahead: str) -> Evaluation:
        return Evaluation("estimate", self.spec, equity, "equity", None, chances, lookahead)

    def choose(self, position: Position) -> Choice:
        """Choose the best move or action."""
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        if position.phase != "play":
            return choose_by_cube(position, self.evaluate_cube(position))
        ranked = self.rank_moves(position)
        move, best = next(iter(ranked.items()))
        comment = f"expects {best.points:+.3f} points"
        if best.chances is not None:
            plies = best.lookahead.removesuffix("-ply")
            is_deep = plies.isdecimal() and plies != "0"
            comment = describe_choice(best.points, best.chances, int(plies) if is_deep else 0)
        return Choice(move, comment, {move: each.points for move, each in ranked.items()})


def describe_choice(equity: float, chances: Chances, plies: int) -> str:
    """Return what a player expects of its move, and how far it has looked."""
    ahead = f", {format_lookahead(plies)}" if plies else ""
    return f"expects {equity:+.3f} points, {format_chances_won(chances)}{ahead}"


def format_chances_won(chances: Chances) -> str:
    """Return the chances to win and to win a gammon."""
    return f"wins {chances.win:.1%}, gammons {chances.win_gammon:.1%}"


def format_lookahead(plies: int) -> str:
    """Return how many moves were looked ahead, in the words of players."""
    return f"looking {plies} {'move' if plies == 1 else 'moves'} ahead"


def choose_by_cube(position: Position, found: CubeEvaluation) -> Choice:
    """Choose an action about the cube or a resignation by its equity."""
    equities, chances = found.equities, found.chances
    comment = format_chances_won(chances)
    if position.phase in ("cube", "doubled"):
        comment = (
            f"{equities.best_action}: no double {equities.no_double:+.3f}, double and take "
            f"{equities.double_take:+.3f}, drop {equities.double_drop:+.3f}; {comment}"
        )
    return Choice(choose_action(position, equities), comment, score_actions(position, equities))


class NetworkEvaluator(BackgammonEvaluator):
    """A network that estimates chances; cubeful equities follow by Janowski's method."""

    plies: int

    def __init__(self, estimator: ChancesEstimator, spec: str, plies: int) -> None:
        self.estimator = estimator
        self.title = self.spec = spec
        self.plies = plies

    def measure(self, positions: Sequence[Any]) -> list[float]:
        # The network alone, and all positions in one call: luck needs the best move of all rolls.
        ranked = self.estimator.rank_chances(positions, 0, NUM_MEASURED)
        return [
            max(self._evaluate_move(position, *each).points for each in moves)
            for position, moves in zip(positions, ranked, strict=True)
        ]

    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        (ranked,) = self.estimator.rank_chances([position], self.plies)
        found = {each.move: self._evaluate_move(position, *each) for each in ranked}
        # A move that a filter left out is never above one that was looked at more deeply.
        deepest = max(each.plies for each in ranked)
        worst = min(found[each.move].points for each in ranked if each.plies == deepest)
        for each in ranked:
            if each.plies < deepest and found[each.move].points > worst:
                found[each.move] = replace(found[each.move], points=worst)
        return dict(sorted(found.items(), key=lambda item: item[1].rank))

    def _evaluate_move(
        self, position: Position, move: Move, chances: Chances, plies: int
    ) -> Evaluation:
        if is_game_end(position.play(move)):
            return evaluate_winning_move(position, move)
        equity = chances.equity
        if position.stakes is not None:
            side = 1 - position.turn
            equities = CubeModel(chances.flip(), position.stakes, side).decide()
            can_double = position.stakes.may_double(side)
            equity = -(equities.best if can_double else equities.no_double)
        return self._estimate(equity, chances, f"{plies}-ply")

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        (chances,) = self.estimator.estimate_chances([position])
        return CubeEvaluation(evaluate_cube(position, chances), chances, f"{self.plies}-ply")


def is_game_end(after: Position) -> bool:
    """Return whether a game has just ended; in a match the next one may have begun."""
    return after.outcome() is not None or bool(after.opening)


def evaluate_winning_move(position: Position, move: Move) -> Evaluation:
    """Return the exact value of a move that bears off the last man."""
    level = replace(position, stakes=None).play(move).outcome()
    assert level is not None
    won = Chances(1.0, float(level.points > 1), float(level.points > 2))
    stakes = position.stakes
    equity = won.equity
    if stakes is not None:
        model = CubeModel(won, stakes, position.turn)
        equity = model.normalize(model.value_of(stakes.compute_points(level.points), 1))
    return Evaluation("exact", SOLVED, equity, "equity", None, won, "exact")


def check_num_men_of(position: Position) -> None:
    """Check that a position has 15 men a side, the only number that other programs know."""
    if int(position_to_row(position)[:26].sum()) != Rules().men:
        raise LudusError("other programs evaluate backgammon with 15 men a side only")
