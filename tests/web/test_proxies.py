"""The page behind nginx and Caddy, set up by the examples of its guide, in a real browser."""

import json
import re
import shutil
import socket
import subprocess
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import expect
from websockets.sync.client import connect

from support.facilities import LEFT_OUT
from support.page_server import Server
from support.paths import ROOT
from support.waiting import PATIENCE, wait_until

NAME = "games.example.org"

NGINX = "daemon off; pid nginx.pid; error_log stderr; events {{}} http {{ access_log off; {} }}"
"""What is around the server of the guide in a whole configuration."""


def read_example(language):
    text = (ROOT / "docs" / "page.md").read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def find_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def running(command, folder, port):
    """A proxy that listens."""
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)

    def is_listening():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(is_listening, f"{command[0]} listens", process)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def hidden_server(tmp_path_factory):
    """A server that is reached through a proxy on the same machine."""
    folder = tmp_path_factory.mktemp("hidden")
    server = Server(folder, "--trust-proxy", "127.0.0.1", "--name", NAME)
    yield server
    server.kill()


@pytest.fixture(params=[pytest.param("nginx", marks=pytest.mark.needs_debian("nginx")), "caddy"])
def proxy_port(request, hidden_server, tmp_path):
    if shutil.which(request.param) is None:
        pytest.skip(f"{LEFT_OUT}{request.param}: apt-get install {request.param}")
    port = find_port()
    example = read_example(request.param).replace(":8642", f":{hidden_server.port}")
    if request.param == "nginx":
        text = NGINX.format(example.replace("listen 80;", f"listen 127.0.0.1:{port};"))
        command = ["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "config")]
    else:
        # Without the certificate that Caddy would fetch for a name of its own.
        site = example.replace(NAME, f"http://{NAME}:{port}")
        text = f"{{\nadmin off\n}}\n{site}"
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "config")]
    (tmp_path / "config").write_text(text)
    with running(command, tmp_path, port):
        yield port


def test_a_proxy_passes_pages_moves_and_changes_on(proxy_port):
    own = {"host": f"{NAME}:{proxy_port}", "origin": f"http://{NAME}:{proxy_port}"}
    base = f"http://127.0.0.1:{proxy_port}"
    with httpx.Client(base_url=base, timeout=PATIENCE, headers=own) as client:
        assert client.get("/static/main.js").status_code == 200
        id_ = client.post("/api/games", json={"game": "hexapawn"}).json()["id"]
        address = f"ws://{NAME}:{proxy_port}/api/games/{id_}/live"
        raw = socket.create_connection(("127.0.0.1", proxy_port))
        with connect(address, sock=raw, origin=own["origin"]) as live:
            assert json.loads(live.recv())["at"] == 0
            client.post(f"/api/games/{id_}/moves", json={"node": 0, "move": "a1-a2"})
            assert json.loads(live.recv())["at"] == 1
        assert "hexapawn" not in client.get("/api/kinds", headers={"host": "evil.example"}).text
        foreign = {**own, "origin": "http://evil.example"}
        assert client.post("/api/games", json={}, headers=foreign).status_code == 403


def test_who_comes_through_a_proxy_is_not_the_owner(proxy_port, hidden_server):
    order = {"game": "nine_mens_morris", "rules": "men=5", "action": "start"}
    with hidden_server.client() as owner:
        assert owner.get("/api/solve", params={"game": "nine_mens_morris"}).json()["why"] == ""
    base, host = f"http://127.0.0.1:{proxy_port}", {"host": f"{NAME}:{proxy_port}"}
    with httpx.Client(base_url=base, timeout=PATIENCE, headers=host) as stranger:
        for more in ({}, {"x-forwarded-for": "127.0.0.1"}):
            answer = stranger.post("/api/solve", json=order, headers=more)
            assert "only the owner" in answer.json()["detail"]


@pytest.mark.needs_debian("chromium")
def test_a_browser_plays_through_a_proxy(proxy_port, browser):
    mapped = browser.browser_type.launch(
        executable_path=shutil.which("chromium"),
        args=[
            "--no-sandbox",
            "--disable-dev-shm-usage",
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
        ],
    )
    try:
        page = mapped.new_page()
        page.goto(f"http://{NAME}:{proxy_port}/new?game=hexapawn&opponent=random")
        page.locator(".place.enabled").first.click()
        page.locator(".place.enabled").first.click()
        expect(page.locator(".game-area")).to_have_attribute(
            "data-status", re.compile("yours|over")
        )
        expect(page.locator(".game-area")).not_to_have_attribute("data-node", "0")
    finally:
        mapped.close()
