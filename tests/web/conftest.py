"""A server and a browser, each started once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from page_server import Server
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

PICTURES = Path(__file__).parents[2] / "build" / "pictures"
"""Where tests leave pictures of the page, to be looked at."""


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
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            # Root, as whom tests run in a container, has no sandbox.
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(reduced_motion="reduce", viewport={"width": 1200, "height": 900})
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must not complain about anything in its console."""
    complaints: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console", lambda said: complaints.append(said.text) if said.type == "error" else None
    )
    yield opened
    expected = ("the server responded with a status of", "net::ERR_CONNECTION_REFUSED", "WebSocket")
    assert [each for each in complaints if not any(word in each for word in expected)] == []


@pytest.fixture(scope="session")
def pictures() -> Path:
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES
