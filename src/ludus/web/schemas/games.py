"""Views of games, positions and records."""

from typing import Literal, Optional

from pydantic import BaseModel, create_model

from ludus.analysis.evaluation import Mark
from ludus.games.move_entry import EntryStage
from ludus.web.schemas.requests import PlacedMen


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
    mark: Mark | None
    """Inaccuracy, mistake or blunder, or empty; null if the move was not reviewed."""


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


GameStatus = Literal["yours", "thinking", "paused", "over", "looking", "trouble"]


class EntryStateView(BaseModel):
    """A moment in the entry of a move."""

    task: int
    """What to do, as a number of `EntryView.texts`."""

    stage: EntryStage
    next: dict[str, int | dict[str, int | None] | None]
    """What each touch leads to: the number of a state; -1, -2, … for the move that it completes;
    null for a state that has to be requested; or, for a man that is to move, the same by place."""

    standings: tuple[int, int]
    """The men of both sides, as numbers of `EntryView.texts`."""

    dice_left: list[int] | None


class EntryView(BaseModel):
    """All ways to enter a move in a position, so that a touch needs no request."""

    moves: list[str]
    states: list[EntryStateView]
    """The first one is the beginning."""

    texts: list[str]
    go_task: int
    """What to do when a man has been chosen, as a number of `texts`."""

    stacks: dict[str, tuple[int, int]]
    """Side and number of the men on each place that has any."""


class BoardView(BaseModel):
    """What the page draws by itself while a move is entered."""

    slots: dict[str, tuple[float, float, float, float, int]]
    """Where men stand: x and y of the first, of the step to the next, and how many are drawn. The
    men of side 0 on the place `bar` have the name `bar0`."""

    marks: dict[str, str]
    """Shapes of each kind of mark, around the point 0, 0."""

    men: list[str]
    """Shapes of a man of each side, around the point 0, 0."""


class GameState(BaseModel):
    """What changes in a game as the page shows it, at one of its nodes."""

    revision: int
    node: int
    at: int
    """Current node of the game; the page may show another one."""

    position: str
    labels: dict[str, str]
    """Description of each place: its name and its men."""

    entry: EntryView | None
    """How a person's move is entered; null if no person is to move."""

    prompt: str
    """What to do next, in one line."""

    told: str
    """The moves since a person's last move."""

    status: GameStatus
    mover: int
    outcome: OutcomeView | None
    seats: list[SeatView]
    delay: float
    thought: ExplanationView | None
    stakes: StakesView | None
    resignations: list[str]
    """What may be resigned, if there is a choice."""


class GameView(GameState):
    """A game as the page shows it, at one of its nodes."""

    id: str
    game: str
    title: str
    rules: str
    has_dice: bool
    board: BoardView
    svg: str
    moves: list[MoveView]


LineChange = tuple[int, int, list[str]]
"""The number of a line, how many lines are left out from there, and those in their place."""


class ChangeBase(BaseModel):
    """What differs from the view of the current node at an earlier revision.

    Fields of `GameState` that are the same are left out; of the labels, those of places with the
    same one.
    """

    since: int
    revision: int
    svg: list[LineChange]
    """Changed lines of the drawing, first to last, numbered as they were before."""

    moves: list[MoveView]
    """New and changed nodes."""


GameChange: type[ChangeBase] = create_model(
    "GameChange",
    __base__=ChangeBase,
    __doc__=ChangeBase.__doc__,
    **{  # type: ignore[call-overload]  # fields are not known to the type checker
        name: (Optional[field.annotation], None)  # noqa: UP045 - the annotation is a value here
        for name, field in GameState.model_fields.items()
        if name != "revision"
    },
)


class RecordView(BaseModel):
    """A game as text."""

    record: str
    suffixes: list[str] = []
    """Suffixes of the files that the game can be saved as."""


class ShareView(BaseModel):
    """Codes with which a game can be looked at, in `/embed/{code}` and `/picture/{code}.png`."""

    game: str
    position: str
    """That of the line to the node that is shown."""


class SharedFrameView(BaseModel):
    """A position of a shared game, and the move that led to it."""

    text: str
    svg: str
    is_roll: bool


class SharedGameView(BaseModel):
    """A game that is looked at, and not played here."""

    game: str
    title: str
    text: str
    """Who plays, and how it stands or ended."""

    record: str
    frames: list[SharedFrameView]


class PositionView(BaseModel):
    """A position as text and SVG."""

    position: str
    svg: str
    mover: int
    over: bool
    texts: dict[str, str]
    """The position by notation."""


class ImportView(BaseModel):
    """What a pasted text holds: a record or a position, for a new game."""

    game: str
    rules: str
    position: str = ""
    record: str = ""
    more: list[str] = []
    """Records of further games in the same text."""


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
