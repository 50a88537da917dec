"""The socket of the thesis, section 5.5: a state comes in, the best move goes out.

Any number of clients may be connected. One that sends nonsense gets a line that says so; one that
never ends its line, or takes too long over it, is told so and sent away.
"""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ludus.core.errors import BadSpec, LudusError, quoted
from ludus.core.player import Player
from ludus.protocol.thesis_answers import complaint, position_of, written
from ludus.protocol.thesis_asking import Asking
from ludus.protocol.thesis_states import Dialect, Endless, States, states

CHUNK = 4096
BACKLOG = 512

LINGER = 1.0
"""Seconds for which one who is sent away may go on sending, lest he miss why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where and how to listen."""

    host: str = "127.0.0.1"
    port: int = 5802
    """0 takes any that is free."""

    dialect: Dialect = "lines"

    line_seconds: float = 10.0
    """How long a state may take from its first byte to its last, an answer to be taken, and a
    client to wait for a place."""

    idle_seconds: float = 3600.0
    """How long a client may be silent between states."""

    max_clients: int = 1000

    def __post_init__(self) -> None:
        if not self.host:
            # To a socket no address is every address, which nobody should ask for by mistake.
            raise BadSpec("an address to listen at is needed; 0.0.0.0 is every one")
        for name in ("line_seconds", "idle_seconds", "max_clients"):
            if not getattr(self, name) > 0:
                raise BadSpec(f"{name.replace('_', ' ')} must be more than 0")


@dataclass(slots=True)
class Tally:
    """What a server has done."""

    clients: int = 0
    moves: int = 0
    errors: int = 0


class ThesisSocket:
    """A player that other programs ask through a socket."""

    def __init__(self, player: Player, settings: Settings) -> None:
        self.tally = Tally()
        self._player = player
        self._settings = settings
        self._clients: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(settings.max_clients)
        self._is_ending = False

    def serve(self, ready: Callable[[str, int], None]) -> Tally:
        """Answer until SIGINT or SIGTERM; `ready` is told the address when it can be asked."""
        asyncio.run(self._serve(ready))
        return self.tally

    async def _serve(self, ready: Callable[[str, int], None]) -> None:
        wanted = self._settings
        try:
            server = await asyncio.start_server(
                self._welcome, wanted.host, wanted.port, backlog=BACKLOG
            )
        except (OSError, OverflowError, ValueError) as error:
            where = f"{quoted(wanted.host)}, port {wanted.port}"
            raise LudusError(f"cannot listen at {where}: {error}") from error
        self._asking = Asking(self._player)
        asking = asyncio.create_task(self._asking.run())
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        ready(*server.sockets[0].getsockname()[:2])
        await stop.wait()
        server.close()
        self._is_ending = True
        for task in (asking, *self._clients):
            task.cancel()
        await asyncio.gather(asking, *self._clients, return_exceptions=True)
        self._asking.close()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        self.tally.clients += 1
        try:
            if not self._is_ending:
                await self._entertain(reader, writer)
            writer.close()
            async with asyncio.timeout(self._settings.line_seconds):
                await writer.wait_closed()
        except (OSError, asyncio.CancelledError):
            pass  # gone, or deaf, or the server ends
        finally:
            # What a deaf client has not taken would otherwise be kept for ever.
            writer.transport.abort()
            self._clients.discard(task)

    async def _entertain(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it goes, or has to."""
        try:
            await self._take_place()
            try:
                found = states(self._settings.dialect)
                while (text := await self._next(found, reader)) is not None:
                    await self._say(writer, await self._answer(text))
            finally:
                self._places.release()
        except LudusError as error:
            self.tally.errors += 1
            await self._say(writer, complaint(error))
            await _see_off(reader, writer)

    async def _take_place(self) -> None:
        """Wait for a place: many that are there may have gone, which only a look at them tells."""
        try:
            async with asyncio.timeout(self._settings.line_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise LudusError(f"there are {self._settings.max_clients} clients already") from None

    async def _next(self, found: States, reader: asyncio.StreamReader) -> str | None:
        """The next state of a client; None when it has gone."""
        clock = asyncio.get_running_loop().time
        last = None
        while (text := found.next()) is None:
            seconds = self._settings.idle_seconds
            if found.has_begun:
                last = last or clock() + self._settings.line_seconds
                seconds = max(0.0, last - clock())
            try:
                async with asyncio.timeout(seconds):
                    chunk = await reader.read(CHUNK)
            except TimeoutError:
                raise Endless("no whole state has come in time") from None
            if not chunk:
                return found.end()
            found.feed(chunk)
        return text

    async def _answer(self, text: str) -> bytes:
        try:
            move = await self._asking.move(position_of(text, self._player.game))
        except LudusError as error:
            self.tally.errors += 1
            return complaint(error)
        self.tally.moves += 1
        return written(move, self._settings.dialect)

    async def _say(self, writer: asyncio.StreamWriter, answer: bytes) -> None:
        writer.write(answer)
        async with asyncio.timeout(self._settings.line_seconds):
            await writer.drain()


async def _see_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Let a client read why it has to go: closing at once would throw away what it has not read."""
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while await reader.read(CHUNK):
                pass
