"""Run the server, on loopback by default, until interrupted."""

import gc
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import uvicorn
from starlette.datastructures import State

from ludus.core.errors import LudusError, quote
from ludus.web.app import make_app
from ludus.web.connections import TimedProtocol
from ludus.web.settings import Settings
from ludus.web.store import GameStore

KEEP_ALIVE_SECONDS = 15
"""Seconds after which an idle connection is closed."""


WINDOWS_FILES = 8192
"""Open files of a program on Windows, whose limit is no setting of the process."""


class CannotListen(LudusError):
    """The address cannot be used."""


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket bound to this address; port 0 selects a free port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Explicit IPPROTO_TCP makes asyncio set TCP_NODELAY, so small responses are sent at once.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((host, port))
        except BaseException:
            bound.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        raise CannotListen(f"cannot listen at {quote(host)}, port {port}: {error}") from error
    return bound


def serve(bound: socket.socket, settings: Settings, ready: Callable[[], None]) -> None:
    """Serve until interrupted; `ready` is called when the page is available."""
    max_files = _raise_file_limit()
    # Opened first, so that errors of the file are reported before the server starts.
    limits = settings.max_games, settings.max_bytes, settings.client_bytes
    store = GameStore(settings.games_file, *limits)
    app, state = make_app(settings, store)
    server = _NotifyingServer(make_config(app, settings, max_files), state, ready)
    # A collection of all objects holds everybody up: beside a thousand games, for a third of a
    # second. Games refer to nothing in a circle, so it is seldom needed; what is loaded now stays.
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 10, 1000)
    server.run(sockets=[bound])
    if state.failure is not None:
        raise state.failure


def make_config(app: Any, settings: Settings, max_files: int) -> uvicorn.Config:
    """Return the configuration of the HTTP server, which may have this number of open files."""
    max_waiting = min(settings.max_waiting_connections, max_files // 2)
    # Those that wait, in order, are known to all connections of the server.
    protocol: Any = partial(TimedProtocol, {}, max_waiting, settings.request_seconds)
    config = uvicorn.Config(
        app,
        http=protocol,
        proxy_headers=bool(settings.trusted_proxy),
        forwarded_allow_ips=settings.trusted_proxy or None,
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws_max_size=settings.max_message,
        ws_max_queue=4,
        ws_per_message_deflate=False,  # which would hold 300 kB for each connection
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
        server_header=False,
        h11_max_incomplete_event_size=32_768,
    )
    # A client's mistake, for which its connection is closed, is no fault to be logged here.
    logging.getLogger("uvicorn.error").addFilter(lambda line: "Invalid UTF-8" not in str(line.msg))
    return config


class _NotifyingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, state: State, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._state = state
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._state.failure is not None:
            self.should_exit = True  # at once, and without the traceback that uvicorn would print
        elif self.started:
            self._ready()


def open_browser(address: str) -> None:
    """Open the page in a browser, on a thread because this may block."""

    def show() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    threading.Thread(target=show, daemon=True).start()


def has_browser() -> bool:
    """Return whether a graphical browser is available."""
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        return not isinstance(browser, webbrowser.GenericBrowser) or isinstance(
            browser, webbrowser.BackgroundBrowser
        )
    return False


def _raise_file_limit() -> int:
    """Raise the limit of open files, since each connection is one; return the limit."""
    try:
        import resource
    except ModuleNotFoundError:
        return WINDOWS_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft
