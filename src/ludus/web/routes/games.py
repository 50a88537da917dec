"""HTTP and WebSocket routes of one game."""

import asyncio
from collections import Counter
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
from ludus.games.game_files import format_games
from ludus.web.analysis import (
    check_resignation,
    describe_advice,
    describe_evaluation,
    describe_review,
)
from ludus.web.drawing import draw_pictures
from ludus.web.errors import GameNotFound, RequestRefused
from ludus.web.job_queue import current_client
from ludus.web.schemas.analysis import AdviceView, EvaluationView, ReviewView
from ludus.web.schemas.games import (
    EntryView,
    ErrorView,
    GameChange,
    GameView,
    PictureView,
    RecordView,
    ShareView,
)
from ludus.web.schemas.requests import (
    CommentRequest,
    MoveRequest,
    NewGameRequest,
    NodeRequest,
    PaceRequest,
    PlaceName,
    ResignRequest,
    SeatsRequest,
)
from ludus.web.session import Session
from ludus.web.settings import Settings
from ludus.web.sharing import share_game

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
        self._clients: dict[asyncio.Task[None], str] = {}
        """The client of each connection by the task that sends, the oldest first."""

    async def watch(self, socket: WebSocket, session: Session, since: int | None) -> None:
        """Send every change of a game, the first one since a revision, until it disconnects."""
        await socket.accept()
        client = current_client.get()
        is_full = len(session.watchers) >= self._settings.max_watchers_per_game
        if is_full or not self._make_room(client):
            await socket.close(TRY_AGAIN_LATER, "too many connections; try again later")
            return
        watcher = session.add_watcher()
        sending = asyncio.create_task(self._send_views(socket, session, watcher, since))
        self._clients[sending] = client
        tasks = {sending, asyncio.create_task(_wait_for_disconnect(socket))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            session.watchers.discard(watcher)
            self._clients.pop(sending, None)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    def _make_room(self, client: str) -> bool:
        """Return whether a client may connect; of too many, the client with the most loses one."""
        if len(self._clients) < self._settings.max_watchers:
            return True
        counts = Counter(self._clients.values())
        greediest, most = counts.most_common(1)[0]
        if counts[client] >= most:
            return False
        oldest = next(task for task, owner in self._clients.items() if owner == greediest)
        del self._clients[oldest]
        oldest.cancel()
        return True

    async def _send_views(
        self, socket: WebSocket, session: Session, watcher: asyncio.Event, since: int | None
    ) -> None:
        watcher.set()
        while True:
            await watcher.wait()
            watcher.clear()
            text = await session.format_view(since=since)
            since = session.record.revision
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
SinceQuery = Annotated[int | None, Query(ge=0, le=2**53)]
"""The revision of the view of the current node that the client has."""

TouchedQuery = Annotated[list[PlaceName], Query(max_length=8)]


async def _find_session(request: Request, id: GameId) -> Session:  # noqa: A002 - as in the path
    registry: GameRegistry = request.app.state.registry
    return await registry.find(id)


SessionParam = Annotated[Session, Depends(_find_session)]


ViewResponse = GameView | GameChange


class _Reply:
    """Answers with the view of a game or, to a client that has an earlier one, what changed."""

    def __init__(self, session: SessionParam, since: SinceQuery = None) -> None:
        self.session, self.since = session, since

    async def show(self, number: int | None = None, status: int = 200) -> Response:
        """Return a view as JSON; skips FastAPI's redundant validation of the response."""
        text = await self.session.format_view(number, self.since)
        return Response(text, status, media_type="application/json")


ReplyParam = Annotated[_Reply, Depends()]


@router.post("/games", status_code=201, response_model=GameView)
async def create_game(request: Request, body: NewGameRequest) -> Response:
    """Create a game."""
    registry: GameRegistry = request.app.state.registry
    return await _Reply(await registry.create(body)).show(status=201)


@router.get("/games/{id}", response_model=ViewResponse)
async def get_game(reply: ReplyParam, node: NodeQuery = None) -> Response:
    """Return a game at a node, by default the current one."""
    return await reply.show(node)


@router.get("/games/{id}/entry")
async def get_entry(
    session: SessionParam,
    node: NodeQuery = None,
    touched: TouchedQuery = [],  # noqa: B006 - never changed
) -> EntryView:
    """Return the ways to complete a move after these touches at a node."""
    return session.views.list_entry(_number(session, node), tuple(touched))


def _number(session: Session, node: int | None) -> int:
    return session.record.tree.current_number if node is None else node


@router.post("/games/{id}/moves", response_model=ViewResponse)
async def make_move(reply: ReplyParam, body: MoveRequest) -> Response:
    """Play a move in the notation of the game."""
    await reply.session.record.play(body.node, body.move)
    return await reply.show()


@router.post("/games/{id}/back", response_model=ViewResponse)
async def take_back(reply: ReplyParam) -> Response:
    """Go back to the last node where a person had a choice."""
    await reply.session.record.take_back()
    return await reply.show()


@router.post("/games/{id}/at", response_model=ViewResponse)
async def go_to_node(reply: ReplyParam, body: NodeRequest) -> Response:
    """Make a node current: undo, redo, or start a variation."""
    await reply.session.record.go_to(body.node)
    return await reply.show()


@router.post("/games/{id}/seats", response_model=ViewResponse)
async def change_seats(request: Request, reply: ReplyParam, body: SeatsRequest) -> Response:
    """Change who plays the sides."""
    registry: GameRegistry = request.app.state.registry
    record = reply.session.record
    await record.change_seats(await registry.make_seats(body.seats, *record.game_spec))
    return await reply.show()


@router.post("/games/{id}/pace", response_model=ViewResponse)
async def set_pace(reply: ReplyParam, body: PaceRequest) -> Response:
    """Pause or resume players and set the delay between their moves."""
    await reply.session.record.set_pace(body.paused, body.delay)
    return await reply.show()


@router.post("/games/{id}/resign", response_model=ViewResponse)
async def resign_game(reply: ReplyParam, body: ResignRequest | None = None) -> Response:
    """Give up the game for the person who plays it; a player may refuse to win too little."""
    level = 1 if body is None else body.level
    session = reply.session
    await check_resignation(session.analyses, session.record, level)
    await session.record.resign(level)
    return await reply.show()


@router.post("/games/{id}/hurry", response_model=ViewResponse)
async def hurry_player(reply: ReplyParam) -> Response:
    """Request an immediate move from the player that is thinking."""
    reply.session.replies.hurry()
    return await reply.show()


@router.post("/games/{id}/remarks", response_model=ViewResponse)
async def set_comment(reply: ReplyParam, body: CommentRequest) -> Response:
    """Set the comment of a move."""
    await reply.session.record.set_comment(body.node, body.text)
    return await reply.show(body.node)


@router.get("/games/{id}/advice")
async def get_advice(
    session: SessionParam,
    node: NodeQuery = None,
    touched: TouchedQuery = [],  # noqa: B006 - never changed
) -> AdviceView:
    """Return moves to consider, by exact values or by the best analyst, with their costs."""
    number = _number(session, node)
    return await describe_advice(session.analyses, session.record, number, tuple(touched))


@router.get("/games/{id}/evaluation")
async def get_evaluation(session: SessionParam, node: NodeQuery = None) -> EvaluationView:
    """Return the evaluation of a node: exact, likely or an estimate, with all its moves."""
    return await describe_evaluation(session.analyses, session.record, _number(session, node))


@router.get("/games/{id}/pictures")
async def get_pictures(session: SessionParam, node: NodeQuery = None) -> list[PictureView]:
    """Return the pictures of the player that moved last, of the board before its move."""
    return draw_pictures(session.record, _number(session, node))


@router.get("/games/{id}/review")
async def get_review(session: SessionParam) -> ReviewView:
    """Return evaluations along the game, and a verdict on each move."""
    return await describe_review(session.analyses, session.record)


SuffixQuery = Annotated[str, Query(max_length=10)]


@router.get("/games/{id}/record")
async def get_record(session: SessionParam, suffix: SuffixQuery = ".txt") -> RecordView:
    """Return the game as text: a record with variations and comments, or .mat or .sgf."""
    game = session.record.game
    if suffix not in game.record_suffixes:
        raise RequestRefused(f"a game of {game.id} cannot be saved as {quote(suffix)}")
    text = format_games([session.record.to_record()], suffix)
    return RecordView(record=text, suffixes=list(game.record_suffixes))


@router.get("/games/{id}/share")
async def share(session: SessionParam, node: NodeQuery = None) -> ShareView:
    """Return codes with which others can look at the game, and at the position of a node."""
    record = session.record
    number = _number(session, node)
    record.node(number)
    return ShareView(game=share_game(record), position=share_game(record, number))


@router.websocket("/games/{id}/live")
async def watch_game(
    socket: WebSocket,
    id: str,  # noqa: A002 - named as in the path
    since: SinceQuery = None,
) -> None:
    """Send over the WebSocket what changes in the game, the first time since a revision."""
    state = socket.app.state
    try:
        if len(id) > 40:
            raise GameNotFound("there is no such game")
        session = await state.registry.find(id)
    except LudusError as error:
        await socket.accept()
        await socket.close(4404, str(error)[:100])
        return
    await state.watchers.watch(socket, session, since)
