"""The real server as a process of its own, which can be killed and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from support.waiting import PATIENCE


class Server:
    """`ludus play` without a browser."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self._reserved: socket.socket | None = None
        self.start()

    def start(self) -> None:
        """Begin, at the same port as before if there was one."""
        command = [sys.executable, "-m", "ludus.cli", "play", "--no-browser", "--json"]
        files = ["--games", str(self.folder / "games.sqlite"), "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, *files, *self.options],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "LUDUS_CACHE": str(self.folder / "cache"),
                # Solved games of the machine would change what the page says.
                "XDG_DATA_HOME": str(self.folder / "data"),
            },
        )
        assert self.process.stdout is not None
        try:
            address = json.loads(self.process.stdout.readline())["address"]
        except BaseException:  # the limit of the test included
            self.process.kill()
            raise
        self._release_port()
        self.base = address.rpartition("/")[0]
        self.port = int(self.base.rpartition(":")[2])

    def kill(self) -> None:
        """Kill the server by SIGKILL."""
        self._release_port()
        self._end(signal.SIGKILL)

    def kill_to_start_again(self) -> None:
        """Kill the server and keep its port for the next start."""
        self.kill()
        # Listening sockets may use the address of one that does not listen.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", self.port))

    def _release_port(self) -> None:
        if self._reserved is not None:
            self._reserved.close()
            self._reserved = None

    def stop(self) -> int:
        """Stop the server by SIGINT; returns the exit status."""
        return self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.base, timeout=PATIENCE)


def begin(client: httpx.Client, game: str, *players: str | None, **more: Any) -> dict[str, Any]:
    """Start a game; a seat of None is a person."""
    seats = [{"player": name} for name in players or (None, None)]
    answer = client.post("/api/games", json={"game": game, "seats": seats, "seed": 1, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def analysed(client: httpx.Client, path: str) -> Any:
    """The response to a request of an analysis, JSON.

    On a busy machine a worker process that has yet to load networks may be ended for being late,
    and the server says so (503); the next one has its files in memory.
    """
    deadline = time.monotonic() + PATIENCE
    while (answer := client.get(path)).status_code == 503:
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.1)
    assert answer.status_code == 200, answer.text
    return answer.json()


def settled(client: httpx.Client, view: dict[str, Any]) -> dict[str, Any]:
    """Return the game when no player is computing."""
    deadline = time.monotonic() + PATIENCE
    while view["status"] == "thinking":
        assert time.monotonic() < deadline, f"still thinking: {view['prompt']}"
        time.sleep(0.01)  # who asks without a pause is refused after a while
        view = client.get(f"/api/games/{view['id']}").json()
    return view


def places_of(view: dict[str, Any]) -> list[str]:
    """Return the places that may be touched now."""
    return list(_find_next(view))


def _find_next(view: dict[str, Any]) -> dict[str, Any]:
    """Return what each touch leads to; `next` is what `touch` adds to a view."""
    found: dict[str, Any] = {} if view["entry"] is None else view["entry"]["states"][0]["next"]
    return view.get("next", found)


def touch(client: httpx.Client, view: dict[str, Any], place: str) -> dict[str, Any]:
    """Touch a place as the page does; a move that is complete is played and answered."""
    target = _find_next(view)[place]
    if isinstance(target, dict):
        return {**view, "next": target}
    if target >= 0:
        return {**view, "next": view["entry"]["states"][target]["next"]}
    return play_move(client, view, view["entry"]["moves"][-1 - target])


def play_move(client: httpx.Client, view: dict[str, Any], move: str) -> dict[str, Any]:
    """Play a move, and wait for the answer of the next player."""
    body = {"node": view["at"], "move": move}
    answer = client.post(f"/api/games/{view['id']}/moves", json=body)
    assert answer.status_code == 200, answer.text
    return settled(client, answer.json())
