"""HTTP connections with a time limit for each request, and a limit of connections without one.

uvicorn closes idle connections after a response, but waits for ever for the rest of a request: some
thousands of half-sent requests would use up all open files of the process.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class TimedProtocol(H11Protocol):
    """A connection that is closed if a request takes too long to arrive.

    It is waiting from its start, and from each response, until a request is complete. When too many
    connections are waiting, the one that does so longest is closed.
    """

    def __init__(
        self,
        waiting: "dict[TimedProtocol, None]",
        max_waiting: int,
        request_seconds: float,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._waiting, self._max_waiting = waiting, max_waiting
        self._request_seconds = request_seconds
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._stop_watching()  # the first byte of a request
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def _watch(self) -> None:
        is_waiting = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        is_websocket = self.transport.get_protocol() is not self
        if not is_waiting or is_websocket or self.transport.is_closing():
            self._stop_watching()
            return
        if self._timer is None:
            self._timer = self.loop.call_later(self._request_seconds, self._close_slow_connection)
        self._waiting[self] = None
        if len(self._waiting) > self._max_waiting:
            oldest = next(iter(self._waiting))
            oldest._stop_watching()
            oldest.transport.abort()

    def _stop_watching(self) -> None:
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_slow_connection(self) -> None:
        self._stop_watching()
        if self.transport.is_closing():
            return
        is_partial = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if is_partial:
            self.transport.write(REQUEST_TIMEOUT)
        self.transport.close()
