"""Review of a game: a value for each position, a mark and a reason for each mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ludus.arena.analysts import Analyst
from ludus.arena.evaluation import (
    Certainty,
    EvaluatedMove,
    Evaluation,
    Mark,
    PositionAnalysis,
    select_mark,
)
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.html import format_panel, format_table
from ludus.oracle.oracle import Result, evaluate_end

CHANGES: dict[tuple[Result, Result], str] = {
    ("win", "draw"): "gives away the win",
    ("win", "loss"): "turns a win into a loss",
    ("draw", "loss"): "loses a drawn game",
}

KEEPING_VERBS: dict[Result, str] = {"win": "wins", "draw": "draws"}


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game, what it gave away, and what would have been better."""

    move: Move
    mover: int
    mark: Mark
    cost: float
    """Points given away, at least as far as the evaluation can tell."""

    certainty: Certainty
    """That of the verdict on this move."""

    before: Evaluation
    """Value of the position for the mover with the best move."""

    after: Evaluation
    """Value for the mover after the move."""

    best: Move
    line: tuple[Move, ...]
    """Expected moves after the best one."""

    reply: tuple[Move, ...]
    """Expected moves after the move that was played."""

    reason: str
    """Why the move is marked, in one or two sentences; empty without a mark."""

    def to_json(self) -> dict[str, Any]:
        return {
            "move": str(self.move),
            "mover": self.mover,
            "mark": self.mark,
            "cost": round(self.cost, 4),
            "certainty": self.certainty,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "best": str(self.best),
            "line": [str(self.best), *map(str, self.line)],
            "reply": [str(each) for each in self.reply],
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class GameReview:
    """The evaluated positions of a game and its moves."""

    evaluations: tuple[Evaluation | None, ...]
    """For the side to move in each position; None where dice are rolled."""

    moves: tuple[ReviewedMove | None, ...]
    """None for rolls of the dice and forced passes."""

    def to_json(self) -> dict[str, Any]:
        return {
            "evaluations": [None if each is None else each.to_json() for each in self.evaluations],
            "moves": [None if each is None else each.to_json() for each in self.moves],
        }

    def _repr_html_(self) -> str:
        """Return the marked moves with their reasons, which notebooks show."""
        rows = [
            (number, f"{each.move}{each.mark}", f"{each.cost:.3g}", each.certainty, each.reason)
            for number, each in enumerate(self.moves, 1)
            if each is not None and each.mark
        ]
        title = f"{len(self.moves)} moves, {len(rows)} marked"
        return format_panel(title, format_table(("ply", "move", "cost", "certainty", "why"), rows))


def review_game(
    analyst: Analyst, positions: Sequence[Position], moves: Sequence[Move]
) -> GameReview:
    """Evaluate a line of positions, each reached from the one before by a move."""
    decisions = [
        number
        for number, position in enumerate(positions)
        if position.outcome() is None and position.mover != CHANCE
    ]
    played = [moves[number] if number < len(moves) else None for number in decisions]
    analyses = dict(
        zip(
            decisions,
            analyst.analyse_many([positions[number] for number in decisions], played),
            strict=True,
        )
    )
    evaluations = [
        _evaluate_position(position, analyses.get(number))
        for number, position in enumerate(positions)
    ]
    reviewed = [
        judge_move(analyst.game, positions[number], analyses[number], move)
        if number in analyses
        else None
        for number, move in enumerate(moves)
    ]
    return GameReview(tuple(evaluations), tuple(reviewed))


def _evaluate_position(position: Position, analysis: PositionAnalysis | None) -> Evaluation | None:
    end = evaluate_end(position)
    if end is not None:
        outcome = position.outcome()
        assert outcome is not None
        points = outcome.score(max(position.mover, 0))
        return Evaluation("exact", "the end of the game", points, end.result, 0)
    return None if analysis is None else analysis.best.evaluation


def judge_move(
    game: AnyGame, position: Position, analysis: PositionAnalysis, move: Move
) -> ReviewedMove | None:
    """Compare a move with the best one; None if there was no choice."""
    if len(analysis.moves) == 1 and len(position.legal_moves()) == 1:
        return None
    best, played = analysis.best, analysis.find(move)
    cost = analysis.cost(move)
    certainty = _weakest(best.evaluation.certainty, played.evaluation.certainty)
    mark = select_mark(best.evaluation, played.evaluation)
    reason = _explain(game, position, analysis, played) if mark else ""
    return ReviewedMove(
        move,
        position.mover,
        mark,
        cost,
        certainty,
        best.evaluation,
        played.evaluation,
        best.move,
        best.line,
        played.line,
        reason,
    )


def _weakest(*certainties: Certainty) -> Certainty:
    order: tuple[Certainty, ...] = ("estimate", "likely", "exact")
    return min(certainties, key=order.index)


def _explain(
    game: AnyGame, position: Position, analysis: PositionAnalysis, played: EvaluatedMove
) -> str:
    """Return why a move is a mistake, and what was better."""
    change = _describe_change(game, analysis, played)
    return f"{change}{_describe_reply(game, position, played)}. {_describe_best(analysis)}"


def _describe_change(game: AnyGame, analysis: PositionAnalysis, played: EvaluatedMove) -> str:
    """Return what a move gives away: a result if one is known or expected, else points."""
    best, after = analysis.best.evaluation, played.evaluation
    first, second = (each.result or _nearest_result(each.points) for each in (best, after))
    change = CHANGES.get((first, second))
    if game.oracle_kind == "equities":
        return f"{played.move} gives away {analysis.cost(played.move):.3f} points"
    if change is None:
        return f"{played.move} weakens the position"
    is_certain = best.result is not None and after.result is not None
    return f"{played.move} {'' if is_certain else 'probably '}{change}"


def _nearest_result(points: float) -> Result:
    return "win" if points > 0.5 else "loss" if points < -0.5 else "draw"


def _describe_reply(game: AnyGame, position: Position, played: EvaluatedMove) -> str:
    """Return what the other side answers, if that is known."""
    child = position.play(played.move)
    if not played.line or child.mover in (CHANCE, position.mover):
        return ""
    evaluation, reply = played.evaluation, played.line[0]
    if evaluation.result == "loss" and evaluation.depth:
        plies = evaluation.depth - 1
        return f": the answer {reply} wins in {plies} {'ply' if plies == 1 else 'plies'}"
    return (
        f": the answer {reply} takes a man"
        if game.is_capture(reply)
        else f": the answer is {reply}"
    )


def _describe_best(analysis: PositionAnalysis) -> str:
    best = analysis.best
    verb = KEEPING_VERBS.get(best.evaluation.result or "loss", "")
    if not verb:
        return f"Better: {best.move}."
    others = analysis.moves[1:]
    is_only = all(each.evaluation.result is not None for each in others)
    is_only = is_only and analysis.count_equal_moves() == 1
    return f"Only {best.move} {verb}." if is_only else f"{best.move} {verb}."
