"""Attack a running page in ways that once broke it, and print what it withstood.

    python benchmarks/attack_server.py [--half-sent 1500] [--forged 400] [--foreign 300] [--slow 60]

It starts `ludus play` with a new file of games, and takes about a minute with these numbers.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import httpx


def start_server(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Return the process of a server and its address."""
    command = [sys.executable, "-m", "ludus.cli", "play", "--no-browser", "--json", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--games", str(folder / "games.sqlite")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "LUDUS_CACHE": str(folder / "cache")},
    )
    assert process.stdout is not None
    address: str = json.loads(process.stdout.readline())["address"]
    return process, address.rpartition("/")[0]


def measure_half_sent(base: str, count: int) -> str:
    """Open connections that send half a request, and check that others are served."""
    host, _, port = base.removeprefix("http://").partition(":")
    with ExitStack() as stack:
        for _ in range(count):
            raw = stack.enter_context(socket.create_connection((host, int(port)), timeout=30))
            raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        began = time.monotonic()
        status = httpx.get(f"{base}/api/kinds", timeout=60).status_code
        return (
            f"{count} half-sent requests: others got {status} in {time.monotonic() - began:.2f} s"
        )


def measure_forged(base: str, count: int) -> str:
    """Start games under a new address each in X-Forwarded-For."""
    statuses: Counter[int] = Counter()
    with httpx.Client(base_url=base, timeout=60) as client:
        for number in range(count):
            headers = {"x-forwarded-for": f"10.0.{number // 250}.{number % 250}"}
            order = {"game": "hexapawn"}
            statuses[client.post("/api/games", json=order, headers=headers).status_code] += 1
    return f"{count} new games with forged addresses: " + ", ".join(
        f"{number} × {status}" for status, number in sorted(statuses.items())
    )


def measure_foreign(base: str, count: int) -> str:
    """Ask for puzzles as a foreign page does and hang up; then ask for one as our page does."""
    host, _, port = base.removeprefix("http://").partition(":")
    for site in ("cross-site", "same-origin"):
        for number in range(count // 2):
            path = f"/api/puzzles?game=nine_mens_morris&kind=hold&grade=3&number={number}"
            with socket.create_connection((host, int(port)), timeout=30) as raw:
                request = (
                    f"GET {path} HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: {site}\r\n\r\n"
                )
                raw.sendall(request.encode())
    began = time.monotonic()
    with httpx.Client(base_url=base, timeout=120) as client:
        game = client.post("/api/games", json={"game": "hexapawn"}).json()["id"]
        status = client.get(f"/api/games/{game}/review").status_code
    seconds = time.monotonic() - began
    return (
        f"{count} requests of puzzles hung up, half of them by a foreign page: "
        f"then a review got {status} in {seconds:.1f} s"
    )


def measure_slow_games(base: str, count: int) -> str:
    """Start many games against a slow player; then one more, as a person would."""
    seats = [{"player": "perfect"}, {"player": None}]

    def begin(client: httpx.Client) -> str:
        order = {"game": "nine_mens_morris", "seats": seats}
        return str(client.post("/api/games", json=order).json().get("id", ""))

    with httpx.Client(base_url=base, timeout=120) as client:
        games = [begin(client) for _ in range(count)]
        began = time.monotonic()
        mine = begin(client)
        while client.get(f"/api/games/{mine}").json()["status"] == "thinking":
            time.sleep(0.1)
        seconds = time.monotonic() - began
        thinking = sum(
            client.get(f"/api/games/{game}").json()["status"] == "thinking" for game in games[:50]
        )
    return (
        f"{count} slow games of one client: a new game had its move after {seconds:.1f} s, "
        f"while {thinking} of the first {min(count, 50)} still waited"
    )


def read_memory(process: subprocess.Popen[str]) -> str:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return f"memory of the server: {pages * os.sysconf('SC_PAGE_SIZE') / 1e6:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half-sent", type=int, default=1500)
    parser.add_argument("--forged", type=int, default=400)
    parser.add_argument("--foreign", type=int, default=300)
    parser.add_argument("--slow", type=int, default=60)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, base = start_server(Path(folder))
        try:
            print(measure_half_sent(base, wanted.half_sent), flush=True)
            print(measure_foreign(base, wanted.foreign), flush=True)
            print(measure_slow_games(base, wanted.slow), flush=True)
            time.sleep(10)  # the limit of new games recovers
            print(measure_forged(base, wanted.forged), flush=True)
            print(read_memory(process), flush=True)
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    main()
