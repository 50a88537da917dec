"""Running the server: on loopback unless told otherwise, until somebody presses Ctrl-C."""

import resource
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from ludus.core.errors import LudusError, quoted
from ludus.web.app import make_app
from ludus.web.settings import Settings
from ludus.web.store import Store

KEEP_ALIVE = 15
"""Seconds after which a silent connection is closed."""


class CannotServe(LudusError):
    """The address cannot be used."""


def bind(host: str, port: int) -> socket.socket:
    """A socket at this address; port 0 takes any that is free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, so that asyncio sends small answers at once and does not wait for more.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((host, port))
        except BaseException:
            bound.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        raise CannotServe(f"cannot listen at {quoted(host)}, port {port}: {error}") from error
    return bound


def serve(bound: socket.socket, settings: Settings, ready: Callable[[], None]) -> None:
    """Answer until interrupted; `ready` is called when the page can be asked for."""
    _allow_many_files()
    # What is wrong with the file is said before the server begins.
    store = Store(settings.games_file, settings.max_games)
    config = uvicorn.Config(
        make_app(settings, store),
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws_max_size=settings.max_message,
        ws_max_queue=4,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=2,
        server_header=False,
        h11_max_incomplete_event_size=32_768,
    )
    server = _Server(config, ready)
    server.run(sockets=[bound])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def open_browser(address: str) -> None:
    """Show the page, where there is a browser; it may take its time and must not hold us up."""

    def show() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    threading.Thread(target=show, daemon=True).start()


def has_browser() -> bool:
    """Whether a browser with windows can be opened here."""
    with suppress(webbrowser.Error):
        found = webbrowser.get()
        return not isinstance(found, webbrowser.GenericBrowser) or isinstance(
            found, webbrowser.BackgroundBrowser
        )
    return False


def _allow_many_files() -> None:
    """A connection is an open file; ask for as many as the system grants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
