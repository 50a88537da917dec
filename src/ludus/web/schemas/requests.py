"""Bodies of requests; unknown fields are refused."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
ShortText = Annotated[str, StringConstraints(max_length=1_000)]
PlaceName = Annotated[str, StringConstraints(min_length=1, max_length=20)]
NodeNumber = Annotated[int, Field(ge=0, le=1_000_000)]


class RequestBody(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class SeatRequest(RequestBody):
    """A person, or a player by name."""

    player: Annotated[str, StringConstraints(min_length=1, max_length=1_000)] | None = None
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


class SolveRequest(RequestBody):
    """Start or stop solving a game completely."""

    game: Name
    rules: ShortText = ""
    action: Literal["start", "stop"]
