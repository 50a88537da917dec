"""Communication with other programs: the text engine, and players backed by other engines."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.protocol.analysis import Analysis, analyse, annotate
    from ludus.protocol.evaluation import CubeEvaluation, Evaluator, MoveEvaluation
    from ludus.protocol.evaluators import find_evaluator
    from ludus.protocol.gnubg import RankingRequest, get_shared_gnubg
    from ludus.protocol.gnubg_generator import score_position
    from ludus.protocol.gnubg_review import (
        ReviewedMove,
        get_rating,
        iterate_decisions,
        review_decisions,
    )

__all__ = [
    "Analysis",
    "CubeEvaluation",
    "Evaluator",
    "MoveEvaluation",
    "RankingRequest",
    "ReviewedMove",
    "analyse",
    "annotate",
    "find_evaluator",
    "get_rating",
    "get_shared_gnubg",
    "iterate_decisions",
    "review_decisions",
    "score_position",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
