"""Views of games, opponents, learners, puzzles and running work."""

from typing import Literal

from pydantic import BaseModel

from ludus.analysis.evaluation import EvaluatedMoveJson
from ludus.web.schemas.games import PictureView


class PersonaView(BaseModel):
    """A player with options that has a human name."""

    name: str
    text: str
    level: int | None
    choices: dict[str, str]
    strength: str
    bar: float | None
    """Measured strength, 0 to 1; null if it is not measured with these rules."""

    rank: float
    """Sort key, weakest first."""


class OpponentView(BaseModel):
    """An available player."""

    name: str
    title: str
    levels: int | None
    choices: dict[str, list[str]]
    strength: str
    strengths: list[str]
    """By level, starting at level 1."""

    personas: list[PersonaView] = []


class SamplePositionView(BaseModel):
    """A position in which learners are compared."""

    title: str
    position: str


class LearnerView(BaseModel):
    """A player that has learned, and how well."""

    player: str
    title: str
    how: str
    result: str = ""
    """Its stored result over many positions."""

    share: float | None = None
    """The share of critical positions in which it keeps the value."""


class LearnersView(BaseModel):
    """The learners of a game."""

    game: str
    title: str
    positions: list[SamplePositionView]
    learners: list[LearnerView]


class ComparedChoiceView(BaseModel):
    """The move of a learner in a position, and what it gives away."""

    move: str
    comment: str
    pictures: list[PictureView]
    evaluation: EvaluatedMoveJson | None
    """Null if the move was not evaluated."""

    text: str
    """What the move leads to, in two or three words."""


class GameKindView(BaseModel):
    """An available game."""

    game: str
    title: str
    sides: list[str]
    presets: list[str]
    start: str
    has_puzzles: bool


class RulesView(BaseModel):
    """How a game is played under given rules."""

    title: str
    sentences: list[str]


class PuzzleView(BaseModel):
    """A position with exactly one good move."""

    game: str
    rules: str
    position: str
    svg: str
    kind: Literal["win", "hold", "best", "ending"]
    task: str
    grade: int
    plies: int | None
    side: int
    margin: float | None = None
    """Points that every other move gives away at least, in games for points."""

    source: str = ""
    """What evaluates the moves; empty for exact values."""


class PuzzleKindView(BaseModel):
    """A kind and grade of puzzle that exists."""

    kind: Literal["win", "hold", "best", "ending"]
    grade: int


class RulesTestTaskView(BaseModel):
    """A position with exactly one good move, and the task in words."""

    position: str
    task: str


class RulesTestView(BaseModel):
    """Learned rules of a game, and the tasks of a test before reading them and of one after."""

    game: str
    title: str
    rules: str
    sentences: list[str]
    clauses: list[str]
    examples: list[PictureView]
    before: list[RulesTestTaskView]
    after: list[RulesTestTaskView]


class ServerFeaturesView(BaseModel):
    """Which optional pages this server offers."""

    tournament: bool
    training: bool
    running: bool = False
    """Whether a training, a tournament or a solve of this user is running."""

    keeps_games: bool = True
    """Whether games outlive the server; not where its file cannot be written."""


class RunView(BaseModel):
    """A training, a tournament or a solve that is running on this machine."""

    kind: Literal["training", "tournament", "solve"]
    title: str
    began: float
    """Seconds since the epoch."""

    done: int
    total: int
    """Size of the work; 0 if it is unknown."""


class StandingView(BaseModel):
    """A player of a tournament."""

    player: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    elo: float
    elo_margin: float


class PairView(BaseModel):
    """Two players of a tournament."""

    players: tuple[str, str]
    games: int
    wins: tuple[int, int]
    draws: int


class TournamentView(BaseModel):
    """A tournament, which may be running."""

    name: str
    game: str
    games: int
    planned: int
    players: list[StandingView]
    pairs: list[PairView]


class CurveView(BaseModel):
    """One training curve."""

    name: str
    steps: list[float]
    values: list[float]
