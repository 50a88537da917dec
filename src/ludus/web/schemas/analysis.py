"""Views of evaluations, advice, reviews and solving."""

from typing import Any, Literal

from pydantic import BaseModel

from ludus.analysis.evaluation import Certainty, Mark
from ludus.oracles.interface import Result


class RatedMoveView(BaseModel):
    """A legal move and its exact value for the side that makes it."""

    move: str
    value: Result
    depth: int | None
    cost: float
    """Value lost: 0, 1 or 2, or points in games with dice."""

    equity: float | None = None
    """Mean points in games with dice."""


class VerdictView(BaseModel):
    """The exact value of a node and its moves."""

    node: int
    known: bool
    why: str
    value: Result | None = None
    depth: int | None = None
    equity: float | None = None
    mover: int
    moves: list[RatedMoveView] = []


class EvaluatedMoveView(BaseModel):
    """A legal move and its evaluation for the side that makes it."""

    move: str
    certainty: Certainty
    source: str
    points: float
    value: Result | None
    depth: int | None
    cost: float
    """Points given away, compared with the best move."""

    mark: Mark
    """Empty for a good move."""

    line: list[str]
    """Expected moves after it."""

    text: str


class EvaluationView(BaseModel):
    """The evaluation of a node: exact, likely or an estimate."""

    node: int
    mover: int
    known: bool
    """False where nobody has a move to choose."""

    certainty: Certainty | None = None
    source: str = ""
    text: str = ""
    """Who stands how, in one sentence."""

    share: float | None = None
    """Expected score of the first side, 0 to 1."""

    points: float | None = None
    value: Result | None = None
    depth: int | None = None
    line: list[str] = []
    """Best play of both sides."""

    moves: list[EvaluatedMoveView] = []
    """Best first; unsolved positions may lack some."""

    details: list[str] = []
    """In backgammon the chances to win and to win gammons, and what cube actions count."""


class AdviceView(BaseModel):
    """Moves to consider, best first."""

    exact: bool
    by: str
    text: str
    moves: list[dict[str, Any]]


class ReviewPointView(BaseModel):
    """A position of the line, its evaluation, and the verdict on the move that led to it."""

    node: int
    text: str
    mover: int | None
    share: float | None
    """1 if the first side wins, 0 if it loses, 0.5 for a draw; null before a roll of the dice."""

    depth: int | None
    certainty: Certainty | None = None
    """That of the evaluation."""

    lost: float
    """Value lost by the move to here: 0, 1 or 2, or points in games with dice."""

    mark: Mark = ""
    mark_certainty: Certainty | None = None
    """That of the verdict on the move; null if there was no choice."""

    best: str = ""
    """The best move in the place of this one."""

    line: list[str] = []
    """Best play of both sides, from the best move on."""

    reply: list[str] = []
    """Best play of both sides after the move."""

    reason: str = ""
    """Why the move is marked."""

    kind: str = ""
    """`move`, or `double`, `take`, `resign`, `answer` for actions about the cube."""

    luck: float | None = None
    """Points by which a roll was better than the mean of all rolls."""


class ReviewSideView(BaseModel):
    """The moves of one side in a review."""

    side: str
    moves: int
    """Moves with a choice."""

    inaccuracies: int
    mistakes: int
    blunders: int
    lost: float
    """Points given away in all."""

    cube_mistakes: int = 0
    """Marked actions about the cube."""

    luck: float | None = None
    """Points by which the rolls were better than average, in games with dice."""

    performance_rating: float | None = None
    """500 times the mean error of a decision, in games with dice."""

    rating: str | None = None


class ReviewView(BaseModel):
    """Evaluations along the current line."""

    known: bool
    why: str
    points: list[ReviewPointView]
    sides: list[ReviewSideView] = []


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
