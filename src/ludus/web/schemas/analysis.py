"""Views of evaluations, advice, reviews and solving: those of `ludus.analysis`, in words."""

from typing import Literal

from pydantic import BaseModel

from ludus.analysis.evaluation import EvaluatedMoveJson, EvaluationJson, Mark, PositionJson
from ludus.analysis.review import ReviewedMoveJson, SideSummaryJson


class EvaluationView(BaseModel):
    """The evaluation of a node: exact, likely or an estimate."""

    node: int
    mover: int
    analysis: PositionJson | None
    """Null where nobody has a move to choose. Unsolved positions may lack some moves."""

    text: str = ""
    """Who stands how, in one sentence."""

    share: float | None = None
    """Expected score of the first side, 0 to 1."""

    texts: list[str] = []
    """What each move leads to, in two or three words."""

    details: list[str] = []
    """In backgammon the chances to win and to win gammons, and what cube actions count."""


class AdviceView(BaseModel):
    """Moves to consider, best first."""

    exact: bool
    by: str
    text: str
    moves: list[EvaluatedMoveJson]
    texts: list[str]
    """What each move leads to, in two or three words."""

    svg: str
    """Shapes that show the best moves over the drawn board."""


class ReviewPointView(BaseModel):
    """A position of the line, its evaluation, and the verdict on the move that led to it."""

    node: int
    text: str
    mover: int | None
    share: float | None
    """1 if the first side wins, 0 if it loses, 0.5 for a draw; null before a roll of the dice."""

    evaluation: EvaluationJson | None
    move: ReviewedMoveJson | None
    """Null if there was no choice."""

    luck: float | None
    """Points by which a roll was better than the mean of all rolls."""


class ReviewSideView(BaseModel):
    """The moves of one side in a review."""

    side: str
    moves: int
    """Moves with a choice."""

    marks: dict[Mark, int]
    lost: float
    """Points given away in all."""

    cube_mistakes: int
    """Marked actions about the cube."""

    accuracy: float | None
    """0 to 100; null without moves that had a choice."""

    stages: dict[str, float]
    """Accuracy in each stage of the game."""

    summary: SideSummaryJson | None
    """Luck and performance rating, in games with dice."""


class ReviewView(BaseModel):
    """Evaluations along the current line."""

    points: list[ReviewPointView]
    sides: list[ReviewSideView]


class SolveView(BaseModel):
    """Whether a game can be solved completely here, and how far that is."""

    available: bool
    state: Literal["none", "running", "paused", "done", "failed", "too_large"]
    """`too_large`: the game could be solved on a machine with more memory or disk."""

    why: str = ""
    """Why it cannot be solved, or why solving failed."""

    done: float = 0.0
    """Solved part, 0 to 1."""

    minutes: float | None = None
    """Estimated minutes: in all, or left while solving."""

    gigabytes: float = 0.0
    """Estimated size of the files."""
