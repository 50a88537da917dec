"""What can be asked about one game, and done with it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response, WebSocket

from ludus.core.errors import LudusError
from ludus.web.advice import advice_on
from ludus.web.answers import Advice, PictureView, Problem, RecordText, Review, Verdict, View
from ludus.web.asked import (
    MoveAsked,
    NewGame,
    NodeAsked,
    PaceAsked,
    Place,
    Remark,
    SeatAsked,
    SeatsAsked,
    Touch,
)
from ludus.web.errors import NoSuchGame, OutOfTurn
from ludus.web.hall import Hall, Order
from ludus.web.records import record_of
from ludus.web.review import review_of
from ludus.web.seats import Seat
from ludus.web.seen import pictures_at
from ludus.web.table import Table
from ludus.web.verdicts import verdict_on
from ludus.web.views import status_of, view_of

REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read"},
    403: {"model": Problem, "description": "The page of another site asks"},
    404: {"model": Problem, "description": "There is no such game or move"},
    409: {"model": Problem, "description": "The game does not stand there"},
    413: {"model": Problem, "description": "The request is too large"},
    421: {"model": Problem, "description": "The server has another name"},
    422: {"model": Problem, "description": "Something about the request is wrong"},
    429: {"model": Problem, "description": "A bound is reached"},
    503: {"model": Problem, "description": "No player or oracle answered"},
}

router = APIRouter(prefix="/api", responses=REFUSALS, tags=["games"])

Id = Annotated[str, Path(min_length=16, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
NodeQuery = Annotated[int | None, Query(ge=0, le=1_000_000)]
Overlay = Annotated[str, Query(max_length=20, pattern=r"^(|verdicts|hint)$")]


async def _table(request: Request, id: Id) -> Table:  # noqa: A002 - named as in the path
    hall: Hall = request.app.state.hall
    return await hall.table(id)


ATable = Annotated[Table, Depends(_table)]


def _sent(table: Table, *which: Any, status: int = 200) -> Response:
    """A view as it is; it is ours, and need not be checked against its own description again."""
    text = view_of(table, *which).model_dump_json()
    return Response(text, status, media_type="application/json")


def _seats(asked: list[SeatAsked]) -> tuple[Seat, Seat]:
    first, second = (
        Seat(each.player, each.level, tuple(sorted(each.choices.items()))) for each in asked
    )
    return first, second


@router.post("/games", status_code=201, response_model=View)
async def begin(request: Request, asked: NewGame) -> Response:
    """Begin a game."""
    hall: Hall = request.app.state.hall
    order = Order(
        asked.game,
        asked.rules,
        asked.position,
        asked.record,
        _seats(asked.seats),
        asked.seed,
        asked.delay,
        asked.after,
    )
    return _sent(await hall.open(order), status=201)


@router.get("/games/{id}", response_model=View)
async def look(
    table: ATable,
    node: NodeQuery = None,
    touched: Annotated[list[Place], Query(max_length=8)] = [],  # noqa: B006 - never changed
    overlay: Overlay = "",
) -> Response:
    """A game where it stands, or at a node; with a move begun, and something laid over it."""
    number = table.tree.at if node is None else table.node(node).number
    entry = None
    if touched:
        entry = table.board.enter(_turn(table, number), tuple(touched))
    return _sent(table, number, entry, overlay)


def _turn(table: Table, number: int) -> Any:
    """The position of a node where a person may touch the board."""
    if status_of(table, table.node(number)) != "yours":
        raise OutOfTurn("nothing can be touched here now")
    return table.node(number).position


@router.post("/games/{id}/touch", response_model=View)
async def touch(table: ATable, asked: Touch, overlay: Overlay = "") -> Response:
    """Touch a place; the move is made when nothing is left to say."""
    if asked.node != table.tree.at:
        raise OutOfTurn("the game has gone on since; look at it again")
    entry = table.board.touch(_turn(table, asked.node), tuple(asked.touched), asked.place)
    if entry.move is None:
        return _sent(table, asked.node, entry, overlay)
    await table.play(asked.node, lambda position: entry.move)
    return _sent(table)


@router.post("/games/{id}/moves", response_model=View)
async def move(table: ATable, asked: MoveAsked) -> Response:
    """Make a move in the notation of the game."""
    await table.play(asked.node, lambda position: table.game.parse_move(asked.move, position))
    return _sent(table)


@router.post("/games/{id}/back", response_model=View)
async def back(table: ATable) -> Response:
    """Take back, to where a person last had a choice."""
    await table.back()
    return _sent(table)


@router.post("/games/{id}/at", response_model=View)
async def stand(table: ATable, asked: NodeAsked) -> Response:
    """Let the game stand at a node: to try again from there, to undo and to redo."""
    await table.go(asked.node)
    return _sent(table)


@router.post("/games/{id}/seats", response_model=View)
async def seat(request: Request, table: ATable, asked: SeatsAsked) -> Response:
    """Let others go on with the game."""
    hall: Hall = request.app.state.hall
    await table.seat(await hall.checked(_seats(asked.seats), *table.names))
    return _sent(table)


@router.post("/games/{id}/pace", response_model=View)
async def pace(table: ATable, asked: PaceAsked) -> Response:
    """Let players pause or go on, slowly or fast."""
    await table.set_pace(asked.paused, asked.delay)
    return _sent(table)


@router.post("/games/{id}/hurry", response_model=View)
async def hurry(table: ATable) -> Response:
    """Ask the player who is thinking for its move now."""
    table.hurry()
    return _sent(table)


@router.post("/games/{id}/remarks", response_model=View)
async def remark(table: ATable, asked: Remark) -> Response:
    """Say something about a move."""
    await table.remark(asked.node, asked.text)
    return _sent(table, asked.node)


@router.get("/games/{id}/verdict")
async def verdict(table: ATable, node: NodeQuery = None) -> Verdict:
    """What perfect play makes of a node and of every move there."""
    return await verdict_on(table, table.tree.at if node is None else node)


@router.get("/games/{id}/advice")
async def advice(request: Request, table: ATable, node: NodeQuery = None) -> Advice:
    """Moves to consider: by exact values with what each costs, or by a player."""
    state = request.app.state
    return await advice_on(
        table, table.tree.at if node is None else node, state.hall, state.thinkers
    )


@router.get("/games/{id}/pictures")
async def pictures(table: ATable, node: NodeQuery = None) -> list[PictureView]:
    """How the player who moved last saw the board before its move."""
    return pictures_at(table, table.tree.at if node is None else node)


@router.get("/games/{id}/review")
async def review(request: Request, table: ATable) -> Review:
    """The values along the game, and what each move gave away."""
    return await review_of(table, request.app.state.thinkers)


@router.get("/games/{id}/record")
async def record(table: ATable) -> RecordText:
    """The game as text, with its variations and comments."""
    return RecordText(record=f"{record_of(table)}\n")


@router.websocket("/games/{id}/live")
async def live(socket: WebSocket, id: str) -> None:  # noqa: A002 - named as in the path
    """Every change of a game as it happens: a view whenever there is something new."""
    state = socket.app.state
    try:
        if len(id) > 40:
            raise NoSuchGame("there is no such game")
        table = await state.hall.table(id)
    except LudusError as error:
        await socket.accept()
        await socket.close(4404, str(error)[:100])
        return
    await state.gallery.watch(socket, table)
