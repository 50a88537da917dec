"""The application: everything put together, opened and closed with the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ludus.core.errors import LudusError
from ludus.web import catalogue, games, pages
from ludus.web.errors import Refused
from ludus.web.guard import Guard
from ludus.web.hall import Hall
from ludus.web.live import Gallery
from ludus.web.settings import Settings
from ludus.web.store import Store
from ludus.web.thinkers import Thinkers


def make_app(settings: Settings, store: Store) -> Any:
    """The application under these settings, with the guard in front; it closes the store."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        thinkers = Thinkers(settings)
        hall = Hall(settings, store, thinkers)
        app.state.hall, app.state.thinkers = hall, thinkers
        app.state.gallery, app.state.settings = Gallery(settings), settings
        await thinkers.start()
        looking = asyncio.create_task(hall.look_round())
        try:
            yield
        finally:
            looking.cancel()
            hall.close()
            await thinkers.close()
            await store.close()

    app = FastAPI(
        title="Ludus",
        version="1",
        description="Games on a board, and what players and perfect play make of them.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.include_router(catalogue.router)
    app.include_router(games.router)
    pages.mount(app)
    app.add_exception_handler(LudusError, _explain)
    app.add_exception_handler(RequestValidationError, _explain_form)
    app.add_exception_handler(HTTPException, _explain_status)
    return Guard(app, settings)


async def _explain(request: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, Refused) else 422
    return JSONResponse({"detail": str(error)}, status)


async def _explain_form(request: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong with a request, in one line."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"detail": f"{where}: {first['msg']}"[:400]}, 422)


async def _explain_status(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"detail": str(error.detail)}, error.status_code, error.headers)
