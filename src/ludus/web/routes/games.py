"""HTTP and WebSocket routes of one game."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

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

from ludus.core.errors import LudusError, quote
from ludus.core.game import Position
from ludus.protocol.backgammon_files import format_games
from ludus.web.analysis import (
    check_resignation,
    fetch_advice,
    fetch_evaluation,
    fetch_review,
    fetch_verdict,
)
from ludus.web.drawing import draw_pictures
from ludus.web.errors import GameNotFound, OutOfTurn, RequestRefused
from ludus.web.schemas.analysis import AdviceView, EvaluationView, ReviewView, VerdictView
from ludus.web.schemas.games import ErrorView, GameView, PictureView, RecordView
from ludus.web.schemas.requests import (
    CommentRequest,
    MoveRequest,
    NewGameRequest,
    NodeRequest,
    PaceRequest,
    PlaceName,
    ResignRequest,
    SeatsRequest,
    TouchRequest,
)
from ludus.web.session import Session, make_record
from ludus.web.settings import Settings
from ludus.web.views import get_status, make_view

if TYPE_CHECKING:
    from ludus.web.game_registry import GameRegistry

TRY_AGAIN_LATER = 1013
"""WebSocket close code for a server at its connection limit."""

MAX_CLIENT_MESSAGES = 100
"""Messages accepted per connection; clients only send keep-alives."""


class WatcherHub:
    """WebSocket connections of all games; each client gets the newest view, never a backlog."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._count = 0

    async def watch(self, socket: WebSocket, session: Session) -> None:
        """Send every change of a game until the client disconnects."""
        is_full = (
            self._count >= self._settings.max_watchers
            or len(session.watchers) >= self._settings.max_watchers_per_game
        )
        await socket.accept()
        if is_full:
            await socket.close(TRY_AGAIN_LATER, "too many connections; try again later")
            return
        self._count += 1
        watcher = session.add_watcher()
        tasks = {
            asyncio.create_task(self._send_views(socket, session, watcher)),
            asyncio.create_task(_wait_for_disconnect(socket)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            session.watchers.discard(watcher)
            self._count -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    async def _send_views(
        self, socket: WebSocket, session: Session, watcher: asyncio.Event
    ) -> None:
        watcher.set()
        while True:
            await watcher.wait()
            watcher.clear()
            text = make_view(session).model_dump_json()
            # A client that does not read occupies one message, and only until the timeout.
            async with asyncio.timeout(self._settings.send_timeout):
                await socket.send_text(text)


async def _wait_for_disconnect(socket: WebSocket) -> None:
    """Discard messages until the client disconnects."""
    with suppress(WebSocketDisconnect, KeyError):
        for _ in range(MAX_CLIENT_MESSAGES):
            await socket.receive_text()


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorView, "description": "The request cannot be read"},
    403: {"model": ErrorView, "description": "The request comes from a page of another site"},
    404: {"model": ErrorView, "description": "There is no such game or move"},
    409: {"model": ErrorView, "description": "The game is not at that move"},
    413: {"model": ErrorView, "description": "The request is too large"},
    421: {"model": ErrorView, "description": "The server has another name"},
    422: {"model": ErrorView, "description": "Something about the request is wrong"},
    429: {"model": ErrorView, "description": "A limit is reached"},
    503: {"model": ErrorView, "description": "No player or oracle responded"},
}

router = APIRouter(prefix="/api", responses=ERROR_RESPONSES, tags=["games"])

GameId = Annotated[str, Path(min_length=16, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
NodeQuery = Annotated[int | None, Query(ge=0, le=1_000_000)]
OverlayQuery = Annotated[str, Query(max_length=20, pattern=r"^(|verdicts|hint)$")]


async def _find_session(request: Request, id: GameId) -> Session:  # noqa: A002 - as in the path
    registry: GameRegistry = request.app.state.registry
    return await registry.find(id)


SessionParam = Annotated[Session, Depends(_find_session)]


def _view_response(session: Session, *which: Any, status: int = 200) -> Response:
    """Return a view as JSON; skips FastAPI's redundant validation of the response."""
    text = make_view(session, *which).model_dump_json()
    return Response(text, status, media_type="application/json")


@router.post("/games", status_code=201, response_model=GameView)
async def create_game(request: Request, body: NewGameRequest) -> Response:
    """Create a game."""
    registry: GameRegistry = request.app.state.registry
    return _view_response(await registry.create(body), status=201)


@router.get("/games/{id}", response_model=GameView)
async def get_game(
    session: SessionParam,
    node: NodeQuery = None,
    touched: Annotated[list[PlaceName], Query(max_length=8)] = [],  # noqa: B006 - never changed
    overlay: OverlayQuery = "",
) -> Response:
    """Return a game at a node (by default the current one), with a partial move and an overlay."""
    number = session.tree.current_number if node is None else session.node(node).number
    entry = None
    if touched:
        entry = session.move_entry.enter(_position_to_touch(session, number), tuple(touched))
    return _view_response(session, number, entry, overlay)


def _position_to_touch(session: Session, number: int) -> Position:
    """Return the position of a node where a person is to move."""
    if get_status(session, session.node(number)) != "yours":
        raise OutOfTurn("no move can be made here now")
    return session.node(number).position


@router.post("/games/{id}/touch", response_model=GameView)
async def touch_place(
    session: SessionParam, body: TouchRequest, overlay: OverlayQuery = ""
) -> Response:
    """Touch a place; the move is played once it is complete."""
    if body.node != session.tree.current_number:
        raise OutOfTurn("the game has changed since; reload it")
    entry = session.move_entry.touch(
        _position_to_touch(session, body.node), tuple(body.touched), body.place
    )
    # A single touch is an action about the cube, which has nothing to undo.
    if entry.move is None or (body.hold and len(entry.touched) > 1):
        return _view_response(session, body.node, entry, overlay)
    await session.play(body.node, lambda position: entry.move)
    return _view_response(session)


@router.post("/games/{id}/moves", response_model=GameView)
async def make_move(session: SessionParam, body: MoveRequest) -> Response:
    """Play a move in the notation of the game."""
    await session.play(body.node, lambda position: session.game.parse_move(body.move, position))
    return _view_response(session)


@router.post("/games/{id}/back", response_model=GameView)
async def take_back(session: SessionParam) -> Response:
    """Go back to the last node where a person had a choice."""
    await session.take_back()
    return _view_response(session)


@router.post("/games/{id}/at", response_model=GameView)
async def go_to_node(session: SessionParam, body: NodeRequest) -> Response:
    """Make a node current: undo, redo, or start a variation."""
    await session.go_to(body.node)
    return _view_response(session)


@router.post("/games/{id}/seats", response_model=GameView)
async def change_seats(request: Request, session: SessionParam, body: SeatsRequest) -> Response:
    """Change who plays the sides."""
    registry: GameRegistry = request.app.state.registry
    await session.change_seats(await registry.make_seats(body.seats, *session.game_spec))
    return _view_response(session)


@router.post("/games/{id}/pace", response_model=GameView)
async def set_pace(session: SessionParam, body: PaceRequest) -> Response:
    """Pause or resume players and set the delay between their moves."""
    await session.set_pace(body.paused, body.delay)
    return _view_response(session)


@router.post("/games/{id}/resign", response_model=GameView)
async def resign_game(
    request: Request, session: SessionParam, body: ResignRequest | None = None
) -> Response:
    """Give up the game for the person who plays it; a player may refuse to win too little."""
    level = 1 if body is None else body.level
    await check_resignation(session, level, request.app.state.workers)
    await session.resign(level)
    return _view_response(session)


@router.post("/games/{id}/hurry", response_model=GameView)
async def hurry_player(session: SessionParam) -> Response:
    """Request an immediate move from the player that is thinking."""
    session.request_move_now()
    return _view_response(session)


@router.post("/games/{id}/remarks", response_model=GameView)
async def set_comment(session: SessionParam, body: CommentRequest) -> Response:
    """Set the comment of a move."""
    await session.set_comment(body.node, body.text)
    return _view_response(session, body.node)


@router.get("/games/{id}/verdict")
async def get_verdict(session: SessionParam, node: NodeQuery = None) -> VerdictView:
    """Return the exact value of a node and of each move there."""
    return await fetch_verdict(session, session.tree.current_number if node is None else node)


@router.get("/games/{id}/advice")
async def get_advice(request: Request, session: SessionParam, node: NodeQuery = None) -> AdviceView:
    """Return moves to consider, by exact values or by the best analyst, with their costs."""
    number = session.tree.current_number if node is None else node
    return await fetch_advice(session, number, request.app.state.workers)


@router.get("/games/{id}/evaluation")
async def get_evaluation(
    request: Request, session: SessionParam, node: NodeQuery = None
) -> EvaluationView:
    """Return the evaluation of a node: exact, likely or an estimate, with all its moves."""
    number = session.tree.current_number if node is None else node
    return await fetch_evaluation(session, number, request.app.state.workers)


@router.get("/games/{id}/pictures")
async def get_pictures(session: SessionParam, node: NodeQuery = None) -> list[PictureView]:
    """Return the pictures of the player that moved last, of the board before its move."""
    return draw_pictures(session, session.tree.current_number if node is None else node)


@router.get("/games/{id}/review")
async def get_review(request: Request, session: SessionParam) -> ReviewView:
    """Return evaluations along the game, and a verdict on each move."""
    return await fetch_review(session, request.app.state.workers)


SuffixQuery = Annotated[str, Query(max_length=10)]


@router.get("/games/{id}/record")
async def get_record(session: SessionParam, suffix: SuffixQuery = ".txt") -> RecordView:
    """Return the game as text: a record with variations and comments, or .mat or .sgf."""
    suffixes = session.game.record_suffixes
    if suffix not in suffixes:
        raise RequestRefused(f"a game of {session.game.id} cannot be saved as {quote(suffix)}")
    record = make_record(session)
    return RecordView(record=format_games([record], suffix), suffixes=list(suffixes))


@router.websocket("/games/{id}/live")
async def watch_game(socket: WebSocket, id: str) -> None:  # noqa: A002 - named as in the path
    """Send a view over the WebSocket whenever the game changes."""
    state = socket.app.state
    try:
        if len(id) > 40:
            raise GameNotFound("there is no such game")
        session = await state.registry.find(id)
    except LudusError as error:
        await socket.accept()
        await socket.close(4404, str(error)[:100])
        return
    await state.watchers.watch(socket, session)
