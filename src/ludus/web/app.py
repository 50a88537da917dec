"""The FastAPI application: routers, error handlers, and the static files of the page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import cache

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from ludus.core.errors import LudusError, to_one_line
from ludus.render.theme import DARK, LIGHT, SHAPES, Palette, format_palette, scope_rules
from ludus.web.errors import RequestRefused
from ludus.web.game_registry import GameRegistry
from ludus.web.job_queue import FairPool
from ludus.web.middleware import GuardMiddleware
from ludus.web.routes import catalogue, games, sharing
from ludus.web.routes.games import WatcherHub
from ludus.web.settings import Settings
from ludus.web.solving import GameSolver
from ludus.web.static_files import REVALIDATE_HEADERS, STATIC_FOLDER, read_document
from ludus.web.store import GameStore
from ludus.web.worker_pool import WorkerPool

PAGE_PATHS = (
    "/",
    "/new",
    "/puzzles",
    "/games",
    "/tournament",
    "/training",
    "/running",
    "/open",
    "/learn/{id}",
    "/machines",
    "/learn",
)


class _RevalidatedFiles(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(REVALIDATE_HEADERS)
        return response


def mount_page(app: FastAPI) -> None:
    """Serve the page at each of its addresses."""
    for address in PAGE_PATHS:
        app.get(address, include_in_schema=False, response_class=HTMLResponse)(_get_document)
    app.get("/colours.css", include_in_schema=False)(_get_stylesheet)
    app.get("/service-worker.js", include_in_schema=False)(_get_service_worker)
    app.mount("/static", GZipMiddleware(_RevalidatedFiles(directory=str(STATIC_FOLDER))))


async def _get_document() -> HTMLResponse:
    return HTMLResponse(read_document("index.html"), headers=REVALIDATE_HEADERS)


async def _get_service_worker() -> Response:
    """Return the service worker, at the root because it serves all addresses below its own."""
    text = STATIC_FOLDER.joinpath("service-worker.js").read_text(encoding="utf-8")
    return Response(text, media_type="text/javascript", headers=REVALIDATE_HEADERS)


async def _get_stylesheet() -> Response:
    return Response(build_stylesheet(), media_type="text/css", headers=REVALIDATE_HEADERS)


@cache
def build_stylesheet() -> str:
    """Return the board theme as CSS, for the boards and the page around them.

    Light and dark follow the system unless the user has chosen one.
    """
    day, night = format_palette(LIGHT), format_palette(DARK)
    # In a layer, so that the page's own style sheets have the last word.
    return "\n".join(
        (
            "@layer theme{",
            scope_rules(SHAPES),
            f":root{{\ncolor-scheme:light;\n{_css_variables(LIGHT)}\n}}",
            day,
            f"@media (prefers-color-scheme:dark){{\n:root:not([data-theme=light]){{\n"
            f"color-scheme:dark;\n{_css_variables(DARK)}\n{night}\n}}\n}}",
            f":root[data-theme=dark]{{\ncolor-scheme:dark;\n{_css_variables(DARK)}\n{night}\n}}",
            "}",
        )
    )


def _css_variables(palette: Palette) -> str:
    """Return the palette as CSS variables such as `--ground`."""
    return "\n".join(
        f"--{name.replace('_', '-')}:{colour};" for name, colour in asdict(palette).items()
    )


def make_app(settings: Settings, store: GameStore) -> tuple[GuardMiddleware, State]:
    """Return the ASGI application behind its middleware, and its state.

    It closes the store on shutdown. `state.failure` is the LudusError for which it cannot start.
    """

    # The event loop: requests begin on it, and what takes milliseconds is done, one by one.
    turns: FairPool[None] = FairPool([None], settings.max_queued_jobs)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        workers = WorkerPool(settings)
        registry = GameRegistry(settings, store, workers, turns)
        app.state.registry, app.state.workers = registry, workers
        app.state.watchers, app.state.settings = WatcherHub(settings), settings
        app.state.solver = solver = GameSolver(workers.note_new_tables)
        try:
            await workers.start()
        except LudusError as error:  # the system gives no process
            app.state.failure = LudusError(to_one_line(str(error)))
        preloading = asyncio.create_task(registry.preload_opponents())
        try:
            yield
        finally:
            preloading.cancel()
            registry.close()
            await solver.stop()
            await workers.close()
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
    app.state.failure = None
    app.include_router(catalogue.router)
    app.include_router(games.router)
    app.include_router(sharing.router)
    mount_page(app)
    app.add_exception_handler(LudusError, _respond_to_error)
    app.add_exception_handler(RequestValidationError, _respond_to_validation_error)
    app.add_exception_handler(HTTPException, _respond_to_http_error)
    app.add_exception_handler(Exception, _respond_to_fault)
    return GuardMiddleware(app, settings, turns), app.state


async def _respond_to_error(request: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, RequestRefused) else 422
    return JSONResponse({"detail": str(error)}, status)


async def _respond_to_validation_error(request: Request, error: Exception) -> JSONResponse:
    """Return the first validation error in one line."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    # Names of fields are the client's own, with any characters.
    return JSONResponse({"detail": to_one_line(f"{where}: {first['msg']}", 400)}, 422)


async def _respond_to_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_page = not request.url.path.startswith(("/api/", "/static/"))
    if error.status_code == 404 and is_page and "text/html" in request.headers.get("accept", ""):
        document = await _get_document()
        document.status_code = 404
        return document
    return JSONResponse({"detail": str(error.detail)}, error.status_code, error.headers)


async def _respond_to_fault(request: Request, error: Exception) -> JSONResponse:
    """Report a fault of this program in one line; the server prints its traceback."""
    return JSONResponse({"detail": f"the server has a fault: {type(error).__name__}"}, 500)
