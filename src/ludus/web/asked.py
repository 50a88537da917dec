"""What requests look like; the OpenAPI description is made from this and from `answers`."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Short = Annotated[str, StringConstraints(max_length=1_000)]
Place = Annotated[str, StringConstraints(min_length=1, max_length=8)]
NodeNumber = Annotated[int, Field(ge=0, le=1_000_000)]
Touches = Annotated[list[Place], Field(max_length=8)]


class Asked(BaseModel):
    """The body of a request; what nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


class SeatAsked(Asked):
    """A person, or a player by name."""

    player: Name | None = None
    level: Annotated[int, Field(ge=1, le=1_000)] | None = None
    choices: Annotated[dict[Name, Name], Field(max_length=20)] = {}


class NewGame(Asked):
    """A game to begin: from its start, from a position, or with a record."""

    game: Name = "nine_mens_morris"
    rules: Short = ""
    position: Short = ""
    record: Annotated[str, StringConstraints(max_length=1_000_000)] = ""
    seats: Annotated[list[SeatAsked], Field(min_length=2, max_length=2)] = [
        SeatAsked(),
        SeatAsked(),
    ]
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    delay: Annotated[float, Field(ge=0, le=60)] = 0.0
    after: Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9_-]*$")] = ""
    """A game whose players go on with what they have learned."""


class Touch(Asked):
    """One more place touched, after those touched before, where the game stands."""

    node: NodeNumber
    touched: Touches = []
    place: Place


class MoveAsked(Asked):
    """A move in the notation of the game, where the game stands."""

    node: NodeNumber
    move: Short


class NodeAsked(Asked):
    """A node of the game."""

    node: NodeNumber


class Remark(Asked):
    """A comment on a move; nothing takes it away."""

    node: NodeNumber
    text: Annotated[str, StringConstraints(max_length=2_000)]


class SeatsAsked(Asked):
    """Who goes on with the game."""

    seats: Annotated[list[SeatAsked], Field(min_length=2, max_length=2)]


class PaceAsked(Asked):
    """Whether players go on by themselves, and how fast."""

    paused: bool
    delay: Annotated[float, Field(ge=0, le=60)] = 0.0


class PositionAsked(Asked):
    """A position to look at, in any notation of the game."""

    game: Name
    rules: Short = ""
    position: Short = ""


class ManView(Asked):
    """Men of one side on a place."""

    side: Annotated[int, Field(ge=0, le=1)]
    count: Annotated[int, Field(ge=1, le=15)] = 1


class ArrangementAsked(Asked):
    """A position to put together: from a text to begin with, or from men on places."""

    game: Name
    rules: Short = ""
    position: Short = ""
    men: Annotated[dict[Place, ManView], Field(max_length=200)] | None = None
    mover: Annotated[int, Field(ge=0, le=1)] = 0
    hands: Annotated[
        list[Annotated[int, Field(ge=0, le=15)]], Field(min_length=2, max_length=2)
    ] = [0, 0]
    dice: (
        Annotated[list[Annotated[int, Field(ge=1, le=6)]], Field(min_length=2, max_length=2)] | None
    ) = None
