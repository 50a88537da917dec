"""What answers look like; the OpenAPI description is made from this and from `asked`."""

from typing import Any, Literal

from pydantic import BaseModel

from ludus.web.asked import ManView


class ArrangementView(BaseModel):
    """A position that is being put together."""

    position: str
    problem: str
    """Why nobody can play from here; empty if somebody can."""

    svg: str
    labels: dict[str, str]
    men: dict[str, ManView]
    mover: int
    hands: list[int]
    hand_title: str
    """What is said of the men beside the places; empty if there are none in this game."""

    dice: list[int] | None
    has_dice: bool
    most: int
    """Men that one place can hold."""


class Problem(BaseModel):
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
    """What it has on the board and beside it."""


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
    """Whether the move gave something away, where that is known by now."""


class Thought(BaseModel):
    """What the player who made the move here thought of it."""

    comment: str
    scores: list[tuple[str, float]]
    pictures: list[str]
    """Titles of its own pictures."""


class PictureView(BaseModel):
    """One way in which a player saw the board before its move."""

    title: str
    text: str
    svg: str


class Ending(BaseModel):
    """How the game ended here."""

    winner: int | None
    reason: str
    points: int


class View(BaseModel):
    """A game as a page shows it, at one of its nodes."""

    id: str
    revision: int
    game: str
    title: str
    rules: str
    node: int
    at: int
    """Where the game stands; the page may look at other nodes."""

    position: str
    svg: str
    places: list[str]
    """What may be touched now."""

    labels: dict[str, str]
    """Every place in words: its name, who stands there, what touching it would do."""

    touched: list[str]
    prompt: str
    """What to do next, in one line."""

    told: str
    """What has happened since a person last moved."""

    status: Literal["yours", "thinking", "paused", "over", "looking", "trouble"]
    mover: int
    outcome: Ending | None
    seats: list[SeatView]
    delay: float
    moves: list[MoveView]
    thought: Thought | None


class RatedMoveView(BaseModel):
    """A legal move and its exact value for the side that makes it."""

    move: str
    value: Literal["win", "draw", "loss"]
    depth: int | None
    cost: int
    """How much of the value it gives away: 0, 1 or 2."""


class RecordText(BaseModel):
    """A game as people read and keep it."""

    record: str


class Verdict(BaseModel):
    """What perfect play makes of a node."""

    node: int
    known: bool
    why: str
    value: Literal["win", "draw", "loss"] | None
    depth: int | None
    mover: int
    moves: list[RatedMoveView]


class ReviewPoint(BaseModel):
    """A position of the line that was played, and its exact value if it has one."""

    node: int
    text: str
    mover: int | None
    share: float | None
    """1 if the first side wins, 0 if it loses, 0.5 for a draw; null if not known."""

    depth: int | None
    lost: int
    """What the move to here gave away: 0, 1 or 2."""


class Review(BaseModel):
    """The line to where the game stands and on, as perfect play sees it."""

    known: bool
    why: str
    points: list[ReviewPoint]


class Advice(BaseModel):
    """Moves to consider, best first."""

    exact: bool
    by: str
    text: str
    moves: list[dict[str, Any]]


class Opponent(BaseModel):
    """A player that can be chosen."""

    name: str
    title: str
    levels: int | None
    choices: dict[str, list[str]]
    strength: str
    strengths: list[str]
    """For each level, the first one first."""


class Kind(BaseModel):
    """A game that can be played."""

    game: str
    title: str
    sides: list[str]
    presets: list[str]
    start: str


class HowView(BaseModel):
    """How a game is played under given rules."""

    title: str
    sentences: list[str]


class PositionView(BaseModel):
    """A position as it is written and drawn."""

    position: str
    svg: str
    mover: int
    over: bool
    texts: dict[str, str]
    """The position in the game's other notations."""


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


class Shown(BaseModel):
    """What this server shows beside games."""

    tournament: bool
    training: bool


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
    """A tournament as far as it has been played."""

    name: str
    game: str
    games: int
    planned: int
    players: list[StandingView]
    pairs: list[PairView]


class CurveView(BaseModel):
    """One curve of a training."""

    name: str
    steps: list[float]
    values: list[float]
