"""Measure how long people at their boards wait while others load the server.

    PYTHONPATH=tests python benchmarks/load.py running [--games 100] [--seconds 30] [--json]
    PYTHONPATH=tests python benchmarks/load.py attack [--seconds 30] [--json]
    PYTHONPATH=tests python benchmarks/load.py soak [--minutes 60] [--json]

Each starts `ludus play` with a new file of games. People, games that computers play with each
other, and attackers have addresses of their own in 127.0.0.0/8, so that the server can tell them
apart, and the loads are processes of their own. What the figures were is in docs/reliability.md.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from support.page_server import Server

PEOPLE = 10
GAMES_PER_CLIENT = 100
GAME_SECONDS = 30.0, 90.0
ENDLESS_TEXT = "a1 d1 " * 150_000
LONG_SGF = "(;FF[4]GM[6]" + ";W[31hefe];B[42xtvt]" + ";W[66]" * 100_000 + ")"


class Client:
    """A connection from an address of its own."""

    def __init__(self, port: int, address: str) -> None:
        self.port, self.address = port, address

    async def open(self) -> "Client":
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(self.address, 0)
        )
        return self

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Return the status and the answer to a request."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n"
        head += "X-Forwarded-For: 10.0.0.1\r\n"  # so that this is not the owner of the server
        self.writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + content)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0] or 0)
        return int(head.split()[1]), await self.reader.readexactly(length)

    async def begin(self, game: str, *players: str | None, **more: Any) -> dict[str, Any]:
        """Start a game, as soon as the server lets this client."""
        order = {"game": game, "seats": [{"player": name} for name in players], **more}
        while True:
            status, text = await self.ask("POST", "/api/games", order)
            if status == 201:
                found: dict[str, Any] = json.loads(text)
                return found
            await asyncio.sleep(0.5)

    async def watch(self, id_: str) -> None:
        """Read the changes of a game for ever, as a page does."""
        address = f"ws://localhost:{self.port}/api/games/{id_}/live"
        async with connect(
            address, host="127.0.0.1", local_addr=(self.address, 0), compression=None, proxy=None
        ) as socket:
            async for _ in socket:
                pass


async def play(port: int, number: int, ends: float, times: list[float]) -> None:
    """Play against a computer, a move a second; collect the times of the answers."""
    rng = random.Random(number)
    client = await Client(port, "127.0.0.2").open()
    await asyncio.sleep(rng.random())
    view = await client.begin("nine_mens_morris", None, "newbie", seed=number)
    while time.monotonic() < ends:
        if view["status"] == "over":
            view = await client.begin("nine_mens_morris", None, "newbie", seed=number)
        path, since = f"/api/games/{view['id']}", view["revision"]
        began = time.perf_counter()
        if view["status"] == "yours":
            body = {"node": view["at"], "move": rng.choice(view["entry"]["moves"])}
            status, text = await client.ask("POST", f"{path}/moves?since={since}", body)
        else:
            status, text = await client.ask("GET", f"{path}?since={since}")
        times.append(time.perf_counter() - began)
        if status == 200:
            view |= json.loads(text)
        await asyncio.sleep(1)


async def measure_people(port: int, seconds: float) -> dict[str, float]:
    """Return quantiles of the times in which people at their boards are answered."""
    times: list[float] = []
    ends = time.monotonic() + seconds
    await asyncio.gather(*(play(port, number, ends, times) for number in range(PEOPLE)))
    return {
        "answers": len(times),
        "p50, ms": round(1000 * statistics.median(times), 1),
        "p99, ms": round(1000 * sorted(times)[int(0.99 * len(times))], 1),
        "worst, ms": round(1000 * max(times), 1),
    }


async def run_games(port: int, count: int, delay: float) -> None:
    """Let computers play and watch them; where a game has ended the next one begins."""

    async def run_one(number: int) -> None:
        rng = random.Random(number)
        address = f"127.0.1.{number // GAMES_PER_CLIENT + 1}"
        while True:
            client = await Client(port, address).open()
            game = await client.begin("nine_mens_morris", "newbie", "basic", delay=delay)
            client.writer.close()
            started.add(number)
            with suppress(TimeoutError, OSError, WebSocketException):
                await asyncio.wait_for(client.watch(game["id"]), rng.uniform(*GAME_SECONDS))

    started: set[int] = set()
    tasks = [asyncio.create_task(run_one(number)) for number in range(count)]
    while len(started) < count:
        await asyncio.sleep(0.1)
    print(json.dumps("running"), flush=True)
    await asyncio.gather(*tasks)


async def watch_for_ever(client: Client, id_: str) -> None:
    while True:
        with suppress(OSError, WebSocketException):
            await client.watch(id_)
        await asyncio.sleep(1)


async def attack(port: int, kinds: list[str]) -> None:
    """Attack in several ways at once until killed."""
    await asyncio.gather(*(ATTACKS[kind](port) for kind in kinds))


async def repeat(port: int, connections: int, ask: Callable[[Client, int], Any]) -> None:
    """Send requests one after the other on several connections of one client."""

    async def work(number: int) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                client = await Client(port, "127.0.0.3").open()
                while True:
                    status, _ = await ask(client, number)
                    number += connections
                    if status == 429:
                        await asyncio.sleep(0.1)

    await asyncio.gather(*(work(number) for number in range(connections)))


def post_text(text: str, game: str) -> Callable[[Client, int], Any]:
    body = {"text": text, "game": game}
    return lambda client, number: client.ask("POST", "/api/imports", body)


def ask_for_players(client: Client, number: int) -> Any:
    rules = f"men={3 + number % 10},quiet_plies={number % 1000}" + "," * (number % 3)
    return client.ask("GET", f"/api/opponents?game=nine_mens_morris&rules={rules}")


async def hold_connections(port: int) -> None:
    client = await Client(port, "127.0.0.3").open()
    ids = [(await client.begin("hexapawn", None, None))["id"] for _ in range(26)]
    watchers = (Client(port, "127.0.0.3") for _ in range(400))
    await asyncio.gather(*(watch_for_ever(each, ids[n // 16]) for n, each in enumerate(watchers)))


async def ask_to_solve(port: int) -> None:
    await repeat(port, 2, lambda client, _: client.ask("GET", "/api/solve?game=nine_mens_morris"))


async def import_records(port: int) -> None:
    record = "1. b1-b2 (1. a1-a2) {" + "x" * 900_000 + "} *"
    order = {"game": "hexapawn", "record": record}
    await repeat(port, 4, lambda client, _: client.ask("POST", "/api/games", order))


async def read_large_views(port: int) -> None:
    client = await Client(port, "127.0.0.3").open()
    line = "1. b1-b2 {" + "x" * 900 + "}"
    moves = " (1. a1-a2 {" + "y" * 450_000 + "})" + " (1. c1-c2 {" + "z" * 450_000 + "})"
    view = await client.begin("hexapawn", None, None, record=line + moves + " *")
    await repeat(port, 8, lambda each, _: each.ask("GET", f"/api/games/{view['id']}"))


ATTACKS: dict[str, Callable[[int], Coroutine[Any, Any, None]]] = {
    "1 expressions": lambda port: repeat(port, 4, post_text("p" * 1_000_000, "hexapawn")),
    "2 lists of players": lambda port: repeat(port, 50, ask_for_players),
    "3 long texts": lambda port: repeat(port, 45, post_text(LONG_SGF, "backgammon")),
    "4 connections": hold_connections,
    "5 solving": ask_to_solve,
    "6 imported records": import_records,
    "9 large views": read_large_views,
}


@contextmanager
def load(port: int, *arguments: str, waits: bool = False) -> Any:
    """Run this script as a load of the server; wait until it says that it is running."""
    command = [sys.executable, __file__, *arguments, "--port", f"{port}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if waits:
            assert process.stdout is not None
            process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()


def read_memory(server: Server) -> float:
    """Return the megabytes that the server process holds, without its workers."""
    assert server.process is not None
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_running(server: Server, games: int, delay: float, seconds: float) -> dict[str, Any]:
    """Measure people's waits and the memory of the server beside running games."""
    before = read_memory(server)
    arguments = ("games", "--games", f"{games}", "--delay", f"{delay}")
    with load(server.port, *arguments, waits=True):
        found: dict[str, Any] = asyncio.run(measure_people(server.port, seconds))
        grown = read_memory(server) - before
    return {
        "running games": games,
        **found,
        "memory a game, kB": round(1000 * grown / (games or 1)),
    }


def measure_attacks(server: Server, seconds: float) -> list[dict[str, Any]]:
    """Measure people's waits beside no attack, each attack, and the first six at once."""
    found = []
    several = list(ATTACKS)[:6]
    for name, kinds in (("none", []), *((name, [name]) for name in ATTACKS), ("1 to 6", several)):
        with load(server.port, "attackers", "--kinds", *kinds):
            times = asyncio.run(measure_people(server.port, seconds))
        found.append({"attack": name, **times})
        print(json.dumps(found[-1]), file=sys.stderr, flush=True)
        time.sleep(5)
    return found


def measure_soak(server: Server, minutes: float) -> list[dict[str, Any]]:
    """Measure people's waits and memory again and again beside fifty games that never end."""
    found = []
    began = time.monotonic()
    with load(server.port, "games", "--games", "50", "--delay", "1", waits=True):
        while time.monotonic() - began < 60 * minutes:
            times = asyncio.run(measure_people(server.port, 60))
            row = {"minute": round((time.monotonic() - began) / 60), **times}
            found.append({**row, "memory, MB": round(read_memory(server), 1)})
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kinds = ("running", "attack", "soak", "games", "attackers")
    parser.add_argument("what", choices=kinds, help="what to measure; the last two are loads")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.what == "games":
        asyncio.run(run_games(given.port, given.games, given.delay))
    elif given.what == "attackers":
        asyncio.run(attack(given.port, given.kinds))
    else:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder))
            try:
                report(measure(server, given), given.json)
            finally:
                server.stop()


def measure(server: Server, given: argparse.Namespace) -> list[dict[str, Any]]:
    if given.what == "running":
        return [measure_running(server, given.games, given.delay, given.seconds)]
    if given.what == "attack":
        return measure_attacks(server, given.seconds)
    return measure_soak(server, given.minutes)


def report(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{name}: {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
