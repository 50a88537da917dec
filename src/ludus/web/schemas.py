"""Pydantic models of requests and responses, from which the OpenAPI description is made."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ludus.analysis.evaluation import Certainty, Mark
from ludus.oracle.oracle import Result

Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
ShortText = Annotated[str, StringConstraints(max_length=1_000)]
PlaceName = Annotated[str, StringConstraints(min_length=1, max_length=20)]
NodeNumber = Annotated[int, Field(ge=0, le=1_000_000)]
PlaceNames = Annotated[list[PlaceName], Field(max_length=8)]


class RequestBody(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class SeatRequest(RequestBody):
    """A person, or a player by name."""

    player: Name | None = None
    level: Annotated[int, Field(ge=1, le=1_000)] | None = None
    choices: Annotated[dict[Name, Name], Field(max_length=20)] = {}


class NewGameRequest(RequestBody):
    """A new game: from its start, from a position, or from a record."""

    game: Name = "nine_mens_morris"
    rules: ShortText = ""
    position: ShortText = ""
    record: Annotated[str, StringConstraints(max_length=1_000_000)] = ""
    seats: Annotated[list[SeatRequest], Field(min_length=2, max_length=2)] = [SeatRequest()] * 2
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    delay: Annotated[float, Field(ge=0, le=60)] = 0.0
    after: Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9_-]*$")] = ""
    """Id of a game whose players continue with what they learned."""

    continues: Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9_-]*$")] = ""
    """Id of the money game that this one follows in a session: its points are added up."""


class TouchRequest(RequestBody):
    """One more place touched at the current node, after those touched before."""

    node: NodeNumber
    touched: PlaceNames = []
    place: PlaceName
    hold: bool = False
    """Whether a move that is complete waits for another touch of its last place, without this."""


class ResignRequest(RequestBody):
    """What is resigned, in games that have a choice: 1 for a single game, 2 for a gammon, …"""

    level: Annotated[int, Field(ge=1, le=3)] = 1


class MoveRequest(RequestBody):
    """A move at the current node, in the notation of the game."""

    node: NodeNumber
    move: ShortText


class NodeRequest(RequestBody):
    """A node of the game."""

    node: NodeNumber


class CommentRequest(RequestBody):
    """A comment on a move; an empty text removes it."""

    node: NodeNumber
    text: Annotated[str, StringConstraints(max_length=2_000)]


class SeatsRequest(RequestBody):
    """New persons or players for both sides."""

    seats: Annotated[list[SeatRequest], Field(min_length=2, max_length=2)]


class PaceRequest(RequestBody):
    """Whether players are paused, and the delay between their moves in seconds."""

    paused: bool
    delay: Annotated[float, Field(ge=0, le=60)] = 0.0


class PositionRequest(RequestBody):
    """A position in any notation of the game; empty for its start."""

    game: Name
    rules: ShortText = ""
    position: ShortText = ""


class ImportRequest(RequestBody):
    """A pasted text, and the game that is on the board."""

    text: Annotated[str, StringConstraints(max_length=1_000_000)]
    game: Name
    rules: ShortText = ""


class ImportView(BaseModel):
    """What a pasted text holds: a record or a position, for a new game."""

    game: str
    rules: str
    position: str = ""
    record: str = ""
    more: list[str] = []
    """Records of further games in the same text."""


class PlacedMen(RequestBody):
    """Men of one side on a place."""

    side: Annotated[int, Field(ge=0, le=1)]
    count: Annotated[int, Field(ge=1, le=15)] = 1


class ArrangementRequest(PositionRequest):
    """A position to set up: from a text, or from men on places."""

    men: Annotated[dict[PlaceName, PlacedMen], Field(max_length=200)] | None = None
    mover: Annotated[int, Field(ge=0, le=1)] = 0
    hands: Annotated[
        list[Annotated[int, Field(ge=0, le=15)]], Field(min_length=2, max_length=2)
    ] = [0, 0]
    dice: (
        Annotated[list[Annotated[int, Field(ge=1, le=6)]], Field(min_length=2, max_length=2)] | None
    ) = None


class ArrangementView(BaseModel):
    """A position that is being set up."""

    position: str
    problem: str
    """Why the position cannot be played; empty if it can."""

    svg: str
    labels: dict[str, str]
    men: dict[str, PlacedMen]
    mover: int
    hands: list[int]
    hand_title: str
    """Title of the men beside the places; empty if the game has none."""

    dice: list[int] | None
    has_dice: bool
    most: int
    """Maximum number of men on one place."""

    hands_are_placed: bool
    """Whether a man that is put on the board comes from those still to place."""


class ErrorView(BaseModel):
    """Why a request was refused, in one line."""

    detail: str


class SeatView(BaseModel):
    """A side and who plays it."""

    side: str
    title: str
    player: str | None
    level: int | None
    choices: dict[str, str]
    standing: str
    """The side's men on and beside the board."""

    persona: str = ""
    """The human name of the player, if it has one."""


class MoveView(BaseModel):
    """A node of the tree."""

    node: int
    parent: int | None
    mover: int | None
    """0 or 1; -1 for dice; null at the root."""

    text: str
    by: str
    comment: str
    verdict: Literal["", "kept", "lost"]
    """Whether the move lost value, if known."""

    mark: Mark
    """Inaccuracy, mistake or blunder, if it is known."""


class ExplanationView(BaseModel):
    """Explanation of a move by the player that made it."""

    comment: str
    scores: list[tuple[str, float]]
    pictures: list[str]
    """Titles of its pictures."""


class PictureView(BaseModel):
    """A player's picture of the board before its move."""

    title: str
    text: str
    svg: str


class OutcomeView(BaseModel):
    """How the game ended."""

    winner: int | None
    reason: str
    points: int


class StakesView(BaseModel):
    """What a game is played for: the doubling cube, and the score of a match or money session."""

    cube: int | None
    """What the cube shows; null in games without it."""

    owner: int | None
    """The side that may double next; null while both may."""

    match: int
    """Points of the match; 0 for money."""

    score: tuple[int, int]
    game_number: int
    """Number of the game in a money session, from 1; 0 in a match."""

    crawford: bool
    jacoby: bool
    can_resign: bool
    """Whether resigning is one of the actions before a roll."""


class GameView(BaseModel):
    """A game as the page shows it, at one of its nodes."""

    id: str
    revision: int
    game: str
    title: str
    rules: str
    node: int
    at: int
    """Current node of the game; the page may show another one."""

    position: str
    svg: str
    places: list[str]
    """Places that may be touched now."""

    labels: dict[str, str]
    """Description of each place: its name, its men, and the effect of touching it."""

    touched: list[str]
    prompt: str
    """What to do next, in one line."""

    told: str
    """The moves since a person's last move."""

    status: Literal["yours", "thinking", "paused", "over", "looking", "trouble"]
    mover: int
    outcome: OutcomeView | None
    seats: list[SeatView]
    delay: float
    moves: list[MoveView]
    thought: ExplanationView | None
    has_dice: bool
    stakes: StakesView | None
    resignations: list[str]
    """What may be resigned, if there is a choice."""


class RatedMoveView(BaseModel):
    """A legal move and its exact value for the side that makes it."""

    move: str
    value: Result
    depth: int | None
    cost: float
    """Value lost: 0, 1 or 2, or points in games with dice."""

    equity: float | None = None
    """Mean points in games with dice."""


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


class RecordView(BaseModel):
    """A game as text."""

    record: str
    suffixes: list[str] = []
    """Suffixes of the files that the game can be saved as."""


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


class AdviceView(BaseModel):
    """Moves to consider, best first."""

    exact: bool
    by: str
    text: str
    moves: list[dict[str, Any]]


class PersonaView(BaseModel):
    """A player with options that has a human name."""

    name: str
    text: str
    level: int | None
    choices: dict[str, str]
    is_default: bool
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
    certainty: Certainty | None = None
    """That of the verdict; null if the move was not evaluated."""

    mark: Mark = ""
    cost: float = 0.0
    text: str = ""


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


class PositionView(BaseModel):
    """A position as text and SVG."""

    position: str
    svg: str
    mover: int
    over: bool
    texts: dict[str, str]
    """The position by notation."""


class PuzzleView(BaseModel):
    """A position with exactly one good move."""

    game: str
    rules: str
    position: str
    svg: str
    kind: Literal["win", "hold"]
    task: str
    grade: int
    plies: int | None
    side: int


class PuzzleKindView(BaseModel):
    """A kind and grade of puzzle that exists."""

    kind: Literal["win", "hold"]
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


class SolveRequest(RequestBody):
    """Start or stop solving a game completely."""

    game: Name
    rules: ShortText = ""
    action: Literal["start", "stop"]


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


class ServerFeaturesView(BaseModel):
    """Which optional pages this server offers."""

    tournament: bool
    training: bool
    running: bool = False
    """Whether a training, a tournament or a solve of this user is running."""


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
