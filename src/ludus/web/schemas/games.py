"""Views of games, positions and records."""

from typing import Literal

from pydantic import BaseModel

from ludus.analysis.evaluation import Mark
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


class RecordView(BaseModel):
    """A game as text."""

    record: str
    suffixes: list[str] = []
    """Suffixes of the files that the game can be saved as."""


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
