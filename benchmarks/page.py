"""Measure the page: bytes to load, time to the first paint, and time of replies.

    PYTHONPATH=tests python benchmarks/page.py [--seconds 20] [--games 50] [--json]

It starts the real server and a real browser (Debian's chromium, where there is one). What the
figures were is in benchmarks/README.md.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import socket
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

from support.page_actions import DRAWN, delay_answers
from support.page_server import Server, begin, places_of, settled, touch

QUICK = ("newbie", "basic", "focused")
"""Opponents in the crowd."""

SEARCHING = {"negascout", "perfect", "playouts"}
"""Players of Morris that take the time they are given; all others should answer at once."""

CLICKS = 9
"""In one game of each; a game has more."""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"

LATE = 600
"""Milliseconds that every answer takes over a slow connection."""
PLACES = ("d6", "f4", "d2", "b4", "e3", "c4", "g7")

SEARCHERS = 10
"""Games of the fifty against the strongest search."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            found |= measure_review(server, ("a game on a server that has just started",))
        finally:
            server.kill()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            names = list_quick_players(server)
            found |= measure_browser(server, names)
            found |= measure_drawing(server)
            found |= measure_review(server, ("a finished game", "the next game"))
            found |= asyncio.run(measure_replies(server, names))
            found |= asyncio.run(measure_crowd(server, options.games, options.seconds))
            found |= measure_idle_connections(server)
            found |= measure_restart(server)
        finally:
            server.kill()
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:44} {value}")


def compute_milliseconds(times: list[float], share: float) -> float:
    """Return a quantile, in milliseconds."""
    return round(1000 * sorted(times)[min(int(share * len(times)), len(times) - 1)], 1)


def list_quick_players(server: Server) -> list[str]:
    """Return every registered player of Morris that does not search."""
    with server.client() as client:
        found = client.get("/api/opponents", params={"game": "nine_mens_morris"}).json()
    return [each["name"] for each in found if each["name"] not in SEARCHING]


def measure_browser(server: Server, names: list[str]) -> dict[str, Any]:
    """Measure bytes and first paint of a page opened for the first time, and replies to clicks."""
    program = shutil.which("chromium")
    if program is None:
        return {}
    from playwright.sync_api import sync_playwright

    weights: list[int] = []
    transferred: list[int] = []
    paints, clicks = [], {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with server.client() as client:
            id_ = begin(client, "nine_mens_morris", None, "focused")["id"]
        for _ in range(5):
            context = browser.new_context()
            page = context.new_page()
            answers: list[Any] = []
            page.on("response", lambda answer, found=answers: found.append(answer))
            page.goto(f"{server.base}/game/{id_}")
            page.wait_for_selector(".place.enabled")
            page.wait_for_load_state("networkidle")
            paints.append(page.evaluate(FIRST_PAINT))
            weights.append(sum(len(answer.body()) for answer in answers))
            sizes = [answer.request.sizes() for answer in answers]
            transferred.append(sum(each["responseBodySize"] for each in sizes))
            context.close()
        for name in names:
            page = browser.new_page()
            page.add_init_script("localStorage.setItem('pace', 0)")
            with server.client() as client:
                id_ = begin(client, "nine_mens_morris", None, name)["id"]
            page.goto(f"{server.base}/game/{id_}")
            page.wait_for_selector(".place.enabled")
            clicks[name] = [_click(page) for _ in range(CLICKS)]
            page.close()
        browser.close()
    return {
        "page weight, bytes": max(weights),
        "page weight, bytes transferred": max(transferred),
        "first paint, ms, median of 5": round(statistics.median(paints)),
        **{
            f"click to reply of {name} on the board, ms, first, median, worst later": [
                round(times[0]),
                round(statistics.median(times[1:])),
                round(max(times[1:])),
            ]
            for name, times in clicks.items()
        },
    }


def measure_drawing(server: Server) -> dict[str, Any]:
    """Measure how soon a man that is placed is drawn, locally and if every answer comes late."""
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for latency in (0, LATE):
            page = browser.new_page()
            with server.client() as client:
                id_ = begin(client, "nine_mens_morris")["id"]
            page.goto(f"{server.base}/game/{id_}")
            page.wait_for_selector(".place.enabled")
            delay_answers(page, latency)
            times = []
            for number, place in enumerate(PLACES, 1):
                times.append(page.evaluate(DRAWN, ["", place]))
                page.wait_for_selector(f'.game-area[data-node="{number}"][data-status="yours"]')
            name = f"click to the man on the board, latency {latency} ms, median, worst, ms"
            found[name] = [round(statistics.median(times)), round(max(times))]
        browser.close()
    return found


def _click(page: Any) -> float:
    """Return milliseconds from the click that ends a move until the other side's move is drawn."""
    node = page.locator(".game-area").get_attribute("data-node")
    watch = """([node]) => new Promise((done) => {
        const area = document.querySelector(".game-area");
        const place = document.querySelector(".place.enabled");
        const click = () => new MouseEvent("click", { bubbles: true });
        let began = performance.now();
        new MutationObserver(() => {
            const isDone = area.dataset.node !== node && area.dataset.status !== "thinking";
            if (isDone) return done(performance.now() - began);
            if (!area.dataset.touched) return;
            began = performance.now();
            document.querySelector(".place.enabled").dispatchEvent(click());
        }).observe(area, { attributes: true });
        place.dispatchEvent(click());
    })"""
    return float(page.evaluate(watch, [node]))


def measure_review(server: Server, names: Sequence[str]) -> dict[str, Any]:
    """Time the reviews of finished games of Morris, each right after its last move.

    No move takes time, so that little is loaded before; in a game of a person it is.
    """
    found: dict[str, Any] = {}
    with server.client() as client:
        for seed, name in enumerate(names, 1):
            rng = random.Random(seed)
            view = begin(client, "nine_mens_morris", None, "focused")
            while view["status"] != "over":
                view = touch(client, view, rng.choice(places_of(view)))
            began, used = time.perf_counter(), _measure_processor_seconds(server)
            points = client.get(f"/api/games/{view['id']}/review").json()["points"]
            seconds, used = time.perf_counter() - began, _measure_processor_seconds(server) - used
            marked = sum(bool(point["move"] and point["move"]["mark"]) for point in points)
            found |= {
                f"review of {name}, plies, marked moves": [len(points) - 1, marked],
                f"review of {name}, s": round(seconds, 2),
                f"review of {name}, s of processor time": round(used, 2),
            }
    return found


async def measure_replies(server: Server, names: list[str]) -> dict[str, Any]:
    """Measure the time from a touch to the view that holds the other side's move."""
    found = {}
    async with httpx.AsyncClient(base_url=server.base, timeout=60) as client:
        for name in names:
            times = []
            for seed in range(6):
                times += (await play_game(client, server, name, seed))[2:]
            found[f"reply of {name}, ms, median"] = compute_milliseconds(times, 0.5)
            found[f"reply of {name}, ms, 99 of 100"] = compute_milliseconds(times, 0.99)
    return found


async def play_game(client: httpx.AsyncClient, server: Server, name: str, seed: int) -> list[float]:
    """Return the times of one game's replies, as a page receives them through its websocket."""
    rng = random.Random(seed)
    times: list[float] = []
    order = {"game": "nine_mens_morris", "seats": [{}, {"player": name}], "seed": seed}
    view = (await client.post("/api/games", json=order)).json()
    address = f"ws://127.0.0.1:{server.port}/api/games/{view['id']}/live"
    async with connect(address, max_size=None) as live:
        await live.recv()
        while view["status"] == "yours" and len(times) < 20:
            body = {"node": view["at"], "move": rng.choice(view["entry"]["moves"])}
            began = time.perf_counter()
            view = (await client.post(f"/api/games/{view['id']}/moves", json=body)).json()
            while view["status"] == "thinking":
                view |= json.loads(await live.recv())  # only what has changed is sent
            times.append(time.perf_counter() - began)
            while True:
                try:
                    view |= json.loads(await asyncio.wait_for(live.recv(), 0.01))
                except TimeoutError:
                    break
    return times


class Wire:
    """A connection with little work on the client's side, so that the server is measured."""

    def __init__(self, port: int, answers: list[float]) -> None:
        self.port = port
        self.answers = answers

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Return the answer to a request, and record its time."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n"
        began = time.perf_counter()
        self.writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + content)
        answered = await self.reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", answered)
        assert found is not None
        length = int(found[1])
        text = await self.reader.readexactly(length)
        self.answers.append(time.perf_counter() - began)
        assert answered.startswith(b"HTTP/1.1 20"), text
        view: dict[str, Any] = json.loads(text)
        return view


async def measure_crowd(server: Server, games: int, seconds: float) -> dict[str, Any]:
    """Measure many games at once, a move every second in each, some against a slow search."""
    answers: list[float] = []
    ends = time.monotonic() + seconds
    tasks = [_play_repeatedly(Wire(server.port, answers), n, ends) for n in range(games)]
    moves = sum(await asyncio.gather(*tasks))
    return {
        f"{games} games, moves": moves,
        f"{games} games, answers": len(answers),
        f"{games} games, answers, ms, median": compute_milliseconds(answers, 0.5),
        f"{games} games, answers, ms, 99 of 100": compute_milliseconds(answers, 0.99),
    }


async def _play_repeatedly(wire: Wire, number: int, ends: float) -> int:
    rng, moves = random.Random(number), 0
    await wire.open()
    await asyncio.sleep(rng.random())
    player = "negascout" if number < SEARCHERS else QUICK[number % len(QUICK)]
    order = {"game": "nine_mens_morris", "seats": [{}, {"player": player}], "seed": number}
    view = await wire.ask("POST", "/api/games", order)
    while time.monotonic() < ends:
        path = f"/api/games/{view['id']}"
        if view["status"] == "over":
            view = await wire.ask("POST", "/api/games", order)
        elif view["status"] == "yours":
            body = {"node": view["at"], "move": rng.choice(view["entry"]["moves"])}
            since = view["revision"]
            view |= await wire.ask("POST", f"{path}/moves?since={since}", body)
            moves += 1
        await asyncio.sleep(1)
        if view["status"] == "thinking":
            view |= await wire.ask("GET", f"{path}?since={view['revision']}")
    wire.writer.close()
    return moves


def measure_idle_connections(server: Server, count: int = 1_000) -> dict[str, Any]:
    """Open a thousand connections that send nothing, or half a request, while a game is played."""
    before, times = _measure_memory(server), []
    with ExitStack() as stack, server.client() as client:
        for number in range(count):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            if number % 2:
                raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        view = begin(client, "nine_mens_morris")
        for _ in range(100):
            began = time.perf_counter()
            client.get(f"/api/games/{view['id']}")
            times.append(time.perf_counter() - began)
        grown = _measure_memory(server) - before
    return {
        f"{count} connections, answers, ms, 99 of 100": compute_milliseconds(times, 0.99),
        f"{count} connections, memory grown, MB": round(grown / 1e6, 1),
    }


def _measure_memory(server: Server) -> int:
    assert server.process is not None
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * 4096


def _measure_processor_seconds(server: Server) -> float:
    """Return the processor time of the server and of its workers so far."""
    assert server.process is not None
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, *fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        if server.process.pid in (int(path.parent.name), int(fields[0])):
            ticks += int(fields[10]) + int(fields[11])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure_restart(server: Server, count: int = 20) -> dict[str, Any]:
    """Kill the server during games; measure how many continue, and how soon it is back."""
    with server.client() as client:
        views = [begin(client, "nine_mens_morris", None, "newbie", seed=n) for n in range(count)]
        views = [touch(client, view, "d6") for view in views]
    server.kill()
    began = time.perf_counter()
    server.start()
    back = time.perf_counter() - began
    with server.client() as client:
        again = [settled(client, client.get(f"/api/games/{view['id']}").json()) for view in views]
    kept = sum(old["moves"] == new["moves"] for old, new in zip(views, again, strict=True))
    return {
        "games that go on after a kill": f"{kept} of {count}",
        "start of the server, s": round(back, 2),
    }


if __name__ == "__main__":
    main()
