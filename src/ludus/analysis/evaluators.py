"""Evaluators of unsolved positions: by predictions, by search, and by scores of players."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from cachetools import LRUCache

from ludus.analysis.evaluation import EvaluatedMove, Evaluation, PositionAnalysis
from ludus.core.game import MAN_VALUE, Move, Position
from ludus.core.player import (
    Forecast,
    ForecastingPlayer,
    Limit,
    Player,
    PrincipalVariation,
    SearchingPlayer,
    SearchProgress,
)
from ludus.oracles.interface import Oracle, Result, Value, evaluate_end

SOLVED = "the solved game"
PROVED = "a proof by search"

SEARCH_NODES = 20_000
"""Positions visited by a search that confirms a move: a number, so that results repeat."""

NUM_CONFIRMED = 3
"""The best moves of a position, which are looked at more closely."""

MAX_LINE_PLIES = 6
"""Length of a best line."""

MAX_CACHED_POSITIONS = 20_000

MEN_PER_POINT = 2
"""Men whose advantage counts as three quarters of a win."""


class Evaluator(ABC):
    """Evaluates the moves of positions of one game."""

    title: str
    """What evaluates, for users."""

    plies: int | None = None
    """Search depth, where it can be chosen."""

    @abstractmethod
    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        """Evaluate the moves of each position, in which a side is to move; best first.

        Positions of many moves may lack some of them, but never the move in `played`, if any.
        """

    def analyse(self, position: Position) -> PositionAnalysis:
        """Return the evaluated moves of a position in which a side is to move."""
        return self.evaluate([position], [None])[0]

    def measure(self, positions: Sequence[Any]) -> list[float] | None:
        """Return the points of the best move after each roll, by which luck is measured.

        None if this is too slow for all rolls of a game.
        """
        return None


def rank_moves(moves: Iterable[EvaluatedMove]) -> PositionAnalysis:
    """Sort evaluated moves, best first."""
    return PositionAnalysis(tuple(sorted(moves, key=lambda each: each.evaluation.rank)))


class ForecastEvaluator(Evaluator):
    """Predictions of a player, confirmed one ply deeper and by a search where it matters.

    Each position after a move is predicted. The best moves, and a played move that looks worse, are
    predicted again by the best reply to them; then a search looks for a proof of a win or a loss.
    """

    def __init__(
        self, forecaster: ForecastingPlayer, searcher: SearchingPlayer | None, oracle: Oracle | None
    ) -> None:
        self._forecaster = forecaster
        self._searcher = searcher
        self._oracle = oracle
        self.title = self._source = getattr(forecaster, "spec", "a network")
        self._forecasts: LRUCache[Position, Forecast] = LRUCache(MAX_CACHED_POSITIONS)

    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        legal = [position.legal_moves() for position in positions]
        after = [
            [position.play(move) for move in moves]
            for position, moves in zip(positions, legal, strict=True)
        ]
        self._predict(child for children in after for child in children)
        studied = [
            self._select(moves, children, move)
            for moves, children, move in zip(legal, after, played, strict=True)
        ]
        self._predict(
            child.play(reply)
            for children, numbers in zip(after, studied, strict=True)
            for child in (children[number] for number in numbers)
            if child.outcome() is None
            for reply in child.legal_moves()
        )
        return [
            rank_moves(self._evaluate(moves, children, numbers, move))
            for moves, children, numbers, move in zip(legal, after, studied, played, strict=True)
        ]

    def _predict(self, positions: Iterable[Position]) -> None:
        """Put forecasts of positions into the cache."""
        new = [each for each in dict.fromkeys(positions) if each not in self._forecasts]
        if new:
            self._forecasts.update(zip(new, self._forecaster.forecast_many(new), strict=True))

    def _forecast(self, position: Position) -> Forecast:
        if position not in self._forecasts:
            self._predict([position])
        return self._forecasts[position]

    def _select(
        self, moves: Sequence[Move], children: Sequence[Position], played: Move | None
    ) -> list[int]:
        """Return the numbers of the moves to look at more closely: the best ones and the played."""
        ranked = sorted(range(len(moves)), key=lambda each: self._forecast(children[each]).points)
        selected = ranked[:NUM_CONFIRMED]
        number = None if played is None else moves.index(played)
        return selected if number is None or number in selected else [*selected, number]

    def _evaluate(
        self,
        moves: Sequence[Move],
        children: Sequence[Position],
        studied: Sequence[int],
        played: Move | None,
    ) -> list[EvaluatedMove]:
        evaluations = [
            self._evaluate_child(child, number in studied) for number, child in enumerate(children)
        ]
        best = min(range(len(moves)), key=lambda each: evaluations[each].rank)
        lines: dict[int, tuple[Move, ...]] = {}
        number = best if played is None else moves.index(played)
        needs_search = (
            evaluations[best].certainty != "exact" or evaluations[number].certainty != "exact"
        )
        if self._searcher is not None and needs_search and _may_differ(evaluations, best, number):
            for each in dict.fromkeys((best, number)):
                evaluations[each], lines[each] = self._search(children[each], evaluations[each])
        return [
            EvaluatedMove(move, evaluation, lines.get(number, ()))
            for number, (move, evaluation) in enumerate(zip(moves, evaluations, strict=True))
        ]

    def _evaluate_child(self, child: Position, is_studied: bool) -> Evaluation:
        """Evaluate the position after a move for the side that made it."""
        end = evaluate_end(child)
        if end is not None:
            return Evaluation.from_value(end, SOLVED).for_previous_mover()
        if self._oracle is not None and self._oracle.has_value(child):
            value = self._oracle.value(child)
            return Evaluation.from_value(value, SOLVED).for_previous_mover()
        forecasts = [self._forecast(child)]
        if is_studied:
            replies = [self._forecast(child.play(reply)) for reply in child.legal_moves()]
            best = min(replies, key=lambda each: each.points)
            forecasts.append(best.for_previous_mover())
        found = Evaluation.from_forecasts(forecasts, self._source)
        return found.for_previous_mover()

    def _search(self, child: Position, before: Evaluation) -> tuple[Evaluation, tuple[Move, ...]]:
        """Return the evaluation of the position after a move, with a proof if there is one."""
        assert self._searcher is not None
        if child.outcome() is not None:
            return before, ()
        found = search_position(self._searcher, child)
        if found is None:
            return before, ()
        if before.certainty != "exact" and found.plies_to_end is not None:
            before = _proved(found.plies_to_end).for_previous_mover()
        return before, found.moves[:MAX_LINE_PLIES]


def _may_differ(evaluations: Sequence[Evaluation], best: int, number: int) -> bool:
    """Return whether a search may tell the played move from the best one.

    Moves that both lead to the same likely result need none.
    """
    if best == number:
        return True
    first, second = evaluations[best], evaluations[number]
    return first.result is None or first.result != second.result


def search_position(
    searcher: SearchingPlayer, position: Position, nodes: int = SEARCH_NODES
) -> PrincipalVariation | None:
    """Search a position; return the principal variation, or None if there is only one move."""
    reports: list[SearchProgress] = []

    def watch(progress: SearchProgress) -> bool:
        reports.append(progress)
        return False

    searcher.start_game(0)  # so that equal moves are ordered in the same way every time
    searcher.think(position, Limit(nodes=nodes), watch)
    return reports[-1].lines[0] if reports and reports[-1].lines else None


def _proved(plies: int) -> Evaluation:
    """Return the evaluation of a proven end, whose plies are negative for a loss."""
    return Evaluation.from_value(Value("win" if plies > 0 else "loss", abs(plies)), PROVED)


class SearchEvaluator(Evaluator):
    """Scores of a search, for rules that no network knows: the best move and the played one."""

    def __init__(self, searcher: SearchingPlayer) -> None:
        self._searcher = searcher
        self.title = self._source = getattr(searcher, "spec", "a search")

    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        return [
            rank_moves(self._evaluate(position, move))
            for position, move in zip(positions, played, strict=True)
        ]

    def _evaluate(self, position: Position, played: Move | None) -> list[EvaluatedMove]:
        moves = position.legal_moves()
        best = search_position(self._searcher, position) if len(moves) > 1 else None
        first = moves[0] if best is None else best.moves[0]
        found = [self._evaluate_child(position, first)]
        if played is not None and played != first:
            found.append(self._evaluate_child(position, played))
        return found

    def _evaluate_child(self, position: Position, move: Move) -> EvaluatedMove:
        child = position.play(move)
        end = evaluate_end(child)
        if end is not None:
            return EvaluatedMove(move, Evaluation.from_value(end, SOLVED).for_previous_mover())
        replies = child.legal_moves()
        found = search_position(self._searcher, child)
        if found is None:  # a single reply is not searched
            after = child.play(replies[0])
            end = evaluate_end(after)
            found = search_position(self._searcher, after) if end is None else None
            evaluation = (
                Evaluation.from_value(end, SOLVED)
                if end is not None
                else self._evaluate_line(found)
            )
            line = () if found is None else found.moves
            return EvaluatedMove(
                move,
                evaluation.for_previous_mover().for_previous_mover(),
                (replies[0], *line)[:MAX_LINE_PLIES],
            )
        evaluation = self._evaluate_line(found).for_previous_mover()
        return EvaluatedMove(move, evaluation, found.moves[:MAX_LINE_PLIES])

    def _evaluate_line(self, found: PrincipalVariation | None) -> Evaluation:
        if found is None:
            return Evaluation("estimate", self._source, 0.0)
        if found.plies_to_end is not None:
            return _proved(found.plies_to_end)
        points = math.tanh(found.score / (MEN_PER_POINT * MAN_VALUE))
        return Evaluation("estimate", self._source, points)


class ScoreEvaluator(Evaluator):
    """Scores of a player that are equities, or mean points of random games."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.title = player.spec

    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        if not positions:
            return []
        self._player.start_game(0)
        source = self._player.spec
        result: Result | None = "equity" if self._player.score_unit == "equity" else None
        found = []
        for position, choice in zip(positions, self._player.choose_many(positions), strict=True):
            lowest = min(choice.scores.values(), default=0.0)
            found.append(
                rank_moves(
                    EvaluatedMove(
                        move,
                        Evaluation("estimate", source, choice.scores.get(move, lowest), result),
                    )
                    for move in position.legal_moves()
                )
            )
        return found
