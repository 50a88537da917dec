"""The socket of the thesis in its own process, and clients with several behaviours."""

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import ludus
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from support.morris import positions
from support.waiting import PATIENCE

SECONDS = PATIENCE
"""After so long an answer is taken not to come."""

NONSENSE = (
    b"hello",
    b"\0\0\0",
    b"\xff\xfe\xfd",
    b"M" * 28,
    b"OOOOOOOOOOOOOOOOOOOOOOOO990",
    b"OOOOOOOOOOOOOOOOOOOOOOOO9901",
    b"OOOOOOOOOOOOOOOOOOOOOOOO9900-d6",
    b"MOOOOOOOOOOOOOOOOOOOOOOO0010",
    b"x" * 900,
    b"GET / HTTP/1.1",
    "OOOOOOOOOOOOOOOOOOOOOOOO٩٩٠٠".encode(),
)
"""Lines that are no state of a game that goes on."""


class Server:
    """`ludus serve nnmm` at a free port."""

    def __init__(self, player: str, *options: str) -> None:
        command = [sys.executable, "-m", "ludus.cli", "serve", "nnmm", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            [*command, "--player", player, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.startup = json.loads(self.process.stdout.readline())
        self.port = self.startup["port"]

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    @property
    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def kilobytes(self) -> int:
        """Memory in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stop the server; return its exit status and its error output."""
        self.process.send_signal(how)
        _, complaints = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, complaints

    def ask(self, data: bytes, ends: bool = True) -> bytes:
        """Return the answer to some bytes; with `ends` the client closes its sending side."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as client:
            client.sendall(data)
            if ends:
                client.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := client.recv(4096):
                answer += chunk
            return answer


def known_answers(player: str, games: int = 4) -> dict[bytes, bytes]:
    """States, and the lines that the player answers them with."""
    game = ludus.game("nine_mens_morris")
    states = sorted({to_thesis(position) for position in positions(games)})
    choices = ludus.player(player, game).choose_many([game.parse(state) for state in states])
    return {
        state.encode(): to_thesis_move(choice.move).encode()
        for state, choice in zip(states, choices, strict=True)
    }


class Clients:
    """Clients that send requests to a server in parallel until they are stopped."""

    def __init__(self, port: int, known: dict[bytes, bytes]) -> None:
        self.port = port
        self.known = known
        self.sent: Counter[str] = Counter()
        """Per manner, how many lines want an answer."""

        self.answered: Counter[str] = Counter()
        """And how many had the right one."""

        self._is_over = False

    async def run(self, number: int, seconds: float) -> None:
        """This number of clients, with the behaviours in turn, each repeatedly."""
        manners = (self.polite, self.broken, self.slow, self.endless, self.stalled, self.fickle)
        tasks = [
            asyncio.create_task(self._repeat(manners[each % len(manners)], random.Random(each)))
            for each in range(number)
        ]
        await asyncio.sleep(seconds)
        self._is_over = True
        await asyncio.gather(*tasks)

    async def _repeat(self, manner, source: random.Random) -> None:
        name = manner.__name__
        while not self._is_over:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                await manner(name, reader, writer, source)
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()

    async def _expect(self, name: str, reader: asyncio.StreamReader, wanted: bytes) -> None:
        self.sent[name] += 1
        line = await asyncio.wait_for(reader.readline(), SECONDS)
        is_right = line.startswith(wanted) if wanted == b"error: " else line == wanted + b"\n"
        assert is_right, f"{name}: {line!r} instead of {wanted!r}"
        self.answered[name] += 1

    async def polite(self, name, reader, writer, source) -> None:
        """Whole states, one by one or several at once, in whatever pieces."""
        for _ in range(5):
            states = source.sample(sorted(self.known), source.randint(1, 4))
            data = b"".join(state + source.choice((b"\n", b"\r\n")) for state in states)
            cut = source.randrange(len(data))
            writer.write(data[:cut])
            await writer.drain()
            await asyncio.sleep(0.001)
            writer.write(data[cut:])
            for state in states:
                await self._expect(name, reader, self.known[state])

    async def broken(self, name, reader, writer, source) -> None:
        """Send invalid bytes, and a state that must still be answered."""
        for line in source.sample(NONSENSE, 4):
            writer.write(line + b"\n")
            await self._expect(name, reader, b"error: ")
        state = source.choice(sorted(self.known))
        writer.write(state + b"\n")
        await self._expect(name, reader, self.known[state])

    async def slow(self, name, reader, writer, source) -> None:
        """A state in small pieces, and its answer is not fetched at once."""
        state = source.choice(sorted(self.known))
        for place in range(0, len(state) + 1, 4):
            writer.write((state + b"\n")[place : place + 4])
            await writer.drain()
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        await self._expect(name, reader, self.known[state])

    async def endless(self, name, reader, writer, source) -> None:
        """A line that never ends."""
        writer.write(source.choice((b"M", b"x", b"\0")) * 5000)
        await self._expect(name, reader, b"error: ")
        with suppress(OSError):  # shown the door
            for _ in range(20):
                writer.write(b"O" * 5000)
                await writer.drain()
                await asyncio.sleep(0.01)

    async def stalled(self, name, reader, writer, source) -> None:
        """Half a state, and then nothing."""
        state = source.choice(sorted(self.known))
        writer.write(state[: source.randint(1, 27)])
        await self._expect(name, reader, b"error: ")
        assert await asyncio.wait_for(reader.read(), SECONDS) == b""

    async def fickle(self, name, reader, writer, source) -> None:
        """Disconnect before a state, within one, or before its answer."""
        state = source.choice(sorted(self.known)) + b"\n"
        writer.write(state[: source.choice((0, 10, len(state)))])
        await asyncio.sleep(source.random() / 50)
        if source.random() < 0.5:
            # The connection is broken off, not closed.
            found = writer.get_extra_info("socket")
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            writer.transport.abort()
