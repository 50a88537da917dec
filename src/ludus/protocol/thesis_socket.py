"""Socket server of Galassi 2016, section 5.5: a client sends a state and receives the best move."""

import asyncio
import queue
import re
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ludus.core.errors import BadPosition, BadSpec, LudusError, quote, to_one_line
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.games.nine_mens_morris import to_thesis_move
from ludus.games.nine_mens_morris.board import READING_ORDER, Move
from ludus.games.nine_mens_morris.position import MorrisPosition

Dialect = Literal["lines", "2018"]

STATE_LENGTH = 28
MAX_PENDING_BYTES = 1000
"""Maximum number of bytes received without a complete state."""


class IncompleteState(LudusError):
    """No complete state was received within the limits on bytes or time."""


class StateReader:
    """Incremental parser that splits a byte stream into states of 28 characters.

    The dialect `lines` has one state per nonempty line. The dialect `2018` follows the author's
    program of that year, which reads 30 bytes and takes 28 of them from the first O, M or E on; so
    a state may be followed by a line end, or preceded by two bytes of length as Java writes
    strings, or neither.

    >>> reader = StateReader("lines")
    >>> reader.feed(b"first\\r\\n\\nsec"), reader.next(), reader.next(), reader.end()
    (None, 'first', None, 'sec')
    >>> reader = StateReader("2018")
    >>> reader.feed(b"\\x00\\x1cOOOOOOOOOOOOOOOOOOOOOOOO9900\\r\\nOO")
    >>> reader.next(), reader.next(), reader.end()
    ('OOOOOOOOOOOOOOOOOOOOOOOO9900', None, 'OO')
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._bytes = bytearray()
        self._skipped = 0

    @property
    def has_partial_state(self) -> bool:
        """Whether a part of a state has been received."""
        return bool(self._bytes)

    def feed(self, chunk: bytes) -> None:
        """Add received bytes."""
        self._bytes += chunk

    def next(self) -> str | None:
        """Return the next candidate state, or None while it is incomplete.

        Raise IncompleteState after too many bytes without one.
        """
        return self._next_2018() if self._dialect == "2018" else self._next_line()

    def end(self) -> str | None:
        """Return the remaining text at the end of the stream, or None."""
        return self._take(len(self._bytes)) or None

    def _take(self, length: int) -> str:
        text = self._bytes[:length].decode("ascii", "backslashreplace").strip("\r\n \t")
        del self._bytes[:length]
        return text

    def _next_line(self) -> str | None:
        # Empty lines are skipped, since interactive users press Return.
        while (end := self._bytes.find(b"\n", 0, MAX_PENDING_BYTES + 1)) >= 0:
            if text := self._take(end + 1):
                return text
        if len(self._bytes) > MAX_PENDING_BYTES:
            raise IncompleteState(f"a line is longer than {MAX_PENDING_BYTES} bytes")
        return None

    def _next_2018(self) -> str | None:
        first = next((place for place, byte in enumerate(self._bytes) if byte in b"OME"), None)
        before = len(self._bytes) if first is None else first
        del self._bytes[:before]
        self._skipped += before
        if self._skipped > MAX_PENDING_BYTES:
            raise IncompleteState(
                f"more than {MAX_PENDING_BYTES} bytes have come without an O, M or E"
            )
        # A line that is too short is an error of its own and must not consume the next state.
        broken = self._bytes.find(b"\n", 0, STATE_LENGTH)
        length = STATE_LENGTH if broken < 0 else broken
        if len(self._bytes) < length:
            return None
        self._skipped = 0
        return self._take(length)


STATE_PATTERN = re.compile("[OME]{24}[0-9]{4}")


def parse_state(text: str, game: AnyGame) -> Any:
    """Parse a state as a position with the mover as White; raise LudusError if it has no move."""
    if not STATE_PATTERN.fullmatch(text):
        raise BadPosition(f"{quote(text)} is not 24 letters O, M or E and four digits")
    position = game.parse(text)
    outcome = position.outcome()
    if outcome is not None:
        raise BadPosition(f"{quote(text)} has no move: the game is over ({outcome.reason})")
    return position


def format_move(move: Move, dialect: Dialect) -> bytes:
    """Format a move as in the thesis's datasets or, for 2018, as three lines TO, FROM, REMOVE.

    The lines are point numbers from 1 in reading order; 0 is none.
    """
    if dialect == "2018":
        return "".join(
            f"{_POINT_NUMBERS[part]}\n" for part in (move.to, move.frm, move.take)
        ).encode()
    if move.to is None:
        return format_error(
            LudusError(f"the player chose {quote(str(move))}, which this dialect cannot express")
        )
    return f"{to_thesis_move(move)}\n".encode()


def format_error(error: Exception) -> bytes:
    """Format an error as one line."""
    return f"error: {to_one_line(str(error))}\n".encode("ascii", "backslashreplace")


_POINT_NUMBERS: dict[int | None, int] = {
    None: 0,
    **{point: number for number, point in enumerate(READING_ORDER, start=1)},
}


MAX_BATCH_SIZE = 256

STOP_TIME = 1.0
"""Seconds for which a server that ends waits for its player."""

MoveRequest = tuple[Any, Future[Any]]
"""A position, and the move to be chosen there."""


class RequestBatcher:
    """Batches concurrent requests of many clients for one player, which runs on its own thread."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._requests: queue.SimpleQueue[MoveRequest | None] = queue.SimpleQueue()
        # A daemon thread: a player that cannot be stopped does not keep the server from ending.
        self._thread = threading.Thread(target=self._choose_moves, name="player", daemon=True)
        self._thread.start()

    @property
    def is_choosing(self) -> bool:
        """Whether the player's thread runs."""
        return self._thread.is_alive()

    async def request_move(self, position: MorrisPosition) -> Any:
        """Return the player's move; raise LudusError if the player fails."""
        answer: Future[Any] = Future()
        self._requests.put((position, answer))
        return await asyncio.wrap_future(answer)

    def close(self) -> None:
        """End the thread, and stop its search if the player supports that.

        `is_choosing` is true afterwards if the player goes on nevertheless.
        """
        self._requests.put(None)
        if callable(stop := getattr(self._player, "stop", None)):
            stop()
        self._thread.join(STOP_TIME)

    def _choose_moves(self) -> None:
        while True:
            batch = [self._requests.get()]
            while len(batch) < MAX_BATCH_SIZE and not self._requests.empty():
                batch.append(self._requests.get_nowait())
            if None in batch:
                return
            # Requests of disconnected clients were cancelled.
            waiting = [each for each in batch if each and each[1].set_running_or_notify_cancel()]
            if waiting:
                self._answer(waiting)

    def _answer(self, requests: list[MoveRequest]) -> None:
        try:
            choices = self._player.choose_many([position for position, _ in requests])
            for (_, answer), choice in zip(requests, choices, strict=True):
                answer.set_result(choice.move)
        except Exception as error:  # a player's failure must not end the server
            fault = LudusError(f"{self._player.spec} failed: {error}")
            for _, answer in requests:
                if not answer.done():
                    answer.set_exception(fault)


READ_SIZE = 4096
BACKLOG = 512

LINGER_SECONDS = 1.0
"""Seconds for which input of a rejected client is discarded, so that it can read the error."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Address, dialect and limits of the server."""

    host: str = "127.0.0.1"
    port: int = 5802
    """0 selects any free port."""

    dialect: Dialect = "lines"

    line_seconds: float = 10.0
    """Maximum seconds from a state's first byte to its last, for a client to read a response, and
    for a client to wait for a connection slot."""

    idle_seconds: float = 3600.0
    """Maximum seconds between two states of a client."""

    max_clients: int = 1000

    def __post_init__(self) -> None:
        if not self.host:
            # To a socket an empty address means all addresses, which should not happen by mistake.
            raise BadSpec("the address to listen at is empty; use 0.0.0.0 for all addresses")
        for name in ("line_seconds", "idle_seconds", "max_clients"):
            if not getattr(self, name) > 0:
                raise BadSpec(f"{name.replace('_', ' ')} must be more than 0")


@dataclass(slots=True)
class ServerCounts:
    """Statistics of a server run."""

    clients: int = 0
    moves: int = 0
    errors: int = 0


class ThesisServer:
    """Server that answers states from any number of concurrent clients with a player's moves.

    An invalid state is answered with an error line; a client whose line is too long or takes too
    long gets an error line and is disconnected.
    """

    def __init__(self, player: Player, settings: ServerSettings) -> None:
        self.counts = ServerCounts()
        self._player = player
        self._settings = settings
        self._clients: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(settings.max_clients)
        self._is_ending = False

    @property
    def is_choosing(self) -> bool:
        """Whether the player is still at work, which cannot be interrupted, on a daemon thread."""
        return self._batcher.is_choosing

    def serve(self, ready: Callable[[str, int], None]) -> ServerCounts:
        """Serve until SIGINT or SIGTERM; call `ready` with host and port once listening."""
        asyncio.run(self._serve(ready))
        return self.counts

    async def _serve(self, ready: Callable[[str, int], None]) -> None:
        wanted = self._settings
        try:
            server = await asyncio.start_server(
                self._handle_connection, wanted.host, wanted.port, backlog=BACKLOG
            )
        except (OSError, OverflowError, ValueError) as error:
            where = f"{quote(wanted.host)}, port {wanted.port}"
            raise LudusError(f"cannot listen at {where}: {error}") from error
        self._batcher = RequestBatcher(self._player)
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        ready(*server.sockets[0].getsockname()[:2])
        await stop.wait()
        server.close()
        self._is_ending = True
        for task in self._clients:
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        self._batcher.close()

    async def _handle_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        self.counts.clients += 1
        try:
            if not self._is_ending:
                await self._serve_client(reader, writer)
            writer.close()
            async with asyncio.timeout(self._settings.line_seconds):
                await writer.wait_closed()
        except (OSError, asyncio.CancelledError):
            pass  # client disconnected or not reading, or server shutting down
        finally:
            # Otherwise data that a client does not read would stay buffered forever.
            writer.transport.abort()
            self._clients.discard(task)

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one client until it disconnects or is rejected."""
        try:
            await self._acquire_slot()
            try:
                found = StateReader(self._settings.dialect)
                while (text := await self._next(found, reader)) is not None:
                    await self._send(writer, await self._answer(text))
            finally:
                self._slots.release()
        except LudusError as error:
            self.counts.errors += 1
            await self._send(writer, format_error(error))
            await _drain_client(reader, writer)

    async def _acquire_slot(self) -> None:
        """Wait for a connection slot: the loss of some clients may not have been detected yet."""
        try:
            async with asyncio.timeout(self._settings.line_seconds):
                await self._slots.acquire()
        except TimeoutError:
            raise LudusError(f"there are {self._settings.max_clients} clients already") from None

    async def _next(self, found: StateReader, reader: asyncio.StreamReader) -> str | None:
        """Return the next state of a client; None when it has disconnected."""
        clock = asyncio.get_running_loop().time
        last = None
        while (text := found.next()) is None:
            seconds = self._settings.idle_seconds
            if found.has_partial_state:
                last = last or clock() + self._settings.line_seconds
                seconds = max(0.0, last - clock())
            try:
                async with asyncio.timeout(seconds):
                    chunk = await reader.read(READ_SIZE)
            except TimeoutError:
                raise IncompleteState("no whole state has come in time") from None
            if not chunk:
                return found.end()
            found.feed(chunk)
        return text

    async def _answer(self, text: str) -> bytes:
        try:
            move = await self._batcher.request_move(parse_state(text, self._player.game))
        except LudusError as error:
            self.counts.errors += 1
            return format_error(error)
        self.counts.moves += 1
        return format_move(move, self._settings.dialect)

    async def _send(self, writer: asyncio.StreamWriter, answer: bytes) -> None:
        writer.write(answer)
        async with asyncio.timeout(self._settings.line_seconds):
            await writer.drain()


async def _drain_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Discard input for a while, since closing at once could drop the unread error message."""
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while await reader.read(READ_SIZE):
                pass
