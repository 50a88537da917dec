"""Evaluation of positions, moves and cube actions, and review of games."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.analysis.analyst import Analyst, find_evaluator
    from ludus.analysis.evaluation import (
        Certainty,
        CubeEvaluation,
        EvaluatedMove,
        Evaluation,
        PositionAnalysis,
    )
    from ludus.analysis.evaluators import Evaluator
    from ludus.analysis.records import RecordsReview, annotate, review_records
    from ludus.analysis.review import (
        GameReview,
        ReviewedMove,
        ReviewedRoll,
        SideSummary,
        get_rating,
        judge_move,
        review_game,
    )

__all__ = [
    "Analyst",
    "Certainty",
    "CubeEvaluation",
    "EvaluatedMove",
    "Evaluation",
    "Evaluator",
    "GameReview",
    "PositionAnalysis",
    "RecordsReview",
    "ReviewedMove",
    "ReviewedRoll",
    "SideSummary",
    "annotate",
    "find_evaluator",
    "get_rating",
    "judge_move",
    "review_game",
    "review_records",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
