"""A server and a browser, each started once."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from support.page_server import Server
from support.paths import ROOT
from support.waiting import PATIENCE

PICTURES = ROOT / "build" / "pictures"
"""Where tests leave pictures of the page, to be looked at."""

MILLISECONDS = 1000 * PATIENCE
"""After so long something on the page is taken not to happen."""

AT_ONCE = "if (origin !== 'null') localStorage.pace ??= 0"
"""Lets computers answer at once, since whole games are played here."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("page"))
    yield running
    running.kill()


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            # Root, as whom tests run in a container, has no sandbox. There /dev/shm may be small or
            # missing, which would make pages crash.
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            timeout=MILLISECONDS,
        )
        yield chromium
        chromium.close()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Opens a window of the browser that is patient on a busy machine, and closes it at the end."""
    opened: list[BrowserContext] = []

    def open_one(**options: Any) -> BrowserContext:
        # Requests that a service worker answers would pass the tests by.
        options = {"reduced_motion": "reduce", "service_workers": "block", **options}
        context = browser.new_context(**options)
        context.set_default_timeout(MILLISECONDS)
        context.add_init_script(AT_ONCE)
        opened.append(context)
        return context

    yield open_one
    for context in opened:
        context.close()


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    return new_context(viewport={"width": 1200, "height": 900})


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must not complain about anything in its console."""
    complaints: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console", lambda output: complaints.append(output.text) if output.type == "error" else None
    )
    yield opened
    expected = ("the server responded with a status of", "net::ERR_CONNECTION_REFUSED", "WebSocket")
    assert [each for each in complaints if not any(word in each for word in expected)] == []


@pytest.fixture(scope="session")
def pictures() -> Path:
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES
