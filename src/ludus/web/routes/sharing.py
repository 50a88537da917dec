"""Routes of shared games: a page that may be embedded, pictures, and their link previews."""

import base64
from contextlib import suppress
from typing import Annotated, Literal

from cachetools import LRUCache
from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse

from ludus.core.errors import LudusError
from ludus.web.routes.games import ERROR_RESPONSES
from ludus.web.schemas.games import SharedGameView
from ludus.web.sharing import MAX_CODE, make_link_preview, share_game
from ludus.web.static_files import REVALIDATE_HEADERS, read_document

router = APIRouter(responses=ERROR_RESPONSES, tags=["games"])

Code = Annotated[str, Path(min_length=8, max_length=MAX_CODE, pattern=r"^[A-Za-z0-9_-]+$")]

MAX_CACHED_BYTES = 32_000_000

_pictures: LRUCache[tuple[str, str, str], bytes] = LRUCache(MAX_CACHED_BYTES, getsizeof=len)

KEPT_HEADERS = {"Cache-Control": "public, max-age=604800"}
"""A picture is that of the moves in its address, and never changes."""


@router.get("/api/shared/{code}")
async def get_shared_game(request: Request, code: Code) -> SharedGameView:
    """Return a game that is looked at: its positions, each with the move that led to it."""
    workers = request.app.state.workers
    return SharedGameView.model_validate(await workers.run_job("shared", {"code": code}))


@router.get("/game/{id}", include_in_schema=False)
async def get_game_page(request: Request, id: str) -> HTMLResponse:  # noqa: A002 - as in the path
    """Return the page of a game, with what other sites show of a link to it."""
    preview = ""
    with suppress(LudusError):  # the page says that there is no such game
        session = await request.app.state.registry.find(id)
        preview = make_link_preview(str(request.base_url), share_game(session.record))
    return HTMLResponse(read_document("index.html", preview), headers=REVALIDATE_HEADERS)


@router.get("/embed/{code}", include_in_schema=False)
async def get_embedded_page(request: Request, code: Code) -> HTMLResponse:
    """Return the page that shows a game, and may stand in pages of other sites."""
    preview = make_link_preview(str(request.base_url), code)
    return HTMLResponse(read_document("embed.html", preview), headers=REVALIDATE_HEADERS)


@router.get("/picture/{code}.{suffix}", include_in_schema=False)
async def get_picture(
    request: Request,
    code: Code,
    suffix: Literal["png", "gif"],
    theme: Literal["light", "dark"] = "light",
) -> Response:
    """Return the card of a game, or its moves one by one."""
    key = (code, suffix, theme)
    data = _pictures.get(key)
    if data is None:
        workers = request.app.state.workers
        job = {"code": code, "suffix": f".{suffix}", "theme": theme}
        data = base64.b64decode((await workers.draw(job))["data"])
        if len(data) < MAX_CACHED_BYTES:
            _pictures[key] = data
    return Response(data, media_type=f"image/{suffix}", headers=KEPT_HEADERS)
