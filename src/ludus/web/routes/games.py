"""HTTP and WebSocket routes of one game."""

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from fastapi import (
    APIRouter,
    Depends,
    Path,
    Query,
    Request,
    Response,
    WebSocket,
    WebSocketDisconnect,
)

from ludus.core.errors import LudusError
from ludus.web.analysis import fetch_advice, fetch_review, fetch_verdict
from ludus.web.drawing import draw_pictures
from ludus.web.errors import GameNotFound, OutOfTurn
from ludus.web.game_registry import GameRegistry, GameSetup
from ludus.web.schemas import (
    AdviceView,
    CommentRequest,
    ErrorView,
    GameView,
    MoveRequest,
    NewGameRequest,
    NodeRequest,
    PaceRequest,
    PictureView,
    PlaceName,
    RecordView,
    ReviewView,
    SeatRequest,
    SeatsRequest,
    TouchRequest,
    VerdictView,
)
from ludus.web.seats import Seat
from ludus.web.session import Session, Watcher, make_record
from ludus.web.settings import Settings
from ludus.web.views import get_status, make_view

TRY_AGAIN_LATER = 1013
"""WebSocket close code for a server at its connection limit."""

MAX_CLIENT_MESSAGES = 100
"""Messages accepted per connection; clients only send keep-alives."""


class WatcherHub:
    """WebSocket connections of all games; each client gets the newest view, never a backlog."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._count = 0

    async def watch(self, socket: WebSocket, table: Session) -> None:
        """Send every change of a game until the client disconnects."""
        is_full = (
            self._count >= self._settings.max_watchers
            or len(table.watchers) >= self._settings.max_watchers_of_one
        )
        await socket.accept()
        if is_full:
            await socket.close(TRY_AGAIN_LATER, "too many connections; try again later")
            return
        self._count += 1
        watcher = table.attach()
        tasks = {
            asyncio.create_task(self._tell(socket, table, watcher)),
            asyncio.create_task(_wait_for_disconnect(socket)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            table.detach(watcher)
            self._count -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    async def _tell(self, socket: WebSocket, table: Session, watcher: Watcher) -> None:
        watcher.news.set()
        while True:
            await watcher.news.wait()
            watcher.news.clear()
            text = make_view(table).model_dump_json()
            # A client that does not read occupies one message, and only until the timeout.
            async with asyncio.timeout(self._settings.seconds_to_send):
                await socket.send_text(text)


async def _wait_for_disconnect(socket: WebSocket) -> None:
    """Discard messages until the client disconnects."""
    with suppress(WebSocketDisconnect, KeyError):
        for _ in range(MAX_CLIENT_MESSAGES):
            await socket.receive_text()


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorView, "description": "The request cannot be read"},
    403: {"model": ErrorView, "description": "The page of another site asks"},
    404: {"model": ErrorView, "description": "There is no such game or move"},
    409: {"model": ErrorView, "description": "The game does not stand there"},
    413: {"model": ErrorView, "description": "The request is too large"},
    421: {"model": ErrorView, "description": "The server has another name"},
    422: {"model": ErrorView, "description": "Something about the request is wrong"},
    429: {"model": ErrorView, "description": "A bound is reached"},
    503: {"model": ErrorView, "description": "No player or oracle answered"},
}

router = APIRouter(prefix="/api", responses=ERROR_RESPONSES, tags=["games"])

GameId = Annotated[str, Path(min_length=16, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
NodeQuery = Annotated[int | None, Query(ge=0, le=1_000_000)]
OverlayQuery = Annotated[str, Query(max_length=20, pattern=r"^(|verdicts|hint)$")]


async def _find_session(request: Request, id: GameId) -> Session:  # noqa: A002 - as in the path
    hall: GameRegistry = request.app.state.hall
    return await hall.table(id)


SessionParam = Annotated[Session, Depends(_find_session)]


def _view_response(table: Session, *which: Any, status: int = 200) -> Response:
    """Return a view as JSON; skips FastAPI's redundant validation of the response."""
    text = make_view(table, *which).model_dump_json()
    return Response(text, status, media_type="application/json")


def _parse_seats(asked: list[SeatRequest]) -> tuple[Seat, Seat]:
    first, second = (
        Seat(each.player, each.level, tuple(sorted(each.choices.items()))) for each in asked
    )
    return first, second


@router.post("/games", status_code=201, response_model=GameView)
async def create_game(request: Request, asked: NewGameRequest) -> Response:
    """Create a game."""
    hall: GameRegistry = request.app.state.hall
    order = GameSetup(
        asked.game,
        asked.rules,
        asked.position,
        asked.record,
        _parse_seats(asked.seats),
        asked.seed,
        asked.delay,
        asked.after,
    )
    return _view_response(await hall.open(order), status=201)


@router.get("/games/{id}", response_model=GameView)
async def get_game(
    table: SessionParam,
    node: NodeQuery = None,
    touched: Annotated[list[PlaceName], Query(max_length=8)] = [],  # noqa: B006 - never changed
    overlay: OverlayQuery = "",
) -> Response:
    """Return a game at a node (by default the current one), with a partial move and an overlay."""
    number = table.tree.at if node is None else table.node(node).number
    entry = None
    if touched:
        entry = table.board.enter(_position_to_touch(table, number), tuple(touched))
    return _view_response(table, number, entry, overlay)


def _position_to_touch(table: Session, number: int) -> Any:
    """Return the position of a node where a person is to move."""
    if get_status(table, table.node(number)) != "yours":
        raise OutOfTurn("nothing can be touched here now")
    return table.node(number).position


@router.post("/games/{id}/touch", response_model=GameView)
async def touch_place(
    table: SessionParam, asked: TouchRequest, overlay: OverlayQuery = ""
) -> Response:
    """Touch a place; the move is played once it is complete."""
    if asked.node != table.tree.at:
        raise OutOfTurn("the game has gone on since; look at it again")
    entry = table.board.touch(
        _position_to_touch(table, asked.node), tuple(asked.touched), asked.place
    )
    if entry.move is None:
        return _view_response(table, asked.node, entry, overlay)
    await table.play(asked.node, lambda position: entry.move)
    return _view_response(table)


@router.post("/games/{id}/moves", response_model=GameView)
async def make_move(table: SessionParam, asked: MoveRequest) -> Response:
    """Play a move in the notation of the game."""
    await table.play(asked.node, lambda position: table.game.parse_move(asked.move, position))
    return _view_response(table)


@router.post("/games/{id}/back", response_model=GameView)
async def take_back(table: SessionParam) -> Response:
    """Go back to the last node where a person had a choice."""
    await table.back()
    return _view_response(table)


@router.post("/games/{id}/at", response_model=GameView)
async def go_to_node(table: SessionParam, asked: NodeRequest) -> Response:
    """Make a node current: undo, redo, or start a variation."""
    await table.go(asked.node)
    return _view_response(table)


@router.post("/games/{id}/seats", response_model=GameView)
async def change_seats(request: Request, table: SessionParam, asked: SeatsRequest) -> Response:
    """Change who plays the sides."""
    hall: GameRegistry = request.app.state.hall
    await table.seat(await hall.checked(_parse_seats(asked.seats), *table.names))
    return _view_response(table)


@router.post("/games/{id}/pace", response_model=GameView)
async def set_pace(table: SessionParam, asked: PaceRequest) -> Response:
    """Pause or resume players and set the delay between their moves."""
    await table.set_pace(asked.paused, asked.delay)
    return _view_response(table)


@router.post("/games/{id}/hurry", response_model=GameView)
async def hurry_player(table: SessionParam) -> Response:
    """Request an immediate move from the player that is thinking."""
    table.hurry()
    return _view_response(table)


@router.post("/games/{id}/remarks", response_model=GameView)
async def set_comment(table: SessionParam, asked: CommentRequest) -> Response:
    """Set the comment of a move."""
    await table.remark(asked.node, asked.text)
    return _view_response(table, asked.node)


@router.get("/games/{id}/verdict")
async def get_verdict(table: SessionParam, node: NodeQuery = None) -> VerdictView:
    """Return the exact value of a node and of each move there."""
    return await fetch_verdict(table, table.tree.at if node is None else node)


@router.get("/games/{id}/advice")
async def get_advice(request: Request, table: SessionParam, node: NodeQuery = None) -> AdviceView:
    """Return moves to consider, by exact values with their costs, or by a player."""
    state = request.app.state
    return await fetch_advice(
        table, table.tree.at if node is None else node, state.hall, state.thinkers
    )


@router.get("/games/{id}/pictures")
async def get_pictures(table: SessionParam, node: NodeQuery = None) -> list[PictureView]:
    """Return the pictures of the player that moved last, of the board before its move."""
    return draw_pictures(table, table.tree.at if node is None else node)


@router.get("/games/{id}/review")
async def get_review(request: Request, table: SessionParam) -> ReviewView:
    """Return the exact values along the game, and the value lost by each move."""
    return await fetch_review(table, request.app.state.thinkers)


@router.get("/games/{id}/record")
async def get_record(table: SessionParam) -> RecordView:
    """Return the game as text, with its variations and comments."""
    return RecordView(record=f"{make_record(table)}\n")


@router.websocket("/games/{id}/live")
async def watch_game(socket: WebSocket, id: str) -> None:  # noqa: A002 - named as in the path
    """Send a view over the WebSocket whenever the game changes."""
    state = socket.app.state
    try:
        if len(id) > 40:
            raise GameNotFound("there is no such game")
        table = await state.hall.table(id)
    except LudusError as error:
        await socket.accept()
        await socket.close(4404, str(error)[:100])
        return
    await state.gallery.watch(socket, table)
